//! Type inference over basic blocks, which is verification (JVMS §4.10.2): every instruction that can be reached is
//! checked against the types that can reach it. Frames declared in the class file are not looked at.

use super::Rules;
use super::error::{LowerError, LowerErrorKind, Result};
use super::opcode::*;
use super::scan::{Insn, Scan};
use super::scratch::{Scratch, emptied};
use super::subroutines::Context;
use super::types::{Type, Types};
use crate::classfile::{ClassFile, CodeInfo, MethodInfo, flags};
use crate::descriptor::{self, Kind};
use std::collections::HashMap;

/// What one method may cost: slots merged and instructions visited, and slots kept.
const LARGEST_WORK: u64 = 1 << 28;
const LARGEST_ARENA: usize = 1 << 25;
const LARGEST_INSTANCES: usize = 1 << 16;

/// No frame yet, or no such instance.
pub(super) const NONE: u32 = u32::MAX;

/// A block in a chain of subroutine calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub block: u32,
    /// Chain of calls; 0 is the method itself.
    pub context: u32,
    /// Where a `jsr` or `ret` at the end of the block goes.
    pub jump: u32,
    frame: u32,
    pub depth: u32,
    /// In a constructor: `this` may be uninitialised.
    fresh: bool,
    queued: bool,
}

impl Instance {
    fn new(block: u32, context: u32) -> Instance {
        Instance {
            block,
            context,
            jump: NONE,
            frame: NONE,
            depth: 0,
            fresh: false,
            queued: false,
        }
    }

    /// Whether control can get there.
    pub fn reached(&self) -> bool {
        self.frame != NONE
    }
}

/// A handler that covers some instruction of the block being walked through.
pub(super) struct Active {
    handler: u32,
    merged: bool,
}

/// The state of the inference, and its result.
pub(super) struct Infer<'a> {
    pub file: &'a ClassFile,
    pub scan: &'a Scan<'a>,
    pub info: &'a CodeInfo,
    pub types: Types<'a>,
    pub rules: &'a dyn Rules,
    /// This class's name.
    pub this: &'a str,
    pub returns: Option<(&'a str, Kind)>,
    pub is_constructor: bool,
    /// The frame while a block is walked through.
    pub locals: Vec<Type>,
    pub stack: Vec<Type>,
    /// What a call takes from the stack, while it is checked.
    pub wanted: Vec<Type>,
    pub fresh: bool,
    pub bci: u32,
    /// Whether locals changed since handlers last saw them.
    pub changed: bool,
    pub instances: Vec<Instance>,
    arena: Vec<Type>,
    pub contexts: Vec<Context>,
    copies: HashMap<(u32, u32), u32>,
    active: Vec<Active>,
    /// Until this bytecode, no handler begins.
    quiet_until: u32,
    catches: Vec<Type>,
    lowest: usize,
    work: u64,
}

