//! `selflock`: weak self-locking (Dwyer et al., section 6.1).
//!
//! A class is self-locking if its shared objects are only accessed by threads that have locked them. Whoever has locked one has it
//! for himself until he gives the lock back, and an access then commutes. Taking a lock does not: another thread may take it first.
//!
//! That a class is self-locking is assumed. SOUNDNESS: every access to an object that was ever shared must keep to it, also one that
//! commutes for another reason; that the object happens to be local now does not excuse it, because the schedule in which it
//! was not may be the one that was left out.

use crate::Ample;
use crate::description::Description;
use crate::independence::{Independence, Watcher, gives_back};
use kernel::{AssumptionKind, Assumptions, Instrumentation, Location, MemoryAccess, ThreadId, View};

const OPTION: &str = "--self-locking";

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::ESCAPE_BITS,
    assumes: &[&SELF_LOCKING],
    hears: Some(OPTION),
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new(
        "selflock",
        "nor are objects that the thread has locked, if nobody uses them without; guessed and checked",
    )
};

/// Objects of a class, once shared, are only accessed by threads that have locked them.
pub(crate) static SELF_LOCKING: AssumptionKind = AssumptionKind {
    claimed_by: Some(OPTION),
    ..AssumptionKind::new("self-locking", 10, |_, of| {
        format!("objects of {of} are only used by threads that have locked them")
    })
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(50, Box::new(SelfLock));
}

/// The independence.
struct SelfLock;

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
        assumptions.try_rely(SELF_LOCKING.of(class))
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

impl<S: View> Watcher<S> for SelfLock {
    fn watches(&self, system: &S, state: &mut S::State, location: Location, assumptions: &Assumptions) -> bool {
        let class = system.class_of(state, location);
        class.is_some_and(|class| assumptions.stands(SELF_LOCKING.of(class)))
    }

    fn watch(
        &mut self,
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
            && assumptions.holds(SELF_LOCKING.of(class))
            && !system.holds(state, thread, touch.location)
            && system.has_escaped(state, touch.location)
        {
            assumptions.violate(SELF_LOCKING.of(class), thread, touch.location);
        }
    }

    fn begins_again(&mut self, _system: &S, _state: &mut S::State, _assumptions: &Assumptions) {}
}
