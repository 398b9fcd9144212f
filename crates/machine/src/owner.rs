//! Who has a lock of `java.util.concurrent`: its synchronizer names the owner in a field.

use crate::known::Queued;
use crate::layout::{HEAP, frame, thread};
use crate::link;
use crate::machine::Machine;
use crate::memory::Address;
use kernel::{Location, MemoryAccess, OwnerAccess};
use program::ir::{CallKind, Code, Instr, Pc, Reg};

impl Machine<'_> {
    /// The object of the thread that has a synchronizer, or 0.
    pub(crate) fn owner_of(&self, synchronizer: Address) -> Address {
        self.memory.load(synchronizer + self.known.synchronizer_owner)
    }

    /// Whether a synchronizer keeps its owner at a location.
    pub(crate) fn names_owner(&self, Location { object, cell }: Location) -> bool {
        object >= HEAP
            && (cell == self.known.synchronizer_owner || cell == Location::WHOLE)
            && self.program.is_subclass(self.class_of(object), self.known.synchronizer)
    }

    /// Whether a write to this location by this thread would take a synchronizer from another one.
    pub(crate) fn steals_lock(&self, number: u32, location: Location) -> bool {
        self.names_owner(location) && !self.is_own_or_none(number, self.owner_of(location.object))
    }

    fn is_own_or_none(&self, number: u32, object: Address) -> bool {
        object == 0 || object == self.thread_word(number, thread::OBJECT)
    }

    /// What an access with which the next step of a thread begins has to do with who has a synchronizer.
    pub(crate) fn owner_access(&self, number: u32, touch: MemoryAccess) -> Option<OwnerAccess> {
        let Location { object, cell } = touch.location;
        let is_own = |of: Address| self.owner_of(of) == self.thread_word(number, thread::OBJECT);
        if self.names_owner(touch.location) {
            let named = || {
                self.named_next(number)
                    .filter(|_| !self.steals_lock(number, touch.location))
            };
            return Some(match touch.access.is_read() {
                _ if cell == Location::WHOLE => OwnerAccess::Broken,
                true if is_own(object) || self.asks_for_itself(number) => OwnerAccess::Own,
                true => OwnerAccess::Broken,
                false => match named() {
                    Some(0) => OwnerAccess::Kept,
                    Some(_) => OwnerAccess::Own,
                    None => OwnerAccess::Broken,
                },
            });
        }
        if object < HEAP {
            return None;
        }
        let (class, queued) = (self.class_of(object), &self.known.queued);
        if let Some(of) = queued.iter().find(|of| of.condition == class)
            && cell != Location::MONITOR
        {
            // Who waits for a condition is kept by whoever has the lock. The lock itself is a part of the whole object.
            let lock = self.memory.load(object + of.condition_lock);
            return match () {
                () if cell == of.condition_lock => None,
                () if cell == Location::WHOLE => Some(OwnerAccess::Broken),
                () if is_own(lock) => Some(OwnerAccess::Own),
                () => Some(OwnerAccess::Broken),
            };
        }
        let keeps = |of: &Queued| cell == of.state && self.program.is_subclass(class, of.class);
        queued.iter().any(keeps).then(|| match touch.access.is_read() {
            true if is_own(object) => OwnerAccess::Own,
            false if !self.is_own_or_none(number, self.owner_of(object)) => OwnerAccess::Broken,
            _ => OwnerAccess::Kept,
        })
    }

    /// What a thread is about to write into a field, if it is itself or null.
    fn named_next(&self, number: u32) -> Option<Address> {
        let next = self.next_instruction(number)?;
        let Instr::PutField { s, .. } = next.instr else {
            return None;
        };
        Some(self.register_at(next.fp, s)).filter(|&named| self.is_own_or_none(number, named))
    }

    /// Whether of what a thread is about to read nothing is left but whether it is itself: a method reads it and returns it, and its
    /// caller only compares it with the thread.
    fn asks_for_itself(&self, number: u32) -> bool {
        let returned = self.next_instruction(number).filter(|next| {
            let (_, pc, _) = self.frame_at(next.fp);
            let Instr::GetField { d, .. } = next.instr else {
                return false;
            };
            next.code.instrs.get(pc as usize + 1) == Some(&Instr::Return { s: d })
        });
        let Some(callee) = returned else { return false };
        let fp = self.memory.load(callee.fp + frame::CALLER);
        if fp == 0 {
            return false;
        }
        let (method, pc, _) = self.frame_at(fp);
        let Some(code) = self.program.ready(self.program.method(method)) else {
            return false;
        };
        let Some(Instr::Call { site }) = code.instrs.get(pc as usize) else {
            return false;
        };
        let asked = code.calls[*site as usize].dest;
        let own = self.thread_word(number, thread::OBJECT);
        match self.current_thread_call(code, pc + 1) {
            Some(into) => into != asked && is_compared(code, pc + 2, asked, |with| with == into),
            None => is_compared(code, pc + 1, asked, |with| self.register_at(fp, with) == own),
        }
    }

    /// Where the result of `Thread.currentThread()` goes, if an instruction is a call of it.
    fn current_thread_call(&self, code: &Code, pc: Pc) -> Option<Reg> {
        let &Instr::Call { site } = code.instrs.get(pc as usize)? else {
            return None;
        };
        let call = &code.calls[site as usize];
        let wanted = link::call(link::STATIC, self.known.thread_current);
        (call.kind == CallKind::Static && call.link.get() == wanted).then_some(call.dest)
    }

    fn register_at(&self, fp: Address, register: Reg) -> u32 {
        self.memory.load(fp + frame::REGISTERS + u32::from(register))
    }
}

/// Whether an instruction compares a register with one that is fit, and the first is not used any more afterwards.
fn is_compared(code: &Code, pc: Pc, register: Reg, is_fit: impl Fn(Reg) -> bool) -> bool {
    let Some(&(Instr::IfEq { a, b, target } | Instr::IfNe { a, b, target })) = code.instrs.get(pc as usize) else {
        return false;
    };
    let with = match (a == register, b == register) {
        (true, false) => b,
        (false, true) => a,
        _ => return false,
    };
    let Some(position) = code.registers.iter().position(|one| one.reg == register) else {
        return false;
    };
    let is_used = |pc: Pc| code.liveness().is_live(pc, position);
    is_fit(with) && !is_used(pc + 1) && !is_used(target)
}
