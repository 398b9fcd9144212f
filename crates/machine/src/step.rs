//! What is known about the step that is being taken.
//!
//! All of it is about one step: it is set when the step begins, and means nothing after its end. Room for lists is kept from step to step.

use crate::memory::Address;
use crate::system::Action;
use kernel::{MemoryAccess, Transitions};

/// The step at hand.
#[derive(Default)]
pub(crate) struct Step {
    /// What it is about to touch, if that is noted, and whether nobody knows.
    written: Vec<MemoryAccess>,
    wild: bool,
    /// Its footprint, until a native method has been compared with it (`audit`).
    declared: Vec<MemoryAccess>,
    /// Whether it has yet to touch something that others may see.
    fresh: bool,
    /// Frame and instruction with which it began.
    began: (Address, u32),
    /// Which alternative a native method that has several takes, counted from 0.
    choice: u32,
    /// Whether its thread gives way to the others.
    yielding: bool,
    room: Transitions<Action>,
    escaping: Vec<Address>,
}

impl Step {
    /// The thread is put where its step begins.
    pub(crate) fn begin(&mut self, frame: Address, pc: u32, fresh: bool) {
        self.fresh = fresh;
        self.began = (frame, pc);
    }

    /// Whether the step began with this instruction.
    #[inline(always)]
    pub(crate) fn began_with(&self, frame: Address, pc: u32) -> bool {
        self.began == (frame, pc)
    }

    /// Whether nothing was touched so far that others may see.
    #[inline(always)]
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Says whether that is so.
    #[inline(always)]
    pub(crate) fn set_fresh(&mut self, fresh: bool) {
        self.fresh = fresh;
    }

    /// What the step is about to touch, if that is noted.
    pub(crate) fn written(&self) -> &[MemoryAccess] {
        &self.written
    }

    /// Whether it is about to call a native method of which nobody knows what it accesses.
    pub(crate) fn is_wild(&self) -> bool {
        self.wild
    }

    /// Notes that the step touches nothing of which anybody wants to know.
    pub(crate) fn forget_written(&mut self) {
        self.written.clear();
    }

    /// Notes what the step is about to touch.
    pub(crate) fn note_written(&mut self, transitions: &Transitions<Action>, wild: bool) {
        self.written.clear();
        for entry in transitions.entries() {
            self.written.extend_from_slice(transitions.footprint(entry));
        }
        self.wild = wild;
    }

    /// What the step is about to touch, to be put back.
    pub(crate) fn take_written(&mut self) -> Vec<MemoryAccess> {
        std::mem::take(&mut self.written)
    }

    /// Puts it back.
    pub(crate) fn put_written(&mut self, written: Vec<MemoryAccess>) {
        self.written = written;
    }

    /// Notes the footprint of the step, for the native method that it may begin with.
    pub(crate) fn declare(&mut self, footprint: Vec<MemoryAccess>) {
        self.declared = footprint;
    }

    /// That footprint, which is for the first native method alone.
    pub(crate) fn take_declared(&mut self) -> Vec<MemoryAccess> {
        std::mem::take(&mut self.declared)
    }

    /// Which alternative a native method takes.
    pub(crate) fn choice(&self) -> u32 {
        self.choice
    }

    /// Says which.
    pub(crate) fn choose(&mut self, choice: u32) {
        self.choice = choice;
    }

    /// The thread gives way to the others, or does not.
    pub(crate) fn set_yielding(&mut self, yielding: bool) {
        self.yielding = yielding;
    }

    /// Whether it gives way; asked once.
    #[inline]
    pub(crate) fn take_yielding(&mut self) -> bool {
        std::mem::take(&mut self.yielding)
    }

    /// Room for transitions, empty, to be put back.
    pub(crate) fn take_room(&mut self) -> Transitions<Action> {
        let mut room = std::mem::take(&mut self.room);
        room.clear();
        room
    }

    /// Puts it back.
    pub(crate) fn put_room(&mut self, room: Transitions<Action>) {
        self.room = room;
    }

    /// Room for objects that are to be followed, empty, to be put back.
    pub(crate) fn take_escaping(&mut self) -> Vec<Address> {
        let mut escaping = std::mem::take(&mut self.escaping);
        escaping.clear();
        escaping
    }

    /// Puts it back.
    pub(crate) fn put_escaping(&mut self, escaping: Vec<Address>) {
        self.escaping = escaping;
    }
}
