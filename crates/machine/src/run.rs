//! What a run under one schedule keeps besides the state: who waited longest, how many turns are left, when to collect garbage.
//!
//! Nothing of it is of use while states are explored: there no thread is served first, and nothing is collected.

use crate::memory::Address;
use std::cell::Cell;

/// The run.
pub(crate) struct Run {
    /// Threads in the order in which they began to wait for something: who waited longest is served first.
    arrivals: Vec<u32>,
    /// How many more turns it may give to threads.
    turns: u64,
    /// Whether the present turn ends because the thread gave way.
    gave_way: bool,
    /// How far the heap may grow before it is collected.
    collect_at: Address,
    /// Whether an instruction has found the heap full right after a collection.
    starved: bool,
    /// The option that it has once gone beyond.
    lack: Cell<Option<&'static str>>,
}

impl Run {
    /// A run without an end, that first collects when the heap has grown so far.
    pub(crate) fn new(collect_at: Address) -> Run {
        Run {
            arrivals: Vec::new(),
            turns: u64::MAX,
            gave_way: false,
            collect_at,
            starved: false,
            lack: Cell::new(None),
        }
    }

    /// A thread begins to wait.
    pub(crate) fn note_arrival(&mut self, thread: u32) {
        self.arrivals.retain(|&other| other != thread);
        self.arrivals.push(thread);
    }

    /// Nobody waits any more.
    pub(crate) fn forget_arrivals(&mut self) {
        self.arrivals.clear();
    }

    /// Which of these threads waited longest.
    pub(crate) fn longest_waiting(&self, waiting: &[u32]) -> Option<u32> {
        let arrived = |number: &&u32| self.arrivals.iter().position(|other| other == *number);
        waiting.iter().min_by_key(arrived).copied()
    }

    /// Says how many more turns there are.
    pub(crate) fn limit_turns(&mut self, turns: u64) {
        self.turns = turns;
    }

    /// Takes one of them; `false` if none is left.
    pub(crate) fn take_turn(&mut self) -> bool {
        let is_left = self.turns > 0;
        self.turns -= u64::from(is_left);
        is_left
    }

    /// The thread gives way: its turn is over.
    pub(crate) fn give_way(&mut self) {
        self.gave_way = true;
    }

    /// Whether the turn ended like that; asked once.
    pub(crate) fn take_gave_way(&mut self) -> bool {
        std::mem::take(&mut self.gave_way)
    }

    /// Whether the heap has grown so far that it is to be collected.
    #[inline(always)]
    pub(crate) fn is_collection_due(&self, top: Address) -> bool {
        top >= self.collect_at
    }

    /// Says how far it may grow.
    pub(crate) fn collect_at(&mut self, top: Address) {
        self.collect_at = top;
    }

    /// Says whether an instruction has found the heap full right after a collection.
    pub(crate) fn set_starved(&mut self, starved: bool) {
        self.starved = starved;
    }

    /// Whether that is so; asked once.
    pub(crate) fn take_starved(&mut self) -> bool {
        std::mem::take(&mut self.starved)
    }

    /// It goes beyond what this option allows. The first of these is remembered.
    pub(crate) fn note_lack(&self, option: &'static str) {
        self.lack.set(self.lack.get().or(Some(option)));
    }

    /// The option that it has gone beyond.
    pub(crate) fn lack(&self) -> Option<&'static str> {
        self.lack.get()
    }

    /// From here on it has gone beyond none.
    pub(crate) fn forget_lack(&self) {
        self.lack.set(None);
    }
}
