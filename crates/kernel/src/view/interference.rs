//! What the next steps of threads do to each other.

use crate::{System, ThreadId, Transition, Transitions};

/// A part of [`crate::View`].
pub trait Interference: System {
    /// Whether the next step of a thread may access objects that its footprint does not name. The footprint then has
    /// [`crate::Location::EVERYTHING`].
    fn is_wild(&self, state: &mut Self::State, thread: ThreadId) -> bool;

    /// Whether two enabled actions of different threads commute in this state: neither enables or disables the other, and both
    /// orders lead to the same state.
    fn commute(
        &self,
        state: &mut Self::State,
        transitions: &Transitions<Self::Action>,
        one: &Transition<Self::Action>,
        two: &Transition<Self::Action>,
    ) -> bool;

    /// Appends to `out` threads outside `still` that may, as long as none of `still` moves, do something that does not
    /// commute with the next step of one of `still`, or that lets one of them take a step that it cannot take now: some of them at
    /// least, if there are any. Two accesses that would be a race do not commute. `false`: nothing is known, it may be all.
    fn interfering_threads(&self, state: &mut Self::State, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool;
}
