//! The symbolic operand stack of the translator.
//!
//! An entry is a register or a constant, so loads, constants and stack shuffling emit nothing. A value that an
//! instruction makes goes to the register of its stack slot; if a store follows, to that of the local variable instead.

use super::translate::Builder;
use crate::ir::{Call, Instr, Reg, RegisterKind};

/// Ranges that a word is known to be in, as bits.
pub(super) mod range {
    pub const BOOLEAN: u8 = 1;
    pub const BYTE: u8 = 2;
    pub const CHAR: u8 = 4;
    pub const SHORT: u8 = 8;
    pub const ALL: u8 = 15;

    /// The ranges that hold an int.
    pub fn of(value: i32) -> u8 {
        let holds = |bit: u8, low: i32, high: i32| if (low..=high).contains(&value) { bit } else { 0 };
        holds(BOOLEAN, 0, 1) | holds(BYTE, -128, 127) | holds(CHAR, 0, 0xFFFF) | holds(SHORT, -0x8000, 0x7FFF)
    }
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Reg(Reg),
    Word(u32),
    Wide(u64),
    Null,
    /// A return address: known statically, so it lies nowhere.
    Address,
}

/// An entry of the symbolic stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub value: Value,
    /// First stack slot.
    pub slot: u32,
    /// Ranges it is known to be in.
    pub range: u8,
    /// It was there when the block was entered.
    pub inherited: bool,
}

/// How far back a store looks for the instruction that made its value; how many constants are kept in mind.
const REACH: usize = 12;

impl Builder<'_, '_> {
    pub fn kind_of(&self, value: Value) -> RegisterKind {
        match value {
            Value::Reg(reg) => self.registers.kind(reg),
            Value::Word(_) => RegisterKind::Word,
            Value::Wide(_) => RegisterKind::Wide,
            Value::Null | Value::Address => RegisterKind::Ref,
        }
    }

    /// The first free stack slot.
    fn depth(&self) -> u32 {
        match self.stack.last() {
            Some(top) => {
                top.slot
                    + if self.kind_of(top.value) == RegisterKind::Wide {
                        2
                    } else {
                        1
                    }
            }
            None => 0,
        }
    }

    pub fn push(&mut self, value: Value, range: u8) {
        if let Value::Reg(reg) = value {
            self.registers.hold(reg);
        }
        let slot = self.depth();
        self.stack.push(Entry {
            value,
            slot,
            range,
            inherited: false,
        });
    }

    pub fn pop(&mut self) -> Entry {
        let Some(entry) = self.stack.pop() else {
            // The inference has counted the entries; if it is wrong, the method is refused at the end.
            self.broken = true;
            return Entry {
                value: Value::Word(0),
                slot: 0,
                range: 0,
                inherited: false,
            };
        };
        if let Value::Reg(reg) = entry.value {
            self.registers.release(reg);
        }
        entry
    }

    /// Takes an entry that nobody wants: what made it may have been for nothing.
    pub fn discard(&mut self) {
        let Value::Reg(reg) = self.pop().value else { return };
        if !self.registers.is_stack(reg) || self.registers.held(reg) > 0 || self.instrs.len() <= self.block_start {
            return;
        }
        match self.instrs.last() {
            Some(&Instr::Call { site }) => {
                if let Some(call) = self.calls.get_mut(site as usize)
                    && call.dest == reg
                {
                    call.dest = Call::NO_RESULT;
                }
            }
            Some(last) if last.destination() == Some(reg) && !last.may_throw() => {
                self.instrs.pop();
                self.bcis.pop();
                self.constants_held.clear();
            }
            _ => {}
        }
    }

    /// A register for a value of a stack slot: the slot's own unless another entry lies there.
    fn register_for(&mut self, slot: u32, kind: RegisterKind) -> Reg {
        let own = self.registers.stack(slot, kind);
        if self.registers.held(own) == 0 {
            own
        } else {
            self.registers.scratch(self.deepest, kind)
        }
    }

    /// Pushes the register that the next instruction writes its result to.
    pub fn result(&mut self, kind: RegisterKind, range: u8) -> Reg {
        let slot = self.depth();
        let reg = self.register_for(slot, kind);
        self.push(Value::Reg(reg), range);
        reg
    }

    /// Puts constants among the top entries into registers.
    pub fn force(&mut self, entries: usize) {
        let first = self.stack.len().saturating_sub(entries);
        for index in first..self.stack.len() {
            let Some(&Entry { value, slot, .. }) = self.stack.get(index) else {
                return;
            };
            if matches!(value, Value::Reg(_) | Value::Address) {
                continue;
            }
            let reg = match self.constants_held.iter().find(|held| held.1 == value) {
                Some(held) => held.0,
                None => {
                    let reg = self.register_for(slot, self.kind_of(value));
                    self.set(reg, value);
                    if self.constants_held.len() < REACH {
                        self.constants_held.push((reg, value));
                    }
                    reg
                }
            };
            self.replace(index, Value::Reg(reg));
        }
    }

    pub fn replace(&mut self, index: usize, value: Value) {
        if let Some(entry) = self.stack.get_mut(index) {
            if let Value::Reg(old) = entry.value {
                self.registers.release(old);
            }
            if let Value::Reg(new) = value {
                self.registers.hold(new);
            }
            entry.value = value;
        }
    }

