//! What is wrong with a state by itself: circles of locks, uncaught exceptions, races, locks that nobody can give back.
//!
//! A flaw is named by a number that is the same wherever the same defect is met: made from the places in the code, not from
//! objects.

use crate::inspect::{CellName, Doing, Frame, Wait};
use crate::layout::{INFLATED, LOCK, OWNER_MASK, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Touches;
use crate::special;
use crate::system::Action;
use kernel::{Flaw, Menu, Property};
use program::ir::Instr;
use program::world::{ClassId, LoaderId, Method};

/// Packages and classes of the JDK whose authors meant what looks like a race.
const INTENDED: [&str; 12] = [
    "java/lang/",
    "java/util/concurrent/",
    "jdk/",
    "sun/",
    "java/math/",
    "java/time/",
    "java/net/",
    "java/nio/",
    "java/security/",
    "java/util/Locale",
    "java/util/UUID",
    "java/util/regex/",
];

/// Classes there that say of themselves that they are not for several threads.
const UNSAFE_FOR_THREADS: [&str; 2] = ["java/lang/StringBuilder", "java/lang/AbstractStringBuilder"];

/// What only carries out an access for the code that calls it.
const ERRANDS: [&str; 5] = [
    "java/lang/System",
    "java/util/Arrays",
    "java/lang/invoke/",
    "jdk/internal/misc/",
    "java/lang/reflect/",
];

/// Views of maps that are made when first asked for, by whoever asks: two of them do as well as one.
const VIEWS: [&str; 4] = ["keySet", "values", "entrySet", "navigableKeySet"];

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
fn mix(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Elements of an array that are accessed at once.
struct Span {
    array: Address,
    first: u32,
    end: u32,
    writes: bool,
}

impl Span {
    fn races(&self, other: &Span) -> bool {
        self.array == other.array && (self.writes || other.writes) && self.first < other.end && other.first < self.end
    }
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

    /// Whether a method belongs to the program and not to the JDK or the machine.
    pub fn is_users(&self, method: &Method) -> bool {
        self.program.class(method.class).loader >= LoaderId::APP && method.index != u16::MAX
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

    /// Names the race between the next actions of two threads, unless it is one that is meant to be.
    pub fn race_key(&mut self, one: u32, two: u32) -> Option<u64> {
        let (first, second) = (self.accessor(one), self.accessor(two));
        let users = |id: u32| self.is_users(self.program.method(id));
        let excused = !users(first.0) && !users(second.0) && (self.is_meant(first.0) || self.is_meant(second.0));
        if excused || self.is_allowed(one) || self.is_allowed(two) {
            return None;
        }
        if let (Some(first), Some(second)) = (self.spans(one), self.spans(two))
            && !first.iter().any(|span| second.iter().any(|other| span.races(other)))
        {
            return None;
        }
        let mut places = [first, second];
        places.sort_unstable();
        Some(mix(places.into_iter().flat_map(|(method, pc)| [method, pc])))
    }

    /// The elements that a thread is about to access, where that can be told apart from the whole array.
    fn spans(&mut self, number: u32) -> Option<Vec<Span>> {
        match self.doing(number) {
            Doing::Access { cell, writes } => match cell.name {
                CellName::Element(index) => Some(vec![Span {
                    array: cell.object,
                    first: index,
                    end: index.saturating_add(self.elements_accessed(number, cell.object)),
                    writes,
                }]),
                _ => None,
            },
            Doing::Native(method, words) => {
                let described = self.program.method(method);
                let class = &*self.program.class(described.class).name;
                if class != "java/lang/System" || &**self.program.text(described.name) != "arraycopy" {
                    return None;
                }
                let length = self.top_register(number, 4);
                let span = |array, first: u32, writes| Span {
                    array,
                    first,
                    end: first.saturating_add(length),
                    writes,
                };
                Some(vec![span(words[0], words[1], false), span(words[2], words[3], true)])
            }
            _ => None,
        }
    }

    /// How many elements of an array a thread is about to access at once: several, if it does so by their bytes.
    fn elements_accessed(&mut self, number: u32, array: Address) -> u32 {
        let shift = self.program.class(self.class_of(array)).element_shift;
        let next = self.next_instruction(number);
        let native = next.filter(|next| {
            matches!(
                next.instr,
                Instr::Special {
                    op: special::NATIVE,
                    ..
                }
            )
        });
        match native
            .and_then(|next| self.bind(next.method).ok())
            .map(|bound| bound.touches)
        {
            Some(Touches::Cell { bytes, .. } | Touches::Swap { bytes, .. }) => (bytes >> shift).max(1),
            _ => 1,
        }
    }

    /// The method on whose behalf a thread is about to access something.
    fn accessor(&self, number: u32) -> (u32, u32) {
        let mut at = self.top_frame(number);
        let mut found = (0, 0);
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            found = (id, pc);
            let method = self.program.method(id);
            let name = &*self.program.class(method.class).name;
            let errand = method.is_native()
                || method.index == u16::MAX
                || ERRANDS.iter().any(|prefix| name.starts_with(prefix)) && !self.is_users(method);
            if !errand {
                break;
            }
            at = caller;
        }
        found
    }

    fn is_meant(&self, method: u32) -> bool {
        let method = self.program.method(method);
        let class = &*self.program.class(method.class).name;
        let name = &**self.program.text(method.name);
        !UNSAFE_FOR_THREADS.contains(&class)
            && (INTENDED.iter().any(|prefix| class.starts_with(prefix)) || VIEWS.contains(&name))
    }

    /// Whether the user has said that races on what the thread is about to access are fine, or it belongs to those who run errands.
    fn is_allowed(&mut self, number: u32) -> bool {
        let Some((class, field)) = self.field_wanted(number) else {
            return false;
        };
        let path = class.replace('.', "/");
        if ERRANDS.iter().any(|prefix| path.starts_with(prefix)) {
            return true;
        }
        let simple = class.rsplit(['.', '$']).next().unwrap_or(&class).to_owned();
        self.allowed.iter().any(|allowed| {
            *allowed == format!("{class}.{field}") || *allowed == format!("{simple}.{field}") || *allowed == field
        })
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
