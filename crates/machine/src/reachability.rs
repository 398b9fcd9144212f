//! Who reaches what, as far as it was asked: labels of objects, and which of them are still right.
//!
//! The labels of the state at hand are good until a thread moves. Those of what others reach than one thread are good for longer: as long
//! as only that thread moves and changes no reference that the others might follow. Who moves says so ([`Reachability::forget_of`]).
//! The traversals are in `reach`.

use crate::encode::{Roles, bit};
use crate::memory::{Address, Memory};
use std::ops::Range;

/// More than one thread, or a thread and what all share.
pub(crate) const SHARED: u32 = u32::MAX;

/// The labels of the objects of one state, as far as they had to be found.
#[derive(Default)]
pub(crate) struct Reach {
    slots: Vec<Slot>,
    used: usize,
    stamp: u64,
    /// What was met, in order, each with its label then, and how much of it was followed.
    work: Vec<(Address, u32)>,
    followed: usize,
    /// Whose roots were met: those that all share, then those of each thread.
    begun: Vec<bool>,
    /// Whether the labels are those of the state at hand.
    valid: bool,
    /// Whether labels are sets of threads, a bit each, and not single ones.
    sets: bool,
}

/// Where a traversal begins.
pub(crate) enum Whose {
    /// The words outside of tracked objects and threads.
    Shared,
    /// What a thread holds on to by itself.
    Thread(u32),
}

#[derive(Clone, Copy, Default)]
struct Slot {
    address: Address,
    label: u32,
    stamp: u64,
}

impl Reach {
    /// Forgets all labels.
    pub(crate) fn begin(&mut self) {
        if self.slots.is_empty() {
            self.slots.resize(1 << 8, Slot::default());
        }
        self.stamp += 1;
        self.used = 0;
        self.work.clear();
        self.followed = 0;
        self.begun.clear();
    }

    /// What was met and is to be followed next.
    pub(crate) fn take(&mut self) -> Option<(Address, u32)> {
        let next = self.work.get(self.followed).copied();
        self.followed += usize::from(next.is_some());
        next
    }

    /// Begins labels that are sets of threads.
    pub(crate) fn begin_sets(&mut self) {
        self.begin();
        self.sets = true;
    }

    /// Begins labels for the state at hand and so many threads, unless there are some already.
    pub(crate) fn begin_state(&mut self, threads: u32) {
        if !self.valid {
            self.begin();
            self.begun.resize(threads as usize + 1, false);
            self.valid = true;
        }
    }

    /// What was met so far, in order.
    pub(crate) fn met(&self) -> impl Iterator<Item = Address> {
        self.work.iter().map(|&(object, _)| object)
    }

    /// How much of that was followed.
    pub(crate) fn followed(&self) -> usize {
        self.followed
    }

    /// Whose roots are to be met next, if not those of this thread: what all share, or a thread's.
    pub(crate) fn next_roots(&mut self, except: u32) -> Option<Whose> {
        let own = except as usize + 1;
        let mut left = self.begun.iter().enumerate();
        let (next, _) = left.find(|&(whose, &begun)| !begun && whose != own)?;
        self.begun[next] = true;
        Some(match (next as u32).checked_sub(1) {
            None => Whose::Shared,
            Some(thread) => Whose::Thread(thread),
        })
    }

    fn place(&self, address: Address) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (address.wrapping_mul(0x9e37_79b9) >> 7) as usize & mask;
        while self.slots[at].stamp == self.stamp && self.slots[at].address != address {
            at = (at + 1) & mask;
        }
        at
    }

    /// The label of an object that was met.
    pub(crate) fn label(&self, address: Address) -> Option<u32> {
        let slot = self.slots.get(self.place(address))?;
        (slot.stamp == self.stamp).then_some(slot.label)
    }

    /// Meets an object on the way from what `label` stands for; it must be followed if that is news.
    pub(crate) fn meet(&mut self, address: Address, label: u32) {
        let at = self.place(address);
        let known = (self.slots[at].stamp == self.stamp).then_some(self.slots[at].label);
        let merged = match known {
            None => label,
            Some(old) if old == label || old == SHARED => return,
            Some(old) if self.sets && old | label == old => return,
            Some(old) if self.sets => old | label,
            Some(_) => SHARED,
        };
        self.slots[at] = Slot {
            address,
            label: merged,
            stamp: self.stamp,
        };
        self.work.push((address, merged));
        if known.is_none() {
            self.used += 1;
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.into_iter().filter(|slot| slot.stamp == self.stamp) {
            let at = self.place(slot.address);
            self.slots[at] = slot;
        }
    }
}

