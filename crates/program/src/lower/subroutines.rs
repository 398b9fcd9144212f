//! Subroutines of old class files (`jsr` and `ret`).
//!
//! They are copied: a block is analysed, and later translated, once for each chain of calls that leads to it, so what a
//! subroutine does not touch keeps its type. A return address is then the number of its call, known statically.

use super::error::{LowerError, Result};
use super::infer::{Infer, Instance, NONE};
use super::scan::Insn;
use super::types::Type;

/// The most calls that are told apart.
const LARGEST_CONTEXTS: usize = 1 << 10;

/// A call of a subroutine.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Context {
    target: u32,
    back: u32,
    parent: u32,
}

impl Context {
    /// The method itself, which nobody calls.
    pub const MAIN: Context = Context {
        target: NONE,
        back: NONE,
        parent: NONE,
    };
}

impl Infer<'_> {
    /// However a block of a subroutine is reached, the stack has the same height there.
    pub fn compare_copies(&self) -> Result<()> {
        if self.contexts.len() == 1 {
            return Ok(());
        }
        let mut heights = vec![None; self.scan.blocks.len()];
        for instance in self.instances.iter().filter(|instance| instance.reached()) {
            let Some(height) = heights.get_mut(instance.block as usize) else {
                continue;
            };
            if *height.get_or_insert(instance.depth) != instance.depth {
                let bci = self.scan.first(instance.block).map_or(0, |first| u32::from(first.bci));
                return Err(LowerError::verify(bci, "inconsistent stack height in a subroutine"));
            }
        }
        Ok(())
    }

    /// Calls a subroutine.
    pub fn call(&mut self, insn: &Insn, number: u32) -> Result<()> {
        let Some(&Instance { block, context, .. }) = self.instances.get(number as usize) else {
            return Ok(());
        };
        // A subroutine that is already in the chain has been left by a jump: it cannot call itself.
        let mut parent = context;
        let mut outer = context;
        while let Some(&Context {
            target, parent: next, ..
        }) = self.contexts.get(outer as usize)
        {
            if target == insn.a {
                parent = next;
            }
            outer = next;
        }
        let called = Context {
            target: insn.a,
            back: block + 1,
            parent,
        };
        let callee = match self.contexts.iter().position(|context| *context == called) {
            Some(known) => known,
            None if self.contexts.len() >= LARGEST_CONTEXTS => {
                return Err(LowerError::unsupported(self.bci, "too many subroutine calls"));
            }
            None => {
                self.contexts.push(called);
                self.contexts.len() - 1
            }
        };
        self.push(Type::address(callee as u32))?;
        self.jump(callee as u32, insn.a, number)
    }

    /// Returns from a subroutine.
    pub fn come_back(&mut self, insn: &Insn, number: u32) -> Result<()> {
        let local = self.locals.get(insn.a as usize).copied().unwrap_or(Type::TOP);
        let Some(&Context { back, parent, .. }) = local.as_address().and_then(|call| self.contexts.get(call as usize))
        else {
            return Err(self.verify(format!(
                "ret on local variable {}, which holds {}",
                insn.a,
                self.types.describe(local)
            )));
        };
        self.jump(parent, back, number)
    }

    fn jump(&mut self, context: u32, block: u32, number: u32) -> Result<()> {
        if block as usize >= self.scan.blocks.len() {
            return Err(self.verify("falling off the end of the code"));
        }
        let to = self.instance(context, block)?;
        if let Some(instance) = self.instances.get_mut(number as usize) {
            instance.jump = to;
        }
        self.arrive(to)
    }
}
