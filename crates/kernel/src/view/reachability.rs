//! Which threads can get hold of an object.

use crate::{Location, System, ThreadId};

/// A part of [`crate::View`].
pub trait Reachability: System {
    /// Whether no other thread than this one can get hold of the object of a location in this state, be it from its live
    /// variables or from what all threads share.
    fn is_local(&self, state: &mut Self::State, thread: ThreadId, location: Location) -> bool;

    /// The same, if it is known or soon found out.
    fn is_soon_known_local(&self, state: &mut Self::State, thread: ThreadId, location: Location) -> Option<bool>;

    /// As [`Reachability::is_local`], where the other threads cannot get past objects that this thread has locked and whose class
    /// `locks` accepts.
    fn is_dominated(
        &self,
        state: &mut Self::State,
        thread: ThreadId,
        location: Location,
        locks: &dyn Fn(u32) -> bool,
    ) -> bool;

    /// Whether the object of a location was shared in this state or some earlier one of its execution.
    fn has_escaped(&self, state: &mut Self::State, location: Location) -> bool;

    /// Whether it was proved beforehand that the object of a location never becomes shared.
    fn is_proved_local(&self, state: &mut Self::State, location: Location) -> bool;
}
