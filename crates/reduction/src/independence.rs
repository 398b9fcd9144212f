//! What proves that a touch commutes: one file for each way to do so.

use kernel::{AccessKind, Assumptions, Location, MemoryAccess, ThreadId, View};

/// Proves, for one touch of the next step of a thread in one state, that no other thread can interfere with it before.
/// `false` is always sound. No method has a default, so that an independence cannot forget one.
pub trait Independence<S: View>: Watcher<S> + Send {
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
    fn takes_nothing(&self) -> bool;
}

/// Looks at what is about to happen, for what breaks an assumption that an independence relies on. One that relies on none, or on
/// those of another that watches them, says so ([`crate::watches_nothing`]).
pub trait Watcher<S: View> {
    /// Whether an access to a location of this kind ([`kernel::Variables::kind_of`]) may break anything, as the assumptions stand. If not,
    /// accesses of this kind are not watched until another assumption is broken or dropped.
    fn watches(&self, system: &S, state: &mut S::State, location: Location, assumptions: &Assumptions) -> bool;

    /// Looks at an access to a known location that is about to happen, and notes in `assumptions` what it breaks.
    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    );

    /// The search starts over from this state, its first, with what is still assumed.
    fn begins_again(&mut self, system: &S, state: &mut S::State, assumptions: &Assumptions);
}

/// Makes a type a [`Watcher`] that has nothing to look for.
///
/// SOUNDNESS: for independences that rely on no assumption, or only on kinds that another one of the same combination watches.
#[macro_export]
macro_rules! watches_nothing {
    ($independence:ty) => {
        impl<S: $crate::kernel::View> $crate::Watcher<S> for $independence {
            fn watches(
                &self,
                _: &S,
                _: &mut S::State,
                _: $crate::kernel::Location,
                _: &$crate::kernel::Assumptions,
            ) -> bool {
                false
            }

            fn watch(
                &mut self,
                _: &S,
                _: &mut S::State,
                _: $crate::kernel::ThreadId,
                _: $crate::kernel::MemoryAccess,
                _: &mut $crate::kernel::Assumptions,
            ) {
            }

            fn begins_again(&mut self, _: &S, _: &mut S::State, _: &$crate::kernel::Assumptions) {}
        }
    };
}

/// Whether a thread gives back a monitor that it has: nobody else can do anything to a monitor that has an owner. Who waits
/// there and is notified, or leaves without, is touched by himself.
pub(crate) fn gives_back<S: View>(system: &S, state: &mut S::State, thread: ThreadId, touch: MemoryAccess) -> bool {
    touch.location.cell == Location::MONITOR
        && touch.access == AccessKind::Release
        && system.holds(state, thread, touch.location)
}
