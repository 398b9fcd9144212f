//! What threads and actions are called in states with the same vector.

use crate::{System, ThreadId};

/// A part of [`crate::View`].
pub trait Symmetry: System {
    /// Whether a thread may be met under another number, in a state that has the same vector.
    fn is_renamed(&self, state: &mut Self::State, thread: ThreadId) -> bool;

    /// What an action of this state is called, by a name that means the same in every state with the same vector, and is the same
    /// again when it is one of another state; `None` where threads or objects are renamed.
    fn name(&self, state: &mut Self::State, action: Self::Action) -> Option<u64>;
}
