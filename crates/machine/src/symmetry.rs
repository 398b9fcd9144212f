//! Threads that can be taken for each other.
//!
//! A thread that nobody else had hold of when it was started is *loose*: `new Thread(task).start()`. Which of several loose threads is
//! which makes no difference, only what each of them does. So they have numbers of their own in the vector, given by what they are
//! doing, and states that differ only in who does what have one vector (Clarke, Enders, Filkorn, Jha 1996; for threads of Java programs Robby,
//! Dwyer, Hatcliff, Iosif 2003). Whoever is held by others keeps its number: they can tell it apart.
//!
//! SOUNDNESS: a vector stands for the state whose threads have the numbers that it gives them. The two states are equal up to the
//! numbers of threads, whichever order is chosen here, as long as nobody can tell what a thread is called: its name, its id and the
//! hash codes that it draws. Whoever tries fails, and then all is explored again with threads that keep their numbers
//! ([`Machine::tell_apart`]). So the order below decides how many states there are, never what is found.
//!
//! The order is by what a thread was started with, then by frames, from the bottom up because what lies below changes least, then by what the
//! thread waits for. Where all of that is alike, what the threads can get at is compared as a graph; objects that others get at as well count
//! there by how these come to them. What is alike even then can nearly always be exchanged without a difference. Where it cannot, a state is stored more than once.

