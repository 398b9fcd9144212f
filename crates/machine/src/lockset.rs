//! What all accesses to a shared object have in common: which locks were held at each, and whether any of them wrote.
//!
//! The lockset of Savage et al. (Eraser, TOCS 15(4), 1997) as Dwyer et al. use it (section 6.3), with two differences. It is part
//! of the state: two visits of one heap with different records have different futures. And it begins when the object
//! escapes, not when a second thread comes: a write by its creator after that counts.
//!
//! The record of an object is a word of its header that refers to a lock, or to an array of locks with the flag [`LOCKSET`];
//! null is no lock at all, or, without the flag [`SEEN`], no access so far. That is so for arrays. The fields of other objects have a
//! record each, in an array that the record of the object refers to; final and volatile fields have none, nor have those about which
//! nothing is assumed any more. A record keeps no lock alive for the program, only for the vector.
//!
//! A lock is what at most one thread has at a time, what a thread gets by a step of its own only, and what nobody can take from it. That
//! is a monitor; a synchronizer of `java.util.concurrent` that names its owner (of a `ReentrantLock` or a write lock), if only the owner
//! itself ever gives it up (which is checked, `steals_lock`); and the thread itself, for whom its own object stands: what one thread accesses
//! alone is protected by that. In a record, a thread object means the thread and a synchronizer its owner; monitors of thread objects
//! come after a null, those of synchronizers do not count.
//!
//! A monitor is found where a variable of the thread refers to its object. To a synchronizer only fields may lead, so those that a thread
//! has made its own are noted in a word of the thread, in the same form as in a record, and are part of the state. One that it
//! was given by another thread is none of them, nor is one that it took before that was shared.
//!
//! Who was the first to access what some lock protects makes states differ for nothing. So a thread counts only if it has no other
//! lock at the first access, until that turns out not to be enough for the variable ([`Protection::Unlocked`]).

use crate::layout::{ESCAPED, HEAP, LOCKSET, SEEN, WRITTEN, thread};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::view::Declared;
use kernel::{AccessKind, Instrumentation, Location, MemoryAccess, Protection, StateVector};
use program::world::{ARRAY_LENGTH, ClassKind, HEADER_WORDS};
use std::ops::Range;

/// How many locks a record keeps at most; others are forgotten, as if they had not been held.
const MOST: usize = 5;

/// What at most one thread has at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// The monitor of an object; a synchronizer, for its owner; a thread object, for the thread.
    Of(Address),
    /// The monitor of a thread object.
    Monitor(Address),
}

/// Some locks, no more than are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Locks([Option<Lock>; MOST]);

impl Locks {
    fn iter(&self) -> impl Iterator<Item = Lock> {
        self.0.iter().map_while(|lock| *lock)
    }

    fn contains(&self, lock: Lock) -> bool {
        self.0.contains(&Some(lock))
    }

    /// Adds one, if there is room for it.
    fn push(&mut self, lock: Lock) {
        if let Some(free) = self.0.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(lock);
        }
    }
}

impl FromIterator<Lock> for Locks {
    fn from_iter<I: IntoIterator<Item = Lock>>(locks: I) -> Locks {
        let mut all = Locks::default();
        locks.into_iter().for_each(|lock| all.push(lock));
        all
    }
}

/// A record, read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    seen: bool,
    written: bool,
    locks: Locks,
}

impl Record {
    fn protection(&self) -> Protection {
        match self {
            _ if !self.written => Protection::ReadOnly,
            _ if self.locks == Locks::default() => Protection::Open,
            _ => Protection::Locked,
        }
    }
}

