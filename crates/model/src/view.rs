//! What reductions may ask about a state of a model.

use crate::code::{Model, OWNER_MASK};
use crate::system::{Action, State, What};
use kernel::{
    Describe, Discipline, Immutability, Interference, Location, Locks, MemoryAccess, Symmetry, ThreadId, Transactions,
    Transition, Transitions, Whereabouts,
};

// A model has no objects that could be local, and each of its variables is one by itself.
kernel::knows_nothing_of!(Model: Reachability, Locksets, Ownership, Variables);

impl Immutability for Model {
    fn is_final(&self, _state: &mut State, location: Location) -> bool {
        self.is_never_written(location)
    }

    fn is_settled(&self, _state: &mut State, _location: Location) -> bool {
        false
    }
}

/// Only who has a lock gives it back.
impl Locks for Model {
    fn holds(&self, state: &mut State, thread: ThreadId, location: Location) -> bool {
        // Who wakes up for no reason leaves the wait set without the lock.
        !self.spurious
            && location.cell == Location::MONITOR
            && location.object != 0
            && state.words[location.object as usize - 1] & OWNER_MASK == thread.0 + 1
    }

    fn locks_of(&self, state: &mut State, thread: ThreadId, out: &mut Vec<Location>) {
        self.add_locks(state, thread.0 as usize, out);
    }

    fn steals_lock(&self, _state: &mut State, _thread: ThreadId, _location: Location) -> bool {
        false
    }

    fn distrust(&self, _state: &mut State) {}
}

/// Every step says what it touches.
impl Interference for Model {
    fn is_wild(&self, _state: &mut State, _thread: ThreadId) -> bool {
        false
    }

    fn commute(
        &self,
        state: &mut State,
        transitions: &Transitions<Action>,
        one: &Transition<Action>,
        two: &Transition<Action>,
    ) -> bool {
        self.commute_steps(state, transitions, one, two)
    }

    fn interfering_threads(&self, state: &mut State, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool {
        self.add_interfering_threads(state, still, out);
        true
    }
}

/// Threads keep their numbers.
impl Symmetry for Model {
    fn is_renamed(&self, _state: &mut State, _thread: ThreadId) -> bool {
        false
    }

    fn name(&self, _state: &mut State, action: Action) -> Option<u64> {
        let (kind, number) = match action.what {
            What::Go => (0, 0),
            What::Choose(number) => (1, number),
            What::Wake(thread) => (2, thread),
            What::Spurious => (3, 0),
        };
        Some(u64::from(action.thread) << 34 | kind << 32 | u64::from(number))
    }
}

impl Transactions for Model {
    fn begins(&self, state: &mut State, thread: ThreadId) -> bool {
        let thread = thread.0 as usize;
        self.begins_step(state, thread) || self.changes_own_access(state, thread)
    }

    fn moves_left(&self, state: &mut State, thread: ThreadId, touch: MemoryAccess) -> bool {
        self.raises(state, thread.0 as usize, touch)
    }

    fn is_open(&self, _state: &mut State, location: Location) -> bool {
        self.is_awaited(location)
    }
}

impl Discipline for Model {
    fn has_access(&self, state: &mut State, thread: ThreadId, location: Location) -> Option<bool> {
        self.access(state, thread.0 as usize, location)
    }

    fn disputed(&self, state: &mut State, out: &mut Vec<(Location, ThreadId, ThreadId)>) {
        self.add_disputed(state, out);
    }

    fn expels(&self, state: &mut State, action: Action, out: &mut Vec<(Location, ThreadId)>) {
        self.add_expelled(state, action, out);
    }
}

impl Describe for Model {
    fn describe(&self, _state: &mut State, location: Location) -> String {
        self.location_name(location)
    }

    fn spot(&self, state: &mut State, thread: ThreadId) -> u64 {
        self.line(state, thread.0 as usize).unwrap_or_default().into()
    }

    fn whereabouts(&self, state: &mut State, thread: ThreadId) -> Whereabouts {
        Whereabouts {
            thread: self.thread_name(thread.0 as usize).to_owned(),
            line: self.line(state, thread.0 as usize).unwrap_or_default(),
            ..Whereabouts::default()
        }
    }
}
