//! Tells apart the variables that share a register.
//!
//! A register is used again and again for values that have nothing to do with each other. A *live range* is a set of writes to one
//! register that reach a common read (or live point where control flows together); each live range is a variable of its own, so
//! that unifying what goes through a register does not unify everything that ever went through it.
//!
//! One pass is enough: live ranges are classes of a union, and a union has no direction.

use program::ir::{Code, Pc, Reg, RegisterKind};

/// The variables of one method while it is gone through from its first instruction to its last.
pub(crate) struct LiveRanges<'c> {
    code: &'c Code,
    parents: Vec<u32>,
    /// Block of each instruction.
    blocks: Vec<u32>,
    /// Positions in `code.registers` of the reference registers, by frame word.
    positions: Vec<Option<usize>>,
    /// The variable in each register, by position, at the instruction that is being looked at.
    current: Vec<u32>,
}

impl<'c> LiveRanges<'c> {
    /// Before the first instruction.
    pub fn new(code: &'c Code) -> LiveRanges<'c> {
        let mut leaders = vec![false; code.instrs.len() + 1];
        leaders[0] = true;
        for (pc, instr) in code.instrs.iter().enumerate() {
            let mut jumps = !instr.falls_through();
            instr.targets(code, |target| {
                jumps = true;
                if let Some(leader) = leaders.get_mut(target as usize) {
                    *leader = true;
                }
            });
            leaders[pc + 1] |= jumps;
        }
        for handler in &code.handlers {
            if let Some(leader) = leaders.get_mut(handler.target as usize) {
                *leader = true;
            }
        }
        let mut block = 0;
        let mut blocks = Vec::with_capacity(code.instrs.len());
        for (pc, &leader) in leaders.iter().take(code.instrs.len()).enumerate() {
            block += u32::from(leader && pc > 0);
            blocks.push(block);
        }
        let mut positions = vec![None; usize::from(code.frame_words) + 1];
        for (position, register) in code.registers.iter().enumerate() {
            if register.kind == RegisterKind::Ref
                && let Some(slot) = positions.get_mut(usize::from(register.reg))
            {
                *slot = Some(position);
            }
        }
        let count = code.registers.len();
        let entries = (block as usize + 1) * count;
        LiveRanges {
            code,
            parents: (0..entries as u32).collect(),
            blocks,
            positions,
            current: (0..count as u32).collect(),
        }
    }

    /// A variable that is in no register.
    pub fn fresh(&mut self) -> u32 {
        let id = self.parents.len() as u32;
        self.parents.push(id);
        id
    }

    /// Begins to look at an instruction.
    pub fn enter(&mut self, pc: Pc) {
        let block = self.blocks[pc as usize];
        if pc == 0 || self.blocks[pc as usize - 1] != block {
            let count = self.current.len() as u32;
            for (position, current) in self.current.iter_mut().enumerate() {
                *current = block * count + position as u32;
            }
        }
        let code = self.code;
        if code.instrs[pc as usize].may_throw() {
            for handler in code.handlers.iter().filter(|h| h.start <= pc && pc < h.end) {
                self.join(handler.target, Some(handler.reg));
            }
        }
    }

    /// The variable in a register; `None` if the register holds no references.
    pub fn read(&self, reg: Reg) -> Option<u32> {
        let position = (*self.positions.get(usize::from(reg))?)?;
        Some(self.current[position])
    }

    /// A new variable in a register; `None` if the register holds no references.
    pub fn write(&mut self, reg: Reg) -> Option<u32> {
        let position = (*self.positions.get(usize::from(reg))?)?;
        let id = self.fresh();
        self.current[position] = id;
        Some(id)
    }

    /// The variable that a handler gets its exception in.
    pub fn caught(&self, target: Pc, reg: Reg) -> Option<u32> {
        let position = (*self.positions.get(usize::from(reg))?)?;
        let block = *self.blocks.get(target as usize)?;
        Some(block * self.current.len() as u32 + position as u32)
    }

    /// Ends looking at an instruction.
    pub fn leave(&mut self, pc: Pc) {
        let code = self.code;
        let instr = code.instrs[pc as usize];
        let mut targets = Vec::new();
        instr.targets(code, |target| targets.push(target));
        let next = pc + 1;
        if instr.falls_through()
            && self
                .blocks
                .get(next as usize)
                .is_some_and(|&block| block != self.blocks[pc as usize])
        {
            targets.push(next);
        }
        for target in targets {
            self.join(target, None);
        }
    }

    fn join(&mut self, target: Pc, except: Option<Reg>) {
        let Some(&block) = self.blocks.get(target as usize) else {
            return;
        };
        let count = self.current.len();
        let live = self.code.liveness();
        for position in 0..count {
            let register = self.code.registers[position];
            if register.kind == RegisterKind::Ref && Some(register.reg) != except && live.is_live(target, position) {
                let (a, b) = (self.current[position], block * count as u32 + position as u32);
                let (a, b) = (self.find(a), self.find(b));
                self.parents[a as usize] = b;
            }
        }
    }

    /// The one that stands for all of a variable's parts, once every instruction was looked at.
    pub fn find(&mut self, mut id: u32) -> u32 {
        while self.parents[id as usize] != id {
            let above = self.parents[self.parents[id as usize] as usize];
            self.parents[id as usize] = above;
            id = above;
        }
        id
    }
}