    /// Takes the top entry as a register.
    pub fn pop_register(&mut self) -> Reg {
        self.force(1);
        match self.pop().value {
            Value::Reg(reg) => reg,
            _ => {
                self.broken = true;
                0
            }
        }
    }

    /// Takes the two top entries as registers, the lower one first.
    pub fn pop_registers(&mut self) -> (Reg, Reg) {
        self.force(2);
        let upper = self.pop_register();
        (self.pop_register(), upper)
    }

    /// Writes a value to a register.
    pub fn set(&mut self, d: Reg, value: Value) {
        self.emit(match value {
            Value::Reg(s) if s == d => return,
            Value::Reg(s) if self.registers.kind(d) == RegisterKind::Wide => Instr::MoveWide { d, s },
            Value::Reg(s) => Instr::Move { d, s },
            Value::Word(value) => Instr::Const { d, value },
            Value::Null => Instr::Const { d, value: 0 },
            Value::Wide(value) => Instr::ConstWide { d, value },
            Value::Address => return,
        });
    }

    /// A local variable is about to change: entries that are its register keep their value elsewhere.
    pub fn save(&mut self, local: Reg) {
        if self.registers.held(local) == 0 {
            return;
        }
        let mut saved = None;
        for index in 0..self.stack.len() {
            let Some(entry) = self.stack.get(index) else { break };
            if entry.value != Value::Reg(local) {
                continue;
            }
            let slot = entry.slot;
            let to = match saved {
                Some(to) => to,
                None => {
                    let to = self.register_for(slot, self.registers.kind(local));
                    self.set(to, Value::Reg(local));
                    to
                }
            };
            saved = Some(to);
            self.replace(index, Value::Reg(to));
        }
    }

    /// Takes the top entry and writes it to a local variable.
    pub fn store(&mut self, slot: u32, kind: RegisterKind) {
        let entry = self.pop();
        if entry.value == Value::Address {
            return;
        }
        let local = self.registers.local(slot, kind);
        self.narrow_local(local, entry.range);
        if entry.value == Value::Reg(local) {
            return;
        }
        self.save(local);
        if let Value::Reg(made) = entry.value
            && self.registers.is_stack(made)
            && self.retarget(made, local)
        {
            return;
        }
        self.set(local, entry.value);
    }

    /// Lets the instruction that made a value write it to a local variable at once, if nobody can tell.
    fn retarget(&mut self, made: Reg, local: Reg) -> bool {
        let end = self.instrs.len();
        let oldest = self.block_start.max(end.saturating_sub(REACH));
        let mut at = end;
        loop {
            if at == oldest {
                return false;
            }
            at -= 1;
            if self.destination_at(at) == Some(made) {
                break;
            }
            if self.mentions(at, local) {
                return false;
            }
        }
        // A handler that runs in between would see the new value too early.
        if at + 1 < end {
            if (at + 1..end).any(|pc| self.is_covered(pc)) {
                return false;
            }
            for pc in at + 1..end {
                self.rename_uses(pc, made, local);
            }
        }
        self.set_destination(at, local);
        for index in 0..self.stack.len() {
            if self.registers.held(made) == 0 {
                break;
            }
            if self
                .stack
                .get(index)
                .is_some_and(|entry| entry.value == Value::Reg(made))
            {
                self.replace(index, Value::Reg(local));
            }
        }
        true
    }

    fn destination_at(&self, pc: usize) -> Option<Reg> {
        match self.instrs.get(pc)? {
            Instr::Call { site } => self.calls.get(*site as usize).map(|call| call.dest),
            instr => instr.destination(),
        }
    }

    fn set_destination(&mut self, pc: usize, to: Reg) {
        match self.instrs.get_mut(pc) {
            Some(Instr::Call { site }) => {
                if let Some(call) = self.calls.get_mut(*site as usize) {
                    call.dest = to;
                }
            }
            Some(instr) => instr.visit(|reg, is_destination| {
                if is_destination {
                    *reg = to;
                }
            }),
            None => {}
        }
    }

    /// The part of `operands` that an instruction uses.
    fn operand_range(&self, pc: usize) -> std::ops::Range<usize> {
        let (first, count) = match self.instrs.get(pc) {
            Some(Instr::Call { site }) => match self.calls.get(*site as usize) {
                Some(call) => (call.first, u32::from(call.count)),
                None => (0, 0),
            },
            Some(Instr::NewMultiArray { first, count, .. }) => (*first, u32::from(*count)),
            _ => (0, 0),
        };
        first as usize..(first + count) as usize
    }

    fn mentions(&self, pc: usize, wanted: Reg) -> bool {
        let Some(&(mut instr)) = self.instrs.get(pc) else {
            return true;
        };
        let mut found = self.destination_at(pc) == Some(wanted);
        instr.visit(|reg, _| found |= *reg == wanted);
        found
            || self
                .operands
                .get(self.operand_range(pc))
                .unwrap_or(&[])
                .iter()
                .any(|operand| operand.0 == wanted)
    }

    fn rename_uses(&mut self, pc: usize, from: Reg, to: Reg) {
        let operands = self.operand_range(pc);
        if let Some(instr) = self.instrs.get_mut(pc) {
            instr.visit(|reg, is_destination| {
                if !is_destination && *reg == from {
                    *reg = to;
                }
            });
        }
        for operand in self.operands.get_mut(operands).unwrap_or(&mut []) {
            if operand.0 == from {
                operand.0 = to;
            }
        }
    }
}
