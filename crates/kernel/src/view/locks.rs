//! Who has which lock, and whether it can be taken away.

use crate::{Location, System, ThreadId};

/// A part of [`crate::View`].
pub trait Locks: System {
    /// Whether a thread has the lock of the object of a location.
    fn holds(&self, state: &mut Self::State, thread: ThreadId, location: Location) -> bool;

    /// Appends the locks that a thread has.
    fn locks_of(&self, state: &mut Self::State, thread: ThreadId, out: &mut Vec<Location>);

    /// Whether a write to a location by this thread would take a lock from another one:
    /// [`crate::Locksets::protection`] rests on that it is not done.
    fn steals_lock(&self, state: &mut Self::State, thread: ThreadId, location: Location) -> bool;

    /// Locks of the kind that can be taken from another thread ([`Locks::steals_lock`]) count no more. The state is the first one.
    fn distrust(&self, state: &mut Self::State);
}
