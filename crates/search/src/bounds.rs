//! The bound on preemptions (Musuvathi and Qadeer, PLDI 2007).
//!
//! A bounded search leaves out schedules with more switches between threads than the bound allows. It says so (`was_cut`), unless there
//! are none.
//!
//! Which reductions go with it is for these to say ([`kernel::Reduction::keeps_preemptions`]).
//!
//! SOUNDNESS: what is cut at a state depends on the schedule that led there, so states with another schedule are other states: the
//! schedule is part of the vector.

use kernel::{StateVector, System, ThreadId};

/// What the future depends on besides the state, when preemptions are bounded.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Who moved last, by its number in the state at hand.
    pub last: Option<ThreadId>,
    /// How much of the bound is used up.
    pub used: u32,
}

impl Schedule {
    /// How many words it takes in a vector.
    const WORDS: usize = 2;

    /// What follows it when a thread moves, at such a cost.
    pub fn after(self, thread: ThreadId, costs: bool) -> Schedule {
        Schedule {
            last: Some(thread),
            used: self.used + u32::from(costs),
        }
    }

    /// Appends it to the vector of the state at hand, where who moved last, if it is alive, goes by its number in the vector.
    pub fn write<S: System>(self, system: &S, state: &mut S::State, vector: &mut StateVector) {
        let last = self.last.and_then(|last| system.canonical_id(state, last));
        vector.extend(&[last.map_or(0, |thread| thread.0 + 1), self.used]);
        vector.end_chunk();
    }

    /// Takes the schedule off the words of a state that was stored with it.
    pub fn take_from(words: &mut Vec<u32>) -> Schedule {
        let tail = words.split_off(words.len() - Schedule::WORDS);
        Schedule {
            last: tail[0].checked_sub(1).map(ThreadId),
            used: tail[1],
        }
    }
}

/// Which switches between threads are bounded.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// How many there may be.
    pub limit: u32,
    /// Whether every switch counts, or only one away from a thread that could have gone on.
    pub every: bool,
}

impl Bound {
    /// Whether it counts when another thread moves than the one that moved last, which could go on or not.
    pub fn counts(self, schedule: Schedule, could_go_on: bool) -> bool {
        could_go_on || self.every && schedule.last.is_some()
    }

    /// Whether there is nothing left for what counts.
    pub fn is_used_up(self, schedule: Schedule) -> bool {
        schedule.used >= self.limit
    }
}
