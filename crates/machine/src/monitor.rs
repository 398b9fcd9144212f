//! Monitors and waiting.

use crate::layout::{OWNER_BITS, OWNER_MASK, status, thread};
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;

impl Machine<'_> {
    /// Whether a monitor is free or the thread's own.
    pub fn can_enter(&self, object: Address, who: u32) -> bool {
        let owner = self.memory.load(self.lock_cell(object)) & OWNER_MASK;
        owner == 0 || owner == who + 1
    }

    /// Takes a monitor once more for the running thread, if nobody else has it.
    pub fn try_enter(&mut self, object: Address) -> bool {
        let cell = self.lock_cell(object);
        let lock = self.memory.load(cell);
        if lock == 0 {
            self.memory.store(cell, (1 << OWNER_BITS) | (self.current() + 1));
        } else if lock & OWNER_MASK == self.current() + 1 {
            self.memory.store(cell, lock + (1 << OWNER_BITS));
        } else {
            return false;
        }
        true
    }

    /// The running thread wants a monitor that another has.
    pub(crate) fn block_on(&mut self, object: Address) {
        self.set_thread_word(self.current(), thread::STATUS, status::BLOCKED);
        self.set_thread_word(self.current(), thread::BLOCKER, object);
    }

    /// Gives a monitor back once.
    #[inline]
    pub fn exit_monitor(&mut self, object: Address) -> Result<(), Trap> {
        let cell = self.lock_cell(object);
        let lock = self.memory.load(cell);
        if lock & OWNER_MASK != self.current() + 1 {
            return raise("java/lang/IllegalMonitorStateException", "current thread is not owner");
        }
        let left = lock - (1 << OWNER_BITS);
        self.memory.store(cell, if left >> OWNER_BITS == 0 { 0 } else { left });
        Ok(())
    }

    /// Whether the running thread holds a monitor.
    pub fn holds(&self, object: Address) -> bool {
        self.memory.load(self.lock_cell(object)) & OWNER_MASK == self.current() + 1
    }

    /// Gives a monitor up altogether, to wait; returns how often it was held.
    pub fn release_all(&mut self, object: Address) -> u32 {
        let cell = self.lock_cell(object);
        let count = self.memory.load(cell) >> OWNER_BITS;
        self.memory.store(cell, 0);
        count
    }

    /// Takes a monitor back as often as it was held; `false` if another has it.
    pub fn take_back(&mut self, object: Address, count: u32) -> bool {
        let cell = self.lock_cell(object);
        if self.memory.load(cell) != 0 {
            return false;
        }
        self.memory.store(cell, (count << OWNER_BITS) | (self.current() + 1));
        true
    }
}
