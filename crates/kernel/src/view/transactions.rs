//! Which steps of a thread can be taken as one.

use crate::{Location, MemoryAccess, System, ThreadId};

/// A part of [`crate::View`].
pub trait Transactions: System {
    /// Whether the next step of a thread must begin a step of its own, for a reduction that takes several as one: it is the thread's
    /// first, may have to wait, begins to wait, or may give another thread exclusive access to something.
    fn begins(&self, state: &mut Self::State, thread: ThreadId) -> bool;

    /// Whether a touch by the next step of a thread commutes with whatever others do to that location just before.
    fn moves_left(&self, state: &mut Self::State, thread: ThreadId, touch: MemoryAccess) -> bool;

    /// Whether nothing is assumed about how a location is protected: threads wait for its value, or it is made to be accessed by
    /// several at once.
    fn is_open(&self, state: &mut Self::State, location: Location) -> bool;
}
