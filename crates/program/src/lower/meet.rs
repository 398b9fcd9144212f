//! Where blocks meet: all ways in must agree on where each entry of the operand stack lies.
//!
//! The first arrival decides, and the others move their values to where it wants them. If one cannot, the method is
//! translated again with a plainer agreement for that block.

use super::infer::NONE;
use super::kinds::{kind_of_type, stored_kind};
use super::opcode::ASTORE;
use super::registers::Home;
use super::scan::{CAUGHT, JUMPED, SPLIT};
use super::stack::{Entry, Value, range};
use super::translate::Builder;
use crate::ir::{Reg, RegisterKind};

impl Builder<'_, '_> {
    /// Begins a block: the stack is what all ways in have agreed on.
    pub fn enter(&mut self, number: u32) {
        while !self.stack.is_empty() {
            self.pop();
        }
        let block = self
            .infer
            .instances
            .get(number as usize)
            .map_or(0, |instance| instance.block);
        if !self.infer.entry_stack(number).is_empty() {
            self.agree(number, block);
            let (start, count) = self.states.get(number as usize).copied().unwrap_or((NONE, 0));
            for index in start as usize..start as usize + count as usize {
                let Some(&Entry { value, range, .. }) = self.agreed.get(index) else {
                    break;
                };
                self.push(value, range);
            }
        }
        for entry in &mut self.stack {
            entry.inherited = true;
        }
        self.block_start = self.instrs.len();
        self.constants_held.clear();
    }

    /// Makes sure that there is an agreement: the plainest if no way in has been translated yet.
    fn agree(&mut self, number: u32, block: u32) {
        if self.states.get(number as usize).is_some_and(|state| state.0 != NONE) {
            return;
        }
        let start = self.agreed.len();
        for (slot, &one) in self.infer.entry_stack(number).iter().enumerate() {
            let slot = slot as u32;
            if !one.is_second() {
                let value = if one.as_address().is_some() {
                    Value::Address
                } else {
                    Value::Reg(match self.catch_register(block) {
                        Some(caught) => caught,
                        None => self.registers.stack(slot, kind_of_type(one)),
                    })
                };
                self.agreed.push(Entry {
                    value,
                    slot,
                    range: 0,
                    inherited: true,
                });
            }
        }
        if let Some(state) = self.states.get_mut(number as usize) {
            *state = (start as u32, (self.agreed.len() - start) as u32);
        }
    }

    /// Where a block that handles exceptions wants the exception; `None` for other blocks.
    pub fn catch_register(&mut self, block: u32) -> Option<Reg> {
        let first = *self.infer.scan.first(block)?;
        if first.marks & CAUGHT == 0 {
            return None;
        }
        // A handler that begins with a store gets the exception right there, if it is nothing but a handler.
        let falls_in = first.bci > 0
            && self.infer.scan.blocks.get(block as usize - 1).is_some_and(|before| {
                self.infer
                    .scan
                    .insns
                    .get(before.end as usize - 1)
                    .is_some_and(|last| !last.ends())
            });
        let only = first.marks & JUMPED == 0 && first.bci > 0 && !falls_in;
        Some(if only && first.op == ASTORE {
            self.registers.local(first.a, RegisterKind::Ref)
        } else {
            self.registers.stack(0, RegisterKind::Ref)
        })
    }

    /// Where an entry lies when blocks meet and nothing better is known.
    fn meeting_place(&mut self, block: u32, entry: Entry, is_top: bool) -> Value {
        if entry.value == Value::Address {
            return Value::Address;
        }
        let kind = self.kind_of(entry.value);
        // A block that begins by storing the value lets everybody store it.
        if is_top
            && !self.is_plain(block)
            && let Some(first) = self.infer.scan.first(block)
            && first.marks & (SPLIT | CAUGHT) == 0
            && stored_kind(first.op) == Some(kind)
        {
            return Value::Reg(self.registers.local(first.a, kind));
        }
        Value::Reg(self.registers.stack(entry.slot, kind))
    }

