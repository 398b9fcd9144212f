//! What proves that a touch commutes: one file for each way to do so.

use kernel::{AccessKind, Assumptions, Location, MemoryAccess, ThreadId, View};

/// Proves, for one touch of the next step of a thread in one state, that no other thread can interfere with it before.
/// `false` is always sound.
pub trait Independence<S: View>: Send {
    /// Whether nothing that the other threads may do from here on, before this step, conflicts with the touch. What the
    /// answer rests on is noted in `assumptions`.
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool;

    /// Whether it is also content with a step that touches nothing. What was proved about objects is about objects only, so that
    /// `escape-static` changes nothing where nothing was proved.
    fn takes_nothing(&self) -> bool {
        true
    }

    /// Whether an access to a location of this kind ([`kernel::Variables::kind_of`]) may break anything, as the assumptions stand. If not,
    /// accesses of this kind are not watched until another assumption is broken or dropped.
    fn watches(&self, _system: &S, _state: &mut S::State, _location: Location, _assumptions: &Assumptions) -> bool {
        true
    }

    /// Looks at an access to a known location that is about to happen, and notes in `assumptions` what it breaks.
    fn watch(
        &mut self,
        _system: &S,
        _state: &mut S::State,
        _thread: ThreadId,
        _touch: MemoryAccess,
        _assumptions: &mut Assumptions,
    ) {
    }

    /// The search starts over from this state, its first, with what is still assumed.
    fn begins_again(&mut self, _system: &S, _state: &mut S::State, _assumptions: &Assumptions) {}
}

/// Whether a thread gives back a monitor that it has: nobody else can do anything to a monitor that has an owner. Who waits
/// there and is notified, or leaves without, is touched by himself.
pub(crate) fn gives_back<S: View>(system: &S, state: &mut S::State, thread: ThreadId, touch: MemoryAccess) -> bool {
    touch.location.cell == Location::MONITOR
        && touch.access == AccessKind::Release
        && system.holds(state, thread, touch.location)
}