use crate::encode::{YOUNG, each_live};
use crate::frames::RETRY;
use crate::layout::{ALONE, MAX_THREADS, OWNER_MASK, frame, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::reachability::SHARED;
use crate::thread_signature::ThreadSignatures;
use crate::writer::Writer;
use program::ir::RegisterKind;
use program::world::HEADER_WORDS;
use std::cmp::Ordering;

/// The least number of a loose thread: loose ones have even numbers, others odd ones, and the main thread 0. So the numbers of either do not depend on
/// those of the others.
const FIRST_LOOSE: u32 = 2;
const FIRST_HELD: u32 = 1;

/// Numbers of threads that are explored lie below that: no search comes to the end of a program with a hundred of them.
const MOST_EXPLORED: u32 = 512;

/// The owner of a lock that its owner did not give back when it ended.
const NOBODY: u32 = OWNER_MASK;

/// Which threads are where in the vector.
#[derive(Default)]
pub(crate) struct ThreadPermutation {
    /// The live threads in the order of their numbers in the vector, and these numbers.
    pub threads: Vec<u32>,
    numbers: Vec<u32>,
    /// The loose ones among them, in order.
    loose: Vec<u32>,
    /// Whether anybody has another number there.
    renamed: bool,
    /// Whether threads keep their names.
    named: bool,
}

impl ThreadPermutation {
    /// The number in the vector of the thread in a slot.
    pub(crate) fn number(&self, slot: usize) -> u32 {
        self.numbers[slot]
    }

    /// The number of a live thread in the vector.
    pub(crate) fn canonical_id(&self, thread: u32) -> Option<u32> {
        let slot = self.threads.iter().position(|&other| other == thread)?;
        Some(self.numbers[slot])
    }

    /// A word whose lower bits are a thread's number plus one, with the number that the thread has in the vector.
    #[inline]
    pub(crate) fn owner(&self, word: u32) -> u32 {
        if !self.renamed {
            return word;
        }
        match (word & OWNER_MASK).checked_sub(1) {
            None => word,
            Some(owner) => word & !OWNER_MASK | self.canonical_id(owner).map_or(NOBODY, |id| id + 1),
        }
    }

    /// Whether the order of a thread depends on what it does.
    pub(crate) fn is_free(&self, thread: u32) -> bool {
        self.loose.len() > 1 && is_loose(thread)
    }

    fn clear(&mut self) {
        self.threads.clear();
        self.numbers.clear();
        self.loose.clear();
        self.renamed = false;
    }
}

/// Kept by its owner, so that comparing threads does not allocate.
#[derive(Default)]
pub(crate) struct Sorter {
    frames: Vec<Address>,
    keys: Vec<Vec<u32>>,
    signatures: ThreadSignatures,
    /// The loose threads in their order, if that was found out just now.
    sorted: Vec<u32>,
}

pub(crate) fn is_loose(number: u32) -> bool {
    number != 0 && number.is_multiple_of(2)
}

impl Machine<'_> {
    /// A free record for a new thread.
    pub(crate) fn free_record(&mut self, object: Address) -> Option<u32> {
        let stepping = self.stepping;
        // SOUNDNESS: no program can tell which number a thread has.
        let mut is_held = || self.settled_mut(|machine| machine.is_held(object));
        let (first, end, step) = match stepping {
            false => (0, MAX_THREADS, 1),
            true if is_held() => (FIRST_HELD, MOST_EXPLORED, 2),
            true => (FIRST_LOOSE, MOST_EXPLORED, 2),
        };
        let is_free = |&number: &u32| self.thread_word(number, thread::STATUS) == status::FREE;
        (first..end).step_by(step).find(is_free)
    }

    /// Whether anybody has hold of a thread object that is being started, besides the methods of `Thread` that start it.
    fn is_held(&mut self, object: Address) -> bool {
        if !self.is_tracked(object) {
            return true;
        }
        let mut reach = self.reachability.take_room();
        self.meet_shared(&mut reach);
        for number in 0..=self.highest_thread() {
            if number != self.current() {
                self.meet_roots(&mut reach, number, SHARED);
            }
        }
        self.meet_caller_roots(&mut reach);
        while let Some(met) = reach.take()
            && reach.label(object).is_none()
        {
            self.follow(&mut reach, met);
        }
        let held = reach.label(object).is_some();
        self.reachability.put_room(reach);
        held
    }

    /// Gives every live thread its place in the vector.
    pub(crate) fn permute(&mut self, permutation: &mut ThreadPermutation) {
        permutation.clear();
        permutation.named = self.semantics.names_threads;
        let live = |&number: &u32| self.thread_word(number, thread::STATUS) != status::FREE;
        permutation.threads.extend((0..=self.highest_thread()).filter(live));
        permutation.numbers.extend_from_slice(&permutation.threads);
        if self.semantics.names_threads || !permutation.threads.iter().any(|&number| is_loose(number)) {
            return;
        }
        permutation
            .loose
            .extend(permutation.threads.iter().filter(|&&number| is_loose(number)));
        self.sort_loose(&mut permutation.loose);
        permutation.threads.retain(|&number| !is_loose(number));
        permutation.numbers.clone_from(&permutation.threads);
        for (&thread, number) in permutation.loose.iter().zip((FIRST_LOOSE..).step_by(2)) {
            let slot = permutation.numbers.partition_point(|&other| other < number);
            permutation.threads.insert(slot, thread);
            permutation.numbers.insert(slot, number);
        }
        permutation.renamed = permutation.threads != permutation.numbers;
    }

    /// Whether the threads of a vector, all of which is up to date but their order, are in the right one.
    pub(crate) fn is_in_order(&mut self, writer: &Writer) -> bool {
        let permutation = &writer.permutation;
        if permutation.loose.len() < 2 || permutation.named != self.semantics.names_threads {
            return permutation.named == self.semantics.names_threads;
        }
        let mut sorter = self.encoding.take_sorter();
        sorter.signatures.begin();
        let key = |thread: u32| {
            let slot = permutation.threads.iter().position(|&other| other == thread);
            slot.map_or(&[][..], |slot| &writer.parts()[slot + 1].key)
        };
        let mut compare = |one: u32, two: u32| {
            let order = key(one).cmp(key(two));
            let order = order.then_with(|| self.compare_threads(one, two, &mut sorter.signatures));
            // Where all is alike it is by numbers.
            order.then(one.cmp(&two))
        };
        let same = permutation.loose.is_sorted_by(|&one, &two| compare(one, two).is_lt());
        if !same {
            let mut sorted = permutation.loose.clone();
            sorted.sort_by(|&one, &two| compare(one, two));
            sorter.sorted = sorted;
        }
        self.encoding.put_sorter(sorter);
        same
    }

    fn sort_loose(&mut self, loose: &mut [u32]) {
        let mut sorter = self.encoding.take_sorter();
        if !sorter.sorted.is_empty() {
            // That was found out just now.
            loose.copy_from_slice(&sorter.sorted);
            sorter.sorted.clear();
            self.encoding.put_sorter(sorter);
            return;
        }
        sorter.signatures.begin();
        let mut keys = std::mem::take(&mut sorter.keys);
        keys.resize_with(keys.len().max(loose.len()), Vec::new);
        let mut order: Vec<usize> = (0..loose.len()).collect();
        for (key, &number) in keys.iter_mut().zip(&*loose) {
            key.clear();
            self.begin_key(number, key);
            self.frames_of(number, &mut sorter.frames);
            for position in 0..sorter.frames.len() {
                self.frame_key(sorter.frames[position], self.is_before(&sorter.frames, position), key);
            }
        }
        let numbers = loose.to_vec();
        order.sort_by(|&one, &two| {
            let order = keys[one].cmp(&keys[two]);
            order.then_with(|| self.compare_threads(numbers[one], numbers[two], &mut sorter.signatures))
        });
        for (place, from) in loose.iter_mut().zip(order) {
            *place = numbers[from];
        }
        sorter.keys = keys;
        self.encoding.put_sorter(sorter);
    }

    /// What a thread counts by before all of its frames.
    pub(crate) fn begin_key(&self, number: u32, key: &mut Vec<u32>) {
        key.push(self.thread_word(number, thread::SORT));
    }

    /// What a frame counts by: where it is, and its live registers. References count by what they refer to: nothing, an object of the
    /// image, a class.
    pub(crate) fn frame_key(&self, at: Address, before: bool, key: &mut Vec<u32>) {
        let (id, pc, _) = self.frame_at(at);
        key.extend([id.0, pc, self.memory.load(at + frame::DEST), before.into()]);
        let Ok(code) = self.program.code(self.program.method(id)) else {
            return;
        };
        each_live(code, pc, before, |register, kind| {
            let word = at + frame::REGISTERS + u32::from(register);
            let value = self.memory.load(word);
            match kind {
                RegisterKind::Ref if value >= self.memory.image_end() => key.push(YOUNG | self.class_of(value).0),
                RegisterKind::Ref | RegisterKind::Word => key.push(value),
                RegisterKind::Wide => key.extend([value, self.memory.load(word + 1)]),
            }
        });
    }

    /// Compares threads that count by the same.
    #[cold]
    fn compare_threads(&mut self, one: u32, two: u32, signatures: &mut ThreadSignatures) -> Ordering {
        let order = self.standing(one).cmp(&self.standing(two));
        let order = order.then_with(|| self.starter(one).cmp(&self.starter(two)));
        let alone = self.memory.load(ALONE);
        let order = order.then_with(|| self.owner_kind(one, alone).cmp(&self.owner_kind(two, alone)));
        order.then_with(|| match self.has_begun(one) {
            true => self.compare_signatures(one, two, signatures),
            // Nobody has swapped them so far, and nobody else has hold of them.
            false => Ordering::Equal,
        })
    }

    /// By what a thread that is being started is told from others before all else: its class and that of what it runs, and their fields that are no
    /// references. Not that these may not change: but where they do not, such threads stay in order.
    pub(crate) fn sort_of(&mut self, object: Address) -> u32 {
        let mut hash = 0xcbf2_9ce4;
        let mut mix = |value: u32| hash = (hash ^ value).wrapping_mul(0x9e37_79b1).rotate_left(13);
        let first = self.program.class(self.known.thread).words;
        for (object, from) in [(object, first), (self.task_of(object), HEADER_WORDS)] {
            if object == 0 {
                continue;
            }
            mix(self.class_of(object).0);
            let described = self.program.class(self.class_of(object));
            for offset in (from..described.words).filter(|offset| !described.references.contains(offset)) {
                mix(self.memory.load(object + offset));
            }
        }
        hash
    }

    /// What a thread was made to run, or 0: a field of `Thread` in 17, later of its holder.
    fn task_of(&mut self, object: Address) -> Address {
        if let Some(offset) = self.find_offset("java/lang/Thread", "target") {
            return self.memory.load(object + offset);
        }
        match self.get(object, "java/lang/Thread", "holder") {
            0 => 0,
            holder => self.get(holder, "java/lang/Thread$FieldHolder", "task"),
        }
    }

    /// Who has the lock of a thread's object: as a rule the one that is starting it, which is the last to have hold of it.
    fn starter(&self, number: u32) -> u32 {
        let lock = self
            .memory
            .load(self.lock_cell(self.thread_word(number, thread::OBJECT)));
        self.owner_kind(number, lock)
    }

    /// Who has a lock, as this thread sees it: nobody, itself, a loose thread, or which one.
    pub(crate) fn owner_kind(&self, number: u32, lock: u32) -> u32 {
        match (lock & OWNER_MASK).checked_sub(1) {
            None => 0,
            Some(owner) if owner == number => 1,
            Some(owner) if is_loose(owner) => 2,
            Some(owner) => 3 + owner,
        }
    }

    fn has_begun(&self, number: u32) -> bool {
        let (_, pc, caller) = self.frame_at(self.top_frame(number));
        pc != 0 || caller != 0 || self.thread_word(number, thread::READY) != 0
    }

    /// The frames of a thread from the bottom up.
    pub(crate) fn frames_of(&self, number: u32, frames: &mut Vec<Address>) {
        frames.clear();
        let mut at = self.top_frame(number);
        while at != 0 {
            frames.push(at);
            at = self.memory.load(at + frame::CALLER);
        }
        frames.reverse();
    }

    /// Whether the instruction of a frame is yet to run: in the topmost one, and below one after which it is tried again.
    pub(crate) fn is_before(&self, frames: &[Address], position: usize) -> bool {
        let above = frames.get(position + 1);
        above.is_none_or(|&above| self.memory.load(above + frame::DEST) & RETRY != 0)
    }

    /// Whether a thread may have another number in a state with the same vector.
    pub(crate) fn is_renamed(&self, number: u32) -> bool {
        !self.semantics.names_threads && is_loose(number)
    }

    /// The number that a thread has in the vector of this state, if it is alive.
    pub fn canonical_id(&mut self, number: u32) -> Option<u32> {
        if self.thread_word(number, thread::STATUS) == status::FREE {
            return None;
        }
        if !self.is_renamed(number) {
            return Some(number);
        }
        let is_written = self.memory.seen_at() == Some(self.memory.trail_len());
        if let Some(writer) = self.encoding.writer()
            && is_written
            && writer.whole
            && writer.moved.is_empty()
            && writer.permutation.named == self.semantics.names_threads
        {
            return writer.permutation.canonical_id(number);
        }
        let mut permutation = ThreadPermutation::default();
        self.permute(&mut permutation);
        permutation.canonical_id(number)
    }
}