    /// Brings the stack, but for the `operands` topmost entries, into the form that a block wants. `split` tells that
    /// control may also go elsewhere from here.
    pub fn arrive(&mut self, to: u32, operands: usize, split: bool) {
        let count = self.stack.len().saturating_sub(operands);
        let Some(instance) = self.infer.instances.get(to as usize).copied() else {
            return;
        };
        if count == 0 {
            return;
        }
        let block = instance.block;
        if self
            .infer
            .scan
            .first(block)
            .is_some_and(|first| first.marks & CAUGHT != 0)
        {
            self.agree(to, block);
        }
        let (start, _) = self.states.get(to as usize).copied().unwrap_or((NONE, 0));
        let known = start != NONE;
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        let mut moves = false;
        for index in 0..count {
            let Some(&entry) = self.stack.get(index) else { break };
            let place = self.meeting_place(block, entry, index + 1 == count);
            let want = if known {
                self.agreed
                    .get(start as usize + index)
                    .map_or(place, |agreed| agreed.value)
            } else if self.is_plain(block) || !split && (!entry.inherited || self.is_displaced(entry)) {
                place
            } else {
                entry.value
            };
            if want != entry.value {
                moves = true;
                // Only the meeting place may be written for somebody else's sake, and a local variable only on the way out.
                let local = matches!(want, Value::Reg(reg) if !self.registers.is_stack(reg));
                if want != place || split && local {
                    self.conflict = Some(block);
                }
            }
            wanted.push(want);
        }
        if moves && self.conflict.is_none() {
            self.shift(&wanted);
            let reached = self.stack.iter().zip(&wanted).all(|(entry, want)| entry.value == *want);
            if !reached {
                self.conflict = Some(block);
            }
        }
        self.wanted = wanted;
        self.remember(to, block, count, start);
    }

    fn remember(&mut self, to: u32, block: u32, count: usize, start: u32) {
        let translated = self.starts.get(to as usize).is_some_and(|&pc| pc != NONE);
        if start == NONE {
            let state = (self.agreed.len() as u32, count as u32);
            let ranges = if self.is_plain(block) { 0 } else { range::ALL };
            self.agreed.extend(self.stack.iter().take(count).map(|entry| Entry {
                range: entry.range & ranges,
                ..*entry
            }));
            if let Some(slot) = self.states.get_mut(to as usize) {
                *slot = state;
            }
            return;
        }
        for index in 0..count {
            let (Some(entry), Some(agreed)) = (self.stack.get(index), self.agreed.get_mut(start as usize + index))
            else {
                break;
            };
            if agreed.range & !entry.range != 0 {
                agreed.range &= entry.range;
                if translated {
                    self.conflict = Some(block);
                }
            }
        }
    }

    /// After all arrivals of an instruction with several targets: a later one may have moved what an earlier one found.
    pub fn confirm(&mut self, to: u32, operands: usize) {
        let count = self.stack.len().saturating_sub(operands);
        let (start, _) = self.states.get(to as usize).copied().unwrap_or((NONE, 0));
        for index in 0..count {
            let agreed = self.agreed.get(start as usize + index).map(|agreed| agreed.value);
            if agreed != self.stack.get(index).map(|entry| entry.value) && self.conflict.is_none() {
                self.conflict = self.infer.instances.get(to as usize).map(|instance| instance.block);
            }
        }
    }

    /// A stack register that is not the one of its slot.
    fn is_displaced(&self, entry: Entry) -> bool {
        match entry.value {
            Value::Reg(reg) => matches!(self.registers.home(reg), Home::Stack(slot) if slot != entry.slot),
            _ => false,
        }
    }

    /// Moves entries to the places wanted for them, as if all at once.
    fn shift(&mut self, wanted: &[Value]) {
        let mut pending: Vec<usize> = (0..wanted.len())
            .filter(|&index| self.stack.get(index).map(|entry| entry.value) != wanted.get(index).copied())
            .collect();
        while !pending.is_empty() {
            let before = pending.len();
            pending.retain(|&index| {
                let (Some(&Value::Reg(to)), Some(entry)) = (wanted.get(index), self.stack.get(index)) else {
                    return false;
                };
                if entry.value == Value::Reg(to) {
                    return false;
                }
                if self.registers.held(to) > 0 {
                    return true;
                }
                self.set(to, entry.value);
                self.replace(index, Value::Reg(to));
                false
            });
            if pending.len() < before {
                continue;
            }
            // Each wanted place is taken by another entry: one of them makes room.
            let Some(&Value::Reg(taken)) = pending.first().and_then(|&index| wanted.get(index)) else {
                return;
            };
            let room = self.registers.scratch(self.deepest, self.registers.kind(taken));
            self.set(room, Value::Reg(taken));
            for index in 0..self.stack.len() {
                if self
                    .stack
                    .get(index)
                    .is_some_and(|entry| entry.value == Value::Reg(taken))
                {
                    self.replace(index, Value::Reg(room));
                }
            }
        }
    }
}