impl Machine<'_> {
    /// The word that holds the record of an object.
    pub(crate) fn record_cell(&self, object: Address) -> Address {
        match self.program.class(self.class_of(object)).kind {
            ClassKind::Array(_) => object + ARRAY_LENGTH + 1,
            _ => object + HEADER_WORDS - 1,
        }
    }

    /// Whether accesses to a location of this object are recorded.
    fn is_recorded(&self, object: Address, location: Location) -> bool {
        let data = location.cell != Location::MONITOR && location.object >= HEAP;
        data && (object < self.memory.image_end() || self.has_flag(object, ESCAPED))
    }

    /// The locks that a thread has.
    fn locks_held(&self, number: u32, object: Address, declared: Declared) -> Locks {
        let taken = self.locks_taken(number);
        let is_confined = self.may_be_confined(object) && (taken == Locks::default() || declared == Declared::Confined);
        let own = is_confined.then(|| Lock::Of(self.thread_word(number, thread::OBJECT)));
        own.into_iter().chain(taken.iter()).collect()
    }

    /// The locks that a thread has besides itself: synchronizers, then monitors as far as its variables lead to them, those of
    /// threads last.
    fn locks_taken(&self, number: u32) -> Locks {
        let owned = self.locks_at(self.thread_word(number, thread::OWNED));
        let mut held: Locks = owned.iter().filter(|&lock| self.has_lock(lock, number)).collect();
        self.each_thread_root(number, |object| {
            if object == 0 {
                return;
            }
            let class = self.class_of(object);
            let lock = match () {
                () if self.program.is_subclass(class, self.known.thread) => Lock::Monitor(object),
                () => Lock::Of(object),
            };
            if !held.contains(lock) && self.has_lock(lock, number) {
                held.push(lock);
            }
        });
        let is_monitor = |lock: &Lock| matches!(lock, Lock::Monitor(_));
        let others = held.iter().filter(|lock| !is_monitor(lock));
        others.chain(held.iter().filter(is_monitor)).collect()
    }

    /// The objects whose locks a thread has.
    pub(crate) fn locked_objects(&self, number: u32) -> Vec<Address> {
        let locks = self.locks_taken(number);
        locks
            .iter()
            .map(|(Lock::Of(object) | Lock::Monitor(object))| object)
            .collect()
    }

    /// Whether it is worth a try to take an object for one that only one thread accesses. Who was the first to read what all do
    /// nothing but read would only make states differ.
    fn may_be_confined(&self, object: Address) -> bool {
        let class = self.class_of(object);
        let is_text = [self.known.string, self.known.byte_array].contains(&class);
        let is_main = object == self.thread_word(0, thread::OBJECT);
        (object >= self.memory.image_end() || is_main) && !is_text && !self.is_statics(object)
    }

    /// Whether a thread has a lock.
    fn has_lock(&self, lock: Lock, number: u32) -> bool {
        let own = self.thread_word(number, thread::OBJECT);
        match lock {
            Lock::Of(0) | Lock::Monitor(0) => false,
            Lock::Monitor(object) => self.is_locked_by(object, number),
            Lock::Of(object) => match self.class_of(object) {
                class if self.program.is_subclass(class, self.known.thread) => object == own,
                class if self.program.is_subclass(class, self.known.synchronizer) => {
                    self.owner_of(object) == own
                        && self.locks_at(self.thread_word(number, thread::OWNED)).contains(lock)
                }
                _ => self.is_locked_by(object, number),
            },
        }
    }

    fn is_statics(&self, object: Address) -> bool {
        matches!(self.program.class(self.class_of(object)).kind, ClassKind::Statics(_))
    }

    fn locks_at(&self, value: Address) -> Locks {
        let mut locks = Locks::default();
        match value {
            0 => {}
            _ if !self.has_flag(value, LOCKSET) => locks.push(Lock::Of(value)),
            _ => {
                let mut lock: fn(Address) -> Lock = Lock::Of;
                for index in 0..self.array_length(value) {
                    match self.element(value, index) {
                        0 => lock = Lock::Monitor,
                        object => locks.push(lock(object)),
                    }
                }
            }
        }
        locks
    }

    fn record_of(&self, object: Address, cell: u32) -> Record {
        let value = self.memory.load(self.record_cell(object));
        if !self.has_list(object) {
            return Record {
                seen: self.has_flag(object, SEEN),
                written: self.has_flag(object, WRITTEN),
                locks: self.locks_at(value),
            };
        }
        if value == 0 {
            return Record::default();
        }
        // For each field its record, then for each field how it was accessed: null, the holder itself, this array.
        let fields = self.array_length(value) / 2;
        let how = self.element(value, fields + cell);
        Record {
            seen: how != 0,
            written: how == value,
            locks: self.locks_at(self.element(value, cell)),
        }
    }

    /// The records in a list, of the fields that were accessed: the cell, the word for its locks, whether it was written.
    pub(crate) fn records(&self, list: Address) -> impl Iterator<Item = (u32, Address, bool)> {
        let fields = self.array_length(list) / 2;
        let how = move |cell: u32| self.element(list, fields + cell);
        let seen = (0..fields).filter(move |&cell| how(cell) != 0);
        seen.map(move |cell| (cell, self.element(list, cell), how(cell) == list))
    }

    /// An empty list of records for the fields of an object, which becomes its own.
    pub(crate) fn new_records(&mut self, object: Address) -> Result<Address, Trap> {
        let fields = self.program.class(self.class_of(object)).words;
        let list = self.new_array(self.known.object_array, fields as i32 * 2)?;
        let header = self.memory.load(list);
        self.memory.store(list, header | ESCAPED);
        self.memory.store(self.record_cell(object), list);
        Ok(list)
    }

    /// Notes in a list how a field was accessed.
    pub(crate) fn note_access(&mut self, (list, object): (Address, Address), cell: u32, written: bool) {
        let fields = self.array_length(list) / 2;
        self.set_element(list, fields + cell, if written { list } else { object });
    }

    /// The record as it would be once a thread had accessed a location.
    fn record_after(&self, number: u32, object: Address, cell: u32, declared: Declared, writes: bool) -> Record {
        let mut record = self.record_of(object, cell);
        if !record.seen {
            record.locks = self.locks_held(number, object, declared);
        } else {
            let locks = record.locks.iter();
            record.locks = locks.filter(|&lock| self.has_lock(lock, number)).collect();
        }
        record.seen = true;
        record.written |= writes;
        record
    }

    /// By what a location would be known to be protected once a thread had accessed it.
    pub(crate) fn protection_after(
        &mut self,
        number: u32,
        object: Address,
        location: Location,
        access: AccessKind,
    ) -> Option<Protection> {
        if !self.semantics.has(Instrumentation::LOCKSETS) || !self.is_recorded(object, location) {
            return None;
        }
        let declared = self.declared_at(location);
        if !declared.is_variable() {
            return None;
        }
        if !access.is_plain() {
            // It is made to be accessed by several at once.
            return Some(Protection::Open);
        }
        let protection = self
            .record_after(number, object, location.cell, declared, !access.is_read())
            .protection();
        Some(match protection {
            Protection::Open if declared == Declared::Plain && self.may_be_confined(object) => Protection::Unlocked,
            other => other,
        })
    }

    /// Whether each field of an object has a record of its own.
    fn has_list(&self, object: Address) -> bool {
        !self.program.class(self.class_of(object)).is_array()
    }

    /// The cells of an object that a touch is about; a monitor is none. What touches a whole object and orders something, as the start of a thread
    /// does, touches no field that is not volatile.
    pub(crate) fn cells_touched(&self, touch: MemoryAccess) -> Range<u32> {
        let Location { object, cell } = touch.location;
        match cell {
            Location::MONITOR => 0..0,
            Location::WHOLE if !touch.access.is_plain() => 0..0,
            Location::WHOLE if self.has_list(object) => 0..self.program.class(self.class_of(object)).words,
            _ => cell..cell + 1,
        }
    }

    /// Before a step: notes the accesses with which it begins.
    pub(crate) fn record_accesses(&mut self, number: u32) -> Result<(), Trap> {
        let touches = self.step.take_written();
        let mut result = Ok(());
        for touch in &touches {
            let object = touch.location.object;
            if !self.is_recorded(object, touch.location) {
                continue;
            }
            for cell in self.cells_touched(*touch) {
                let declared = self.declared_at(Location { object, cell });
                if result.is_ok() && declared.is_variable() {
                    result = self.record(number, object, cell, declared, !touch.access.is_read());
                }
            }
        }
        self.step.put_written(touches);
        result
    }

    fn record(
        &mut self,
        number: u32,
        object: Address,
        cell: u32,
        declared: Declared,
        writes: bool,
    ) -> Result<(), Trap> {
        let before = self.record_of(object, cell);
        let after = self.record_after(number, object, cell, declared, writes);
        if before == after {
            return Ok(());
        }
        let value = match before.locks == after.locks {
            true => self.memory.load(self.record_cell(object)),
            false => self.new_lockset(after.locks)?,
        };
        let at = self.record_cell(object);
        if !self.has_list(object) {
            let header = self.memory.load(object);
            let flags = SEEN | if after.written { WRITTEN } else { 0 };
            self.memory.store(object, header | flags);
            self.memory.store(at, value);
            return Ok(());
        }
        let list = match self.memory.load(at) {
            0 => self.new_records(object)?,
            list => list,
        };
        // A set of several locks is kept where it was.
        if before.locks != after.locks {
            self.set_element(list, cell, value);
        }
        self.note_access((list, object), cell, after.written);
        Ok(())
    }

    /// After a step: notes whether it has taken a synchronizer, or given one up.
    pub(crate) fn note_owned(&mut self, number: u32) -> Result<(), Trap> {
        let mut written = self.step.written().iter().filter(|touch| !touch.access.is_read());
        let named = written.find(|touch| self.names_owner(touch.location));
        let synchronizer = named.map(|touch| touch.location.object);
        let Some(synchronizer) = synchronizer.filter(|_| self.facts.trusts_synchronizers()) else {
            return Ok(());
        };
        let own = self.thread_word(number, thread::OBJECT);
        let before = self.locks_at(self.thread_word(number, thread::OWNED));
        let mut after: Locks = before.iter().filter(|&lock| self.has_lock(lock, number)).collect();
        let lock = Lock::Of(synchronizer);
        if self.owner_of(synchronizer) == own && !after.contains(lock) {
            after.push(lock);
        }
        if before != after {
            let value = self.new_lockset(after)?;
            self.set_thread_word(number, thread::OWNED, value);
        }
        Ok(())
    }

    /// A thread that was alone, so that nothing was noted, is about to start another one: notes which synchronizers it has taken.
    pub(crate) fn note_all_owned(&mut self, number: u32) -> Result<(), Trap> {
        if !self.semantics.has(Instrumentation::LOCKSETS) || !self.facts.trusts_synchronizers() {
            return Ok(());
        }
        let own = self.thread_word(number, thread::OBJECT);
        let before = self.locks_at(self.thread_word(number, thread::OWNED));
        let mut after: Locks = before.iter().filter(|&lock| self.has_lock(lock, number)).collect();
        for object in self.shared_objects() {
            let lock = Lock::Of(object);
            let is_synchronizer = self.program.is_subclass(self.class_of(object), self.known.synchronizer);
            if is_synchronizer && self.owner_of(object) == own && !after.contains(lock) {
                after.push(lock);
            }
        }
        if before != after {
            let value = self.new_lockset(after)?;
            self.set_thread_word(number, thread::OWNED, value);
        }
        Ok(())
    }

    /// A word that stands for these locks.
    fn new_lockset(&mut self, locks: Locks) -> Result<Address, Trap> {
        let mut set = Vec::new();
        for lock in locks.iter() {
            match lock {
                Lock::Of(object) => set.push(object),
                Lock::Monitor(object) => {
                    if !set.contains(&0) {
                        set.push(0);
                    }
                    set.push(object);
                }
            }
        }
        if let [] | [_] = set[..] {
            return Ok(set.first().copied().unwrap_or(0));
        }
        let set = self.new_references(self.known.object_array, &set)?;
        let header = self.memory.load(set);
        self.memory.store(set, header | LOCKSET | ESCAPED);
        Ok(set)
    }
}

/// For tests of reductions that keep records in wrong ways, and must be caught.
#[doc(hidden)]
impl Machine<'_> {
    /// Whether an object was accessed since it is shared.
    pub fn was_accessed(&self, object: Address) -> bool {
        self.has_flag(object, SEEN) || self.memory.load(self.record_cell(object)) != 0
    }

    /// Appends the vector as it would be if records were no part of a state.
    pub fn encode_without_records(&mut self, out: &mut StateVector) {
        let mut hidden = Vec::new();
        let mut at = HEAP;
        while at < self.memory.top() {
            for (word, kept) in [(at, !(SEEN | WRITTEN)), (self.record_cell(at), 0)] {
                let value = self.memory.load(word);
                hidden.push((word, value));
                self.memory.poke(word, value & kept);
            }
            at += self.object_words(at);
        }
        self.encode_afresh(out);
        for (word, value) in hidden {
            self.memory.poke(word, value);
        }
    }
}
