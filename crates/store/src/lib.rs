//! Visited states.
//!
//! Three tables behind one trait: [`Exact`] keeps every state and loses nothing, [`Fingerprint`] keeps 128 bits of
//! each, [`Bits`] a few bits of each. None of them knows what the words mean.
//!
//! A table is shared by all explorers. What one explorer remembers, so that it need not look everything up, is its [`Inserter`].

use kernel::StateVector;
use std::sync::{Mutex, MutexGuard, PoisonError};

mod arrays;
mod bits;
mod cursor;
mod epochs;
mod exact;
mod fingerprint;
mod fold;
mod hash;
mod id;
mod index;
mod latch;
mod names;
mod pieces;
mod recent;
mod section;
mod slab;

pub use bits::Bits;
pub use cursor::Cursor;
pub use exact::Exact;
pub use fingerprint::Fingerprint;
pub use id::{SideTable, StateId, StateSet};

/// What an insertion found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which state it is. [`Bits`] cannot tell.
    pub id: Option<StateId>,
    /// Whether it was not there before.
    pub new: bool,
}

/// The set of states that were visited, for many threads.
pub trait StateTable: Sync {
    /// A way in for one more explorer.
    fn inserter(&self) -> Box<dyn Inserter + '_>;

    /// Appends the words of a state to `out`; `false` if the table does not keep them or has no such state.
    fn get(&self, id: StateId, out: &mut Vec<u32>) -> bool;

    /// How many states were entered.
    fn len(&self) -> u64;

    /// Whether none was.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all states.
    fn clear(&mut self);

    /// All memory that the table holds, in bytes: items, indexes, spare room.
    fn bytes(&self) -> u64;

    /// How likely it is that two different states were taken for one; 0 for a table that keeps them.
    fn collision_probability(&self) -> f64;
}

/// What one explorer enters states with. Explorers of one table agree on all numbers.
pub trait Inserter: Send {
    /// Enters a state. `None` if there is no room left (numbers used up).
    fn insert(&mut self, vector: &StateVector) -> Option<Seen>;

    /// The number of a state, if it is there and that can be told. Nothing is entered.
    fn find(&mut self, _vector: &StateVector) -> Option<StateId> {
        None
    }

    /// The memory that it holds itself, in bytes.
    fn bytes(&self) -> u64;
}

/// Locks what a panic elsewhere cannot have left half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
