//! The user's rules about exclusive access.

use crate::{Location, System, ThreadId};

/// A part of [`crate::View`].
pub trait Discipline: System {
    /// Whether a thread has exclusive access to a location, by a rule that the user has given; `None` if there is no rule.
    fn has_access(&self, state: &mut Self::State, thread: ThreadId, location: Location) -> Option<bool>;

    /// Appends the locations to which two threads have exclusive access at once, by the user's rules.
    fn disputed(&self, state: &mut Self::State, out: &mut Vec<(Location, ThreadId, ThreadId)>);

    /// Appends the locations to which another thread loses its exclusive access by this action, by the user's rules. The state is as it
    /// was afterwards.
    fn expels(&self, state: &mut Self::State, action: Self::Action, out: &mut Vec<(Location, ThreadId)>);
}
