//! What a search asks before it expands a state.

use crate::{Menu, System, ThreadId};

/// Chooses which thread is enough to be tried at a state.
///
/// SOUNDNESS: whatever is left out is left out for good, so "all of them" is the answer wherever a proof is missing. The
/// search itself sees to it that no thread is left out for ever around a cycle.
pub trait Reduction<S: System> {
    /// A thread with an enabled action whose actions are enough here: each of its current actions, disabled ones
    /// included, commutes with everything that the other threads may do before it. `None`: all must be tried.
    /// `last` moved last and is tried first, so that schedules stay sequential.
    fn ample(
        &mut self,
        system: &S,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        last: Option<ThreadId>,
    ) -> Option<ThreadId>;

    /// Whether a state with a single successor need not be stored.
    fn is_atomic(&self) -> bool;

    /// Whether something that was relied on has turned out to be wrong: what was left out may have been needed.
    fn is_broken(&self) -> bool {
        false
    }

    /// Forgets what was relied on and is wrong: the search starts over. Whether there was any such thing.
    fn mend(&mut self) -> bool {
        false
    }
}
