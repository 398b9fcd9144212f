//! What a reduction may ask about a state, besides its transitions: a file for each subject.
//!
//! A state may keep caches, so it is lent for writing; it does not change. No question has an answer of its own: a system that
//! forgets one does not compile. A system that has nothing to say about a subject says so ([`crate::knows_nothing_of`]), one that stands
//! for another is a [`crate::Wrapper`].

mod describe;
mod discipline;
mod immutability;
mod interference;
mod locks;
mod locksets;
mod nothing;
mod ownership;
mod reachability;
mod symmetry;
mod transactions;
mod variables;

pub use describe::{Describe, Whereabouts};
pub use discipline::Discipline;
pub use immutability::Immutability;
pub use interference::Interference;
pub use locks::Locks;
pub use locksets::{Locksets, Protection};
pub use ownership::{OwnerAccess, Ownership};
pub use reachability::Reachability;
pub use symmetry::Symmetry;
pub use transactions::Transactions;
pub use variables::Variables;

/// A look at a state of a system whose locations belong to objects, some of which threads share: all the questions together.
pub trait View:
    Reachability
    + Immutability
    + Locks
    + Locksets
    + Ownership
    + Variables
    + Interference
    + Symmetry
    + Transactions
    + Discipline
    + Describe
{
}

impl<S> View for S where
    S: Reachability
        + Immutability
        + Locks
        + Locksets
        + Ownership
        + Variables
        + Interference
        + Symmetry
        + Transactions
        + Discipline
        + Describe
{
}
