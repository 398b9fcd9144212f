//! `selflock`: weak self-locking (Dwyer et al., section 6.1).
//!
//! A class is self-locking if its shared objects are only accessed by threads that have locked them. Whoever has locked one has it
//! for himself until he gives the lock back, and an access then commutes. Taking a lock does not: another thread may take it first.
//!
//! That a class is self-locking is assumed. SOUNDNESS: every access to an object that was ever shared must keep to it, also one that
//! commutes for another reason; that the object happens to be local now does not excuse it, because the schedule in which it
//! was not may be the one that was left out.

use crate::assumption::{Assumption, Assumptions};
use crate::independence::{Independence, gives_back};
use kernel::{Location, MemoryAccess, ThreadId, View};

/// The independence.
pub struct SelfLock;

/// Whether an access to a location may be against self-locking.
pub(crate) fn watches<S: View>(
    system: &S,
    state: &mut S::State,
    location: Location,
    assumptions: &Assumptions,
) -> bool {
    let class = system.class_of(state, location);
    class.is_some_and(|class| assumptions.stands(Assumption::SelfLocking(class)))
}

/// Notes an access that does not keep to self-locking.
pub(crate) fn watch<S: View>(
    system: &S,
    state: &mut S::State,
    thread: ThreadId,
    touch: MemoryAccess,
    assumptions: &mut Assumptions,
) {
    if touch.location.cell == Location::MONITOR {
        return;
    }
    if let Some(class) = system.class_of(state, touch.location)
        && assumptions.holds(Assumption::SelfLocking(class))
        && !system.holds(state, thread, touch.location)
        && system.has_escaped(state, touch.location)
    {
        assumptions.violate(Assumption::SelfLocking(class), thread, touch.location);
    }
}

impl<S: View> Independence<S> for SelfLock {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool {
        let Some(class) = system.class_of(state, touch.location) else {
            return false;
        };
        if gives_back(system, state, thread, touch) {
            return true;
        }
        if touch.location.cell == Location::MONITOR || !system.holds(state, thread, touch.location) {
            return false;
        }
        let assumption = Assumption::SelfLocking(class);
        let holds = assumptions.holds(assumption);
        if holds {
            assumptions.rely(assumption);
        }
        holds
    }

    fn watches(&self, system: &S, state: &mut S::State, location: Location, assumptions: &Assumptions) -> bool {
        watches(system, state, location, assumptions)
    }

    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        watch(system, state, thread, touch, assumptions);
    }
}
