//! Visited states.
//!
//! Three stores behind one trait: [`Exact`] keeps every state and loses nothing, [`Fingerprint`] keeps 128 bits of
//! each, [`Bits`] a few bits of each. None of them knows what the words mean.

use kernel::StateVector;

mod bits;
mod exact;
mod fingerprint;
mod fold;
mod hash;
mod index;
mod nodes;
mod pairs;
mod pieces;
mod recent;
mod roots;
mod section;
mod slab;

pub use bits::Bits;
pub use exact::Exact;
pub use fingerprint::Fingerprint;

/// What an insertion found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The number of the state: 0, 1, 2, … in the order of first insertion. [`Bits`] cannot tell and says `u32::MAX`.
    pub id: u32,
    /// Whether it was not there before.
    pub new: bool,
}

/// The set of states that were visited.
pub trait Visited {
    /// Enters a state. `None` if there is no room left (32-bit numbers used up).
    fn insert(&mut self, vector: &StateVector) -> Option<Seen>;

    /// The number of a state, if it is there and that can be told without entering it.
    fn find(&mut self, _vector: &StateVector) -> Option<u32> {
        None
    }

    /// Appends the words of a state to `out`; `false` if the store does not keep them or has no such state.
    fn get(&self, id: u32, out: &mut Vec<u32>) -> bool;

    /// How many states were entered.
    fn len(&self) -> u64;

    /// Whether none was.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all states.
    fn clear(&mut self);

    /// All memory that the store holds, in bytes: tables, indexes, spare room.
    fn bytes(&self) -> u64;

    /// How likely it is that two different states were taken for one; 0 for a store that keeps them.
    fn collision_probability(&self) -> f64;
}