/// The words of the image that hold references and were ever written, ascending.
#[derive(Default)]
struct Roots {
    words: Vec<Address>,
    /// How many words had been written when these were found.
    seen: usize,
}

/// The labels that are kept.
#[derive(Default)]
pub(crate) struct Reachability {
    /// Of the state at hand.
    all: Reach,
    /// What is reached by others than one thread, for as long as only that one moves.
    others: Reach,
    others_than: u32,
    /// Which threads reach what.
    holders: Reach,
    /// Room for questions that are asked once.
    room: Reach,
    roots: Roots,
    /// The words of the main thread's object and of its holder, each if it can be told who reaches it.
    main_objects: [Range<Address>; 2],
}

impl Reachability {
    /// The state is another one: who reached what is forgotten.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.all.valid = false;
        self.holders.valid = false;
        self.others.valid = false;
    }

    /// The same, where only this thread has moved, forward or back. If it has not stirred ([`Machine::stirs`]), the others reach what
    /// they reached before.
    ///
    /// [`Machine::stirs`]: crate::machine::Machine::stirs
    #[inline]
    pub(crate) fn forget_of(&mut self, number: u32, stirs: bool) {
        let kept = self.others.valid && self.others_than == number && !stirs;
        self.forget();
        self.others.valid = kept;
    }

    /// The labels by which it is told whether a thread alone reaches something; to be put back. `moves` if it is the one that moves.
    pub(crate) fn take_for(&mut self, number: u32, moves: bool) -> Reach {
        if moves && self.others_than != number {
            self.others_than = number;
            self.others.valid = false;
        }
        std::mem::take(if moves { &mut self.others } else { &mut self.all })
    }

    /// Puts them back.
    pub(crate) fn put_back(&mut self, reach: Reach, moves: bool) {
        *(if moves { &mut self.others } else { &mut self.all }) = reach;
    }

    /// The sets of threads that reach something, to be put back; and whether they are those of the state at hand.
    pub(crate) fn take_holders(&mut self) -> (Reach, bool) {
        let holders = std::mem::take(&mut self.holders);
        let is_valid = holders.valid;
        (holders, is_valid)
    }

    /// Puts them back, found for the state at hand.
    pub(crate) fn put_holders(&mut self, holders: Reach) {
        self.holders = holders;
        self.holders.valid = true;
    }

    /// Room for labels, to be put back.
    pub(crate) fn take_room(&mut self) -> Reach {
        let mut room = std::mem::take(&mut self.room);
        room.begin();
        room
    }

    /// Puts it back.
    pub(crate) fn put_room(&mut self, room: Reach) {
        self.room = room;
    }

    /// Says where in the image the main thread's own objects lie: those of which it can be told who reaches them.
    pub(crate) fn set_main_objects(&mut self, objects: [Range<Address>; 2]) {
        self.main_objects = objects;
    }

    /// Whether an object of the image is one of these.
    #[inline]
    pub(crate) fn is_main(&self, object: Address) -> bool {
        object != 0 && self.main_objects.iter().any(|words| words.start == object)
    }

    /// Forgets which words of the image were ever written.
    pub(crate) fn forget_roots(&mut self) {
        self.roots = Roots::default();
    }

    /// Finds the words of the image that hold references and were ever written, but for those of the main thread's own objects.
    pub(crate) fn find_roots(&mut self, memory: &mut Memory, roles: &Roles) {
        let known = memory.touched_count();
        if self.roots.seen != known {
            let is_main = |at: Address| self.main_objects.iter().any(|words| words.contains(&at));
            let is_root = |&&at: &&Address| bit(&roles.references, at) && !is_main(at);
            self.roots.words.clear();
            self.roots.words.extend(memory.touched().iter().filter(is_root));
            self.roots.seen = known;
        }
    }

    /// The words that were found.
    pub(crate) fn roots(&self) -> &[Address] {
        &self.roots.words
    }
}
