//! What is wrong with a state by itself: circles of locks, uncaught exceptions, locks that nobody can give back; `race` is about
//! data races.
//!
//! A flaw is named by a number that is the same wherever the same defect is met: made from the places in the code, not from
//! objects.

use crate::inspect::{Frame, Wait};
use crate::layout::{INFLATED, LOCK, OWNER_MASK, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::system::Action;
use kernel::{Flaw, Menu, Property};
use program::world::LoaderId;

/// Mixes words into a number.
pub(crate) fn mix(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Machine<'_> {
    /// The threads that wait for each other's locks in a circle; empty if there is none.
    pub fn circle(&mut self) -> Vec<u32> {
        let highest = self.highest_thread();
        for start in 0..=highest {
            let mut members = Vec::new();
            let mut at = start;
            while let Some(next) = self.holder_awaited(at) {
                members.push(at);
                if next == start {
                    return members;
                }
                if members.contains(&next) {
                    break;
                }
                at = next;
            }
        }
        Vec::new()
    }

    /// Who has what a thread waits for without a limit, if only that one can give it back.
    fn holder_awaited(&mut self, number: u32) -> Option<u32> {
        match self.wait_of(number) {
            Wait::Monitor { owner: Some(owner), .. } if owner != number => Some(owner),
            Wait::Class { owner, .. } if owner != number => Some(owner),
            Wait::Lock {
                owner: Some(owner),
                firmly: true,
                ..
            } if owner != number => Some(owner),
            _ => None,
        }
    }

    /// Names the circle, if there is one.
    pub(crate) fn circle_key(&mut self) -> Option<u64> {
        let members = self.circle();
        (!members.is_empty()).then(|| self.places_key(members))
    }

    fn places_key(&mut self, members: Vec<u32>) -> u64 {
        let mut places: Vec<(u32, u32)> = members.into_iter().map(|number| self.user_position(number)).collect();
        places.sort_unstable();
        mix(places.into_iter().flat_map(|(method, pc)| [method, pc]))
    }

    /// Names a state in which nobody can move.
    pub(crate) fn stuck(&mut self) -> u64 {
        if let Some(key) = self.circle_key() {
            return key;
        }
        let alive = (0..=self.highest_thread())
            .filter(|&number| !matches!(self.thread_word(number, thread::STATUS), status::FREE | status::ENDING))
            .collect();
        self.places_key(alive)
    }

    /// Method and instruction of a thread in the program's own code, or in its topmost frame.
    pub fn user_position(&self, number: u32) -> (u32, u32) {
        let top = self.top_frame(number);
        let mut at = top;
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            if self.is_users(self.program.method(id)) {
                return (id, pc);
            }
            at = caller;
        }
        if top == 0 {
            return (0, 0);
        }
        let (id, pc, _) = self.frame_at(top);
        (id, pc)
    }

    /// Names an uncaught exception by its class and where it was thrown.
    pub(crate) fn exception_key(&mut self, exception: Address) -> Option<u64> {
        if exception == 0 {
            return None;
        }
        let class = self.class_of(exception);
        let (method, bci) = self.thrown_at(exception).unwrap_or((0, 0));
        Some(mix([class, method, bci.into()]))
    }

    /// Method and bytecode index of the program's own code in which an exception was made, or else the innermost ones.
    pub fn thrown_at(&self, exception: Address) -> Option<(u32, u16)> {
        let trace = self.memory.load(exception + self.known.throwable_backtrace);
        if trace == 0 || self.class_of(trace) != self.known.int_array {
            return None;
        }
        let frame = |position: u32| (self.element(trace, position), self.element(trace, position + 1) as u16);
        let count = self.array_length(trace) / 2;
        let users = (0..count)
            .map(|position| frame(position * 2))
            .find(|&(method, _)| self.is_users(self.program.method(method)));
        users.or_else(|| (count > 0).then(|| frame(0)))
    }

    /// The frames in which an exception was made, innermost first.
    pub fn thrown_frames(&self, exception: Address) -> Vec<Frame> {
        let trace = self.memory.load(exception + self.known.throwable_backtrace);
        if trace == 0 || self.class_of(trace) != self.known.int_array {
            return Vec::new();
        }
        (0..self.array_length(trace) / 2)
            .map(|position| {
                let (method, bci) = (self.element(trace, position * 2), self.element(trace, position * 2 + 1));
                self.frame(method, bci as u16)
            })
            .collect()
    }

    /// Adds a flaw for each lock that only a finished thread could give back, if that is asked for.
    pub(crate) fn left_locks(&mut self, menu: &mut Menu<Action>) {
        if !self.manner.locks {
            return;
        }
        for object in self.locks_left() {
            let class = self.class_of(object);
            menu.flaws.push(Flaw {
                property: Property::Lock,
                key: mix([class]),
            });
        }
    }

    /// The young objects that some thread still can reach and whose monitor or lock belongs to a thread that is over.
    pub fn locks_left(&mut self) -> Vec<Address> {
        const OWNABLE: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
        let ownable = self.program.load(LoaderId::BOOT, OWNABLE).ok();
        let owner = self.find_offset(OWNABLE, "exclusiveOwnerThread");
        let mut left = Vec::new();
        for object in self.young_objects() {
            let lock = self.memory.load(object + LOCK);
            let holder = if lock & INFLATED != 0 {
                self.memory.load(self.lock_cell(object)) & OWNER_MASK
            } else {
                lock & OWNER_MASK
            };
            let by_monitor = holder != 0 && self.thread_word(holder - 1, thread::STATUS) == status::FREE;
            let by_lock = match (ownable, owner) {
                (Some(ownable), Some(offset)) if self.program.is_subclass(self.class_of(object), ownable) => {
                    let thread = self.memory.load(object + offset);
                    thread != 0 && self.thread_of(thread).is_none()
                }
                _ => false,
            };
            if by_monitor || by_lock {
                left.push(object);
            }
        }
        left
    }
}