impl<'a> Infer<'a> {
    /// Infers the types of a whole method.
    pub fn run(
        file: &'a ClassFile,
        method: &'a MethodInfo,
        info: &'a CodeInfo,
        scan: &'a Scan<'a>,
        rules: &'a dyn Rules,
        scratch: &mut Scratch,
    ) -> Result<Infer<'a>> {
        let descriptor = file.pool.text(method.descriptor);
        let this = file.pool.class_name(file.this_class);
        let mut infer = Infer {
            file,
            scan,
            info,
            types: Types::new(rules),
            rules,
            this,
            returns: descriptor::return_type(descriptor),
            is_constructor: file.pool.text(method.name) == "<init>",
            locals: emptied(&mut scratch.locals),
            stack: emptied(&mut scratch.stack),
            wanted: emptied(&mut scratch.wanted),
            fresh: false,
            bci: 0,
            changed: false,
            instances: emptied(&mut scratch.instances),
            arena: emptied(&mut scratch.arena),
            contexts: emptied(&mut scratch.contexts),
            copies: HashMap::new(),
            active: emptied(&mut scratch.active),
            quiet_until: 0,
            catches: emptied(&mut scratch.catches),
            lowest: 0,
            work: 0,
        };
        infer.locals.resize(usize::from(info.max_locals), Type::TOP);
        infer
            .instances
            .extend((0..scan.blocks.len() as u32).map(|block| Instance::new(block, 0)));
        infer.contexts.push(Context::MAIN);
        infer.enter(method, descriptor)?;
        infer.arrive(0)?;
        while let Some(next) = infer.next() {
            infer.visit(next)?;
        }
        infer.compare_copies()?;
        Ok(infer)
    }

    /// Gives the vectors back for the next method.
    pub fn recycle(self, scratch: &mut Scratch) {
        scratch.locals = self.locals;
        scratch.stack = self.stack;
        scratch.wanted = self.wanted;
        scratch.instances = self.instances;
        scratch.arena = self.arena;
        scratch.contexts = self.contexts;
        scratch.active = self.active;
        scratch.catches = self.catches;
    }

    /// The first frame, and what handlers catch.
    fn enter(&mut self, method: &MethodInfo, descriptor: &'a str) -> Result<()> {
        let mut slot = 0;
        if method.flags & flags::STATIC == 0 {
            let receiver = if self.is_constructor && self.file.super_class != 0 {
                self.fresh = true;
                Type::FRESH_THIS
            } else {
                self.types.class(self.this)
            };
            self.parameter(&mut slot, receiver)?;
        }
        for (field, kind) in descriptor::parameters(descriptor) {
            let parameter = self.value_type(field, kind);
            self.parameter(&mut slot, parameter)?;
        }
        let throwable = self.types.class("java/lang/Throwable");
        for row in &self.info.handlers {
            self.bci = u32::from(row.target);
            let caught = match row.class {
                0 => throwable,
                class => self.types.class(self.file.pool.class_name(class)),
            };
            if !self.assignable(caught, throwable)? {
                let what = format!(
                    "catch type {} is not a subclass of Throwable",
                    self.types.describe(caught)
                );
                return Err(self.verify(what));
            }
            self.catches.push(caught);
        }
        Ok(())
    }

    fn parameter(&mut self, slot: &mut usize, parameter: Type) -> Result<()> {
        let second = parameter.is_wide().then(|| parameter.second());
        for one in std::iter::once(parameter).chain(second) {
            match self.locals.get_mut(*slot) {
                Some(local) => *local = one,
                None => return Err(LowerError::verify(0, "arguments can't fit into locals")),
            }
            *slot += 1;
        }
        Ok(())
    }

    /// The type of a value with this descriptor.
    pub fn value_type(&mut self, field: &'a str, kind: Kind) -> Type {
        match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int => Type::INT,
            Kind::Float => Type::FLOAT,
            Kind::Long => Type::LONG,
            Kind::Double => Type::DOUBLE,
            Kind::Reference => self.types.described(field),
        }
    }

    #[cold]
    pub fn verify(&self, what: impl Into<String>) -> Box<LowerError> {
        LowerError::verify(self.bci, what)
    }

    /// Whether a reference may be used as another class.
    pub fn assignable(&mut self, from: Type, to: Type) -> Result<bool> {
        self.types
            .assignable(from, to)
            .map_err(|what| LowerError::new(LowerErrorKind::Class, self.bci, what))
    }

    fn spend(&mut self, work: usize) -> Result<()> {
        self.work += work as u64;
        if self.work + self.types.work > LARGEST_WORK || self.arena.len() > LARGEST_ARENA {
            return Err(LowerError::unsupported(
                self.bci,
                "the method is too large to be verified",
            ));
        }
        Ok(())
    }

    /// Takes the first instance whose frame has changed.
    fn next(&mut self) -> Option<u32> {
        let at = self
            .instances
            .get(self.lowest..)?
            .iter()
            .position(|instance| instance.queued);
        self.work += at.unwrap_or(0) as u64 / 8;
        self.lowest += at?;
        self.instances.get_mut(self.lowest)?.queued = false;
        Some(self.lowest as u32)
    }

    /// Walks through a block from its frame on.
    fn visit(&mut self, number: u32) -> Result<()> {
        let Some(&instance) = self.instances.get(number as usize) else {
            return Ok(());
        };
        let Some(&block) = self.scan.blocks.get(instance.block as usize) else {
            return Ok(());
        };
        let insns = self
            .scan
            .insns
            .get(block.start as usize..block.end as usize)
            .unwrap_or(&[]);
        let locals = self.locals.len();
        let frame = self.arena.get(instance.frame as usize..).unwrap_or(&[]);
        let (first, rest) = frame.split_at_checked(locals).unwrap_or((&[], &[]));
        self.locals.clear();
        self.locals.extend_from_slice(first);
        self.stack.clear();
        self.stack
            .extend_from_slice(rest.get(..instance.depth as usize).unwrap_or(&[]));
        self.fresh = instance.fresh;
        self.activate(block.start, block.end)?;
        self.spend(insns.len())?;
        for insn in insns {
            self.bci = u32::from(insn.bci);
            if !self.active.is_empty() {
                self.throw(instance.context)?;
            }
            self.step(insn, number)?;
        }
        match insns.last() {
            Some(last) if !last.ends() => self.arrive_at(instance.context, instance.block + 1),
            _ => Ok(()),
        }
    }

    /// Finds the handlers that cover some instruction of a block.
    fn activate(&mut self, start: u32, end: u32) -> Result<()> {
        self.active.clear();
        self.quiet_until = 0;
        if self.info.handlers.is_empty() {
            return Ok(());
        }
        self.spend(self.info.handlers.len())?;
        let (from, to) = (self.scan.bci_of(start), self.scan.bci_of(end));
        for (handler, row) in self.info.handlers.iter().enumerate() {
            if u32::from(row.start) < to && from < u32::from(row.end) {
                self.active.push(Active {
                    handler: handler as u32,
                    merged: false,
                });
            }
        }
        Ok(())
    }

    /// Takes the frame before the current instruction to the handlers that cover it.
    fn throw(&mut self, context: u32) -> Result<()> {
        if self.changed {
            self.active.iter_mut().for_each(|active| active.merged = false);
            self.changed = false;
        } else if self.bci < self.quiet_until {
            return Ok(());
        }
        self.spend(self.active.len())?;
        self.quiet_until = u32::MAX;
        for index in 0..self.active.len() {
            let Some(active) = self.active.get_mut(index) else {
                break;
            };
            let handler = active.handler as usize;
            let Some(row) = self.info.handlers.get(handler) else {
                break;
            };
            if self.bci < u32::from(row.start) {
                self.quiet_until = self.quiet_until.min(u32::from(row.start));
                continue;
            }
            if active.merged || self.bci >= u32::from(row.end) {
                continue;
            }
            active.merged = true;
            let target = i64::from(row.target);
            let stack = std::mem::take(&mut self.stack);
            self.push(self.catches.get(handler).copied().unwrap_or(Type::OBJECT))?;
            self.arrive_at(context, self.scan.block_at(target))?;
            self.stack = stack;
        }
        Ok(())
    }

    /// A constructor call on `this` may fail half way: handlers must neither use nor return it.
    pub fn throw_broken(&mut self, number: u32) -> Result<()> {
        if self.active.is_empty() {
            return Ok(());
        }
        let context = self
            .instances
            .get(number as usize)
            .map_or(0, |instance| instance.context);
        let locals = self.locals.clone();
        for local in self.locals.iter_mut().filter(|local| **local == Type::FRESH_THIS) {
            *local = Type::TOP;
        }
        self.changed = true;
        self.throw(context)?;
        self.locals = locals;
        self.changed = true;
        Ok(())
    }

    /// Takes the current frame to a block of the same chain of calls.
    pub fn arrive_at(&mut self, context: u32, block: u32) -> Result<()> {
        if block as usize >= self.scan.blocks.len() {
            return Err(self.verify("falling off the end of the code"));
        }
        let to = self.instance(context, block)?;
        self.arrive(to)
    }

    /// The block in a chain of calls.
    pub fn instance(&mut self, context: u32, block: u32) -> Result<u32> {
        if context == 0 {
            return Ok(block);
        }
        if let Some(&copy) = self.copies.get(&(context, block)) {
            return Ok(copy);
        }
        if self.instances.len() >= LARGEST_INSTANCES {
            return Err(LowerError::unsupported(
                self.bci,
                "subroutines that are too large to be copied",
            ));
        }
        let copy = self.instances.len() as u32;
        self.instances.push(Instance::new(block, context));
        self.copies.insert((context, block), copy);
        Ok(copy)
    }

    /// The instance of a known block, if control can get there.
    pub fn find(&self, context: u32, block: u32) -> u32 {
        if context == 0 {
            block
        } else {
            self.copies.get(&(context, block)).copied().unwrap_or(NONE)
        }
    }

    pub fn arrive(&mut self, to: u32) -> Result<()> {
        self.spend(self.locals.len() + self.stack.len() + 1)?;
        let Some(&instance) = self.instances.get(to as usize) else {
            return Ok(());
        };
        let mut changed = !instance.reached();
        if changed {
            let frame = self.arena.len() as u32;
            self.arena.extend_from_slice(&self.locals);
            self.arena.extend_from_slice(&self.stack);
            if let Some(instance) = self.instances.get_mut(to as usize) {
                (instance.frame, instance.depth, instance.fresh) = (frame, self.stack.len() as u32, self.fresh);
            }
        } else {
            if instance.depth as usize != self.stack.len() {
                let what = format!("inconsistent stack height {} != {}", self.stack.len(), instance.depth);
                return Err(self.verify(what));
            }
            let old = self.arena.get_mut(instance.frame as usize..).unwrap_or(&mut []);
            let now = self.locals.iter().chain(&self.stack);
            for (slot, (old, &now)) in old.iter_mut().zip(now).enumerate() {
                if *old == now {
                    continue;
                }
                let joined = self.types.join(*old, now);
                if joined == Type::TOP && slot >= self.locals.len() {
                    let (old, now) = (self.types.describe(*old), self.types.describe(now));
                    return Err(LowerError::verify(
                        self.bci,
                        format!("mismatched stack types {now} and {old}"),
                    ));
                }
                changed |= joined != *old;
                *old = joined;
            }
            changed |= self.fresh && !instance.fresh;
            if let Some(instance) = self.instances.get_mut(to as usize) {
                instance.fresh |= self.fresh;
            }
        }
        if changed {
            if let Some(instance) = self.instances.get_mut(to as usize) {
                instance.queued = true;
            }
            self.lowest = self.lowest.min(to as usize);
        }
        Ok(())
    }

    /// The stack slots with which control enters an instance.
    pub fn entry_stack(&self, number: u32) -> &[Type] {
        let Some(instance) = self.instances.get(number as usize) else {
            return &[];
        };
        let start = instance.frame as usize + self.locals.len();
        self.arena.get(start..start + instance.depth as usize).unwrap_or(&[])
    }

    /// Control goes to the targets of a jump or switch besides or instead of the next instruction.
    pub fn branch(&mut self, insn: &Insn, number: u32) -> Result<()> {
        let context = self
            .instances
            .get(number as usize)
            .map_or(0, |instance| instance.context);
        if !matches!(insn.op, TABLESWITCH | LOOKUPSWITCH) {
            return self.arrive_at(context, insn.a);
        }
        let table = self.scan.switch(insn);
        self.arrive_at(context, self.scan.block_at(table.default()))?;
        let mut last = table.default();
        for case in 0..table.cases {
            let (_, target) = table.case(case);
            if target != last {
                self.arrive_at(context, self.scan.block_at(target))?;
            }
            last = target;
        }
        Ok(())
    }
}
