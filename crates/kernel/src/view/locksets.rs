//! What the accesses to a location so far have in common.

use crate::{AccessKind, Location, System, ThreadId};

/// A part of [`crate::View`].
pub trait Locksets: System {
    /// By what a location would be known to be protected once this thread had accessed it now.
    fn protection(
        &self,
        state: &mut Self::State,
        thread: ThreadId,
        location: Location,
        access: AccessKind,
    ) -> Option<Protection>;

    /// Whether [`Locksets::protection`] may have an answer for a location of this kind.
    fn may_be_protected(&self, state: &mut Self::State, location: Location) -> bool;

    /// It is not assumed any more that some lock protects a variable; if it is left open, not that it has only one user either. What
    /// a state knows of its accesses is that much more or less. The state is the first one.
    fn reconsider(&self, state: &mut Self::State, variable: (u32, u32), open: bool);
}

/// What all accesses to a location since it became shared have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// None of them wrote.
    ReadOnly,
    /// Some lock was held at each.
    Locked,
    /// No lock was; whether it was always the same thread was not noted.
    Unlocked,
    /// Nothing.
    Open,
}
