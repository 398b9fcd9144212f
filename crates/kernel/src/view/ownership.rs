//! Objects that stand for a thread, and locks that name their owner.

use crate::{Location, MemoryAccess, System, ThreadId};

/// A part of [`crate::View`].
pub trait Ownership: System {
    /// Whether the object of a location stands for this thread; `None` if it stands for none: one that is yet to be started, or has
    /// ended, is none.
    fn stands_for(&self, state: &mut Self::State, thread: ThreadId, location: Location) -> Option<bool>;

    /// What an access by this thread, its next step, has to do with who has a lock; `None` if nothing.
    fn owner_access(&self, state: &mut Self::State, thread: ThreadId, touch: MemoryAccess) -> Option<OwnerAccess>;

    /// Whether [`Ownership::owner_access`], [`Ownership::stands_for`] or [`crate::Locks::steals_lock`] may have an answer for a
    /// location of this kind.
    fn may_be_held(&self, state: &mut Self::State, location: Location) -> bool;
}

/// What an access has to do with who has a lock that names its owner. All is in order as long as the owner is named and removed by
/// himself only, others look there only to find out whether it is they, and nobody else changes the lock meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerAccess {
    /// It is not in order.
    Broken,
    /// It is.
    Kept,
    /// It is, and comes to the same whatever others do in order before.
    Own,
}
