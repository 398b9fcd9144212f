//! The state at hand in the table: it is written down at most once, however often it is asked about.

use crate::bounds::Schedule;
use kernel::{StateVector, System};
use store::{Inserter, Seen, StateId};

/// An explorer's way into the table.
pub(crate) struct Entry<'a> {
    inserter: Box<dyn Inserter + 'a>,
    /// The vector of the state that was written down last, with its schedule if there is a bound.
    pub vector: StateVector,
    /// Whether that is the state at hand, and the state's number, if it is known already.
    is_written: bool,
    found: Option<StateId>,
}

impl<'a> Entry<'a> {
    /// No state is at hand.
    pub fn new(inserter: Box<dyn Inserter + 'a>) -> Self {
        Entry {
            inserter,
            vector: StateVector::default(),
            is_written: false,
            found: None,
        }
    }

    /// Another state is at hand.
    #[inline]
    pub fn move_on(&mut self) {
        (self.is_written, self.found) = (false, None);
    }

    /// Writes the state at hand down, with its schedule if that is bounded.
    pub fn write<S: System>(&mut self, system: &S, state: &mut S::State, schedule: Option<Schedule>) {
        if self.is_written {
            return;
        }
        self.vector.clear();
        system.encode(state, &mut self.vector);
        self.vector.end_chunk();
        if let Some(schedule) = schedule {
            schedule.write(system, state, &mut self.vector);
        }
        self.is_written = true;
    }

    /// Whether the state at hand, which is written down, was entered before.
    pub fn find(&mut self) -> bool {
        self.found = self.inserter.find(&self.vector);
        self.found.is_some()
    }

    /// Enters the state at hand, which is written down. `None` if there is no room left.
    pub fn insert(&mut self) -> Option<Seen> {
        match self.found {
            id @ Some(_) => Some(Seen { id, new: false }),
            None => self.inserter.insert(&self.vector),
        }
    }

    /// Whether another state than the one at hand was entered before.
    pub fn has(&mut self, vector: &StateVector) -> bool {
        self.inserter.find(vector).is_some()
    }

    /// The memory that the table's inserter holds itself, in bytes.
    pub fn bytes(&self) -> u64 {
        self.inserter.bytes()
    }
}
