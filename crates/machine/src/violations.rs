//! What is wrong with a state by itself: circles of locks, uncaught exceptions, locks that nobody can give back; `race` is about
//! data races.
//!
//! A flaw is named by a number that is the same wherever the same defect is met: made from the places in the code, not from
//! objects.

use crate::inspect::Frame;
use crate::layout::{INFLATED, LOCK, OWNER_MASK, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::system::Action;
use kernel::{Flaw, Property, Transitions};
use program::world::{ClassId, LoaderId, MethodId};

/// What locks of `java.util.concurrent` are made of.
const SYNCHRONIZER: &str = "java/util/concurrent/locks/AbstractQueuedSynchronizer";
const LONG_SYNCHRONIZER: &str = "java/util/concurrent/locks/AbstractQueuedLongSynchronizer";
const READ_WRITE: &str = "java/util/concurrent/locks/ReentrantReadWriteLock$Sync";
const HOLDS: &str = "java/util/concurrent/locks/ReentrantReadWriteLock$Sync$HoldCounter";
const STAMPED: &str = "java/util/concurrent/locks/StampedLock";
const LOCALS: &str = "java/lang/ThreadLocal$ThreadLocalMap";

/// Where the number of readers begins in the state of a read-write lock; from JDK 25 on it is the upper half of a long.
const READERS_SHIFT: u32 = 16;

/// The bits of the state of a stamped lock that say that somebody has it.
const STAMP_BITS: u32 = 0xff;

/// Mixes words into a number.
pub(crate) fn mix(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Machine<'_> {
    /// Names the circle, if there is one.
    pub(crate) fn circle_key(&mut self) -> Option<u64> {
        let members = self.as_waiting(Self::circle);
        (!members.is_empty()).then(|| self.places_key(members))
    }

    fn places_key(&mut self, members: Vec<u32>) -> u64 {
        let place = |number| self.user_position(number).map_or([0, 0], |(method, pc)| [method.0, pc]);
        let mut places: Vec<_> = members.into_iter().map(place).collect();
        places.sort_unstable();
        mix(places.into_iter().flatten())
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
    pub fn user_position(&self, number: u32) -> Option<(MethodId, u32)> {
        let top = self.top_frame(number);
        let mut at = top;
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            if self.is_users(self.program.method(id)) {
                return Some((id, pc));
            }
            at = caller;
        }
        if top == 0 {
            return None;
        }
        let (id, pc, _) = self.frame_at(top);
        Some((id, pc))
    }

    /// Names an uncaught exception by its class and where it was thrown.
    pub(crate) fn exception_key(&mut self, exception: Address) -> Option<u64> {
        if exception == 0 {
            return None;
        }
        let class = self.class_of(exception);
        let (method, bci) = self
            .thrown_at(exception)
            .map_or((0, 0), |(method, bci)| (method.0, bci));
        Some(mix([class.0, method, bci.into()]))
    }

    /// Method and bytecode index of the program's own code in which an exception was made, or else the innermost ones.
    pub fn thrown_at(&self, exception: Address) -> Option<(MethodId, u16)> {
        let trace = self.memory.load(exception + self.known.throwable_backtrace);
        if trace == 0 || self.class_of(trace) != self.known.int_array {
            return None;
        }
        let frame = |position: u32| {
            let method = MethodId(self.element(trace, position));
            (method, self.element(trace, position + 1) as u16)
        };
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
                self.frame(MethodId(method), bci as u16)
            })
            .collect()
    }

    /// Adds a flaw for each lock that only a finished thread could give back, if that is asked for.
    pub(crate) fn left_locks(&mut self, transitions: &mut Transitions<Action>) {
        if !self.semantics.locks {
            return;
        }
        for object in self.locks_left() {
            let class = self.class_of(object);
            transitions.flaws.push(Flaw {
                property: Property::LOCK,
                key: mix([class.0]),
            });
        }
    }

    /// The young objects that some thread still can reach and whose monitor or lock only a thread that is over could give back: it has the
    /// monitor, the lock or a read lock. A stamp belongs to no thread, so it is left behind once all threads are over.
    pub fn locks_left(&mut self) -> Vec<Address> {
        const OWNABLE: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
        let ownable = self.program.load(LoaderId::BOOT, OWNABLE).ok();
        let owner = self.find_offset(OWNABLE, "exclusiveOwnerThread");
        let shared = self.program.loaded(LoaderId::BOOT, READ_WRITE);
        let stamped = self.program.loaded(LoaderId::BOOT, STAMPED);
        let is_over = |number: u32| matches!(self.thread_word(number, thread::STATUS), status::FREE | status::ENDING);
        let all_over = (0..=self.highest_thread()).all(is_over);
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
            let class = self.class_of(object);
            let is = |of: Option<ClassId>| of.is_some_and(|of| self.program.is_subclass(class, of));
            let (by_readers, by_stamp) = (is(shared), all_over && is(stamped));
            if by_monitor
                || by_lock
                || by_readers && self.readers_left(object)
                || by_stamp && self.get(object, STAMPED, "state") & STAMP_BITS != 0
            {
                left.push(object);
            }
        }
        left
    }

    /// Whether a thread runs a method of this class of the JDK.
    fn is_within(&self, number: u32, class: &str) -> bool {
        let of = self.program.loaded(LoaderId::BOOT, class);
        let mut at = self.top_frame(number);
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            if Some(self.program.method(id).class) == of {
                return true;
            }
            at = caller;
        }
        false
    }

    /// Whether threads that are over have read locks of this synchronizer of a read-write lock: there are more than the live ones have.
    ///
    /// The first reader is named in the synchronizer. Each other one counts its own in a variable of its thread.
    fn readers_left(&mut self, sync: Address) -> bool {
        let long = self.program.loaded(LoaderId::BOOT, LONG_SYNCHRONIZER);
        let all = match long.filter(|&long| self.program.is_subclass(self.class_of(sync), long)) {
            Some(_) => self
                .find_offset(LONG_SYNCHRONIZER, "state")
                .map_or(0, |offset| self.memory.load(sync + offset + 1)),
            None => self.get(sync, SYNCHRONIZER, "state") >> READERS_SHIFT,
        };
        if all == 0 {
            return false;
        }
        let first = self.get(sync, READ_WRITE, "firstReader");
        let mut alive = match first != 0 && self.thread_of(first).is_some() {
            true => self.get(sync, READ_WRITE, "firstReaderHoldCount"),
            false => 0,
        };
        let variable = self.get(sync, READ_WRITE, "readHolds");
        for number in self.live_threads() {
            // A thread that is about to take or give back a read lock may have counted it in one place and not in the other.
            if self.is_within(number, READ_WRITE) {
                return false;
            }
            let thread = self.thread_word(number, thread::OBJECT);
            let map = if thread == 0 {
                0
            } else {
                self.get(thread, "java/lang/Thread", "threadLocals")
            };
            let table = if map == 0 { 0 } else { self.get(map, LOCALS, "table") };
            let count = if table == 0 { 0 } else { self.array_length(table) };
            for position in 0..count {
                let entry = self.element(table, position);
                if entry != 0 && self.get(entry, "java/lang/ref/Reference", "referent") == variable {
                    let counter = self.get(entry, "java/lang/ThreadLocal$ThreadLocalMap$Entry", "value");
                    alive += if counter == 0 {
                        0
                    } else {
                        self.get(counter, HOLDS, "count")
                    };
                }
            }
        }
        all > alive
    }
}
