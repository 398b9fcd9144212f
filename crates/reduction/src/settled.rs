//! `final`, for what is settled before the program begins: volatile fields of the library that are only read from then on.
//!
//! The library looks at such fields all the time: how far the JDK has started, the highest priority of a thread group, the table of a
//! cache that is filled. They are not final, but a location that is not written any more commutes with whatever the others do.
//!
//! Which locations these are is assumed, for each by itself. SOUNDNESS: the location exists in the first state, and has the same name in all.
//! Let some execution have a first write to it; all reads before commute with what comes before them, so an execution that takes
//! them early and was not left out has it, too. There it is seen, because every access is looked at.

use crate::independence::{Independence, Watcher};
use kernel::{Assumption, AssumptionKind, Assumptions, Location, MemoryAccess, ThreadId, View};

/// A location of an object of a class, which was there before the first step, is not written any more.
pub(crate) static SETTLED: AssumptionKind = AssumptionKind::new("settled", 90, |_, of| {
    format!("some fields of {of} are not written once the program runs")
});

/// The independence.
pub(crate) struct Settled;

/// Stands for the static fields, whose objects have no class of their own.
const STATICS: u32 = 0;

fn assumption<S: View>(system: &S, state: &mut S::State, location: Location) -> Assumption {
    let class = system.class_of(state, location).unwrap_or(STATICS);
    Assumption {
        object: location.object,
        ..SETTLED.of_cell(class, location.cell)
    }
}

impl<S: View> Independence<S> for Settled {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        _thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool {
        let location = touch.location;
        if !touch.access.is_read()
            || matches!(location.cell, Location::MONITOR | Location::WHOLE)
            || !system.is_settled(state, location)
        {
            return false;
        }
        // Who writes the whole object writes the field.
        let cell = Location::WHOLE;
        let whole = assumption(system, state, Location { cell, ..location });
        let field = assumption(system, state, location);
        assumptions.holds(whole) && assumptions.try_rely(field) && assumptions.try_rely(whole)
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

impl<S: View> Watcher<S> for Settled {
    fn watches(&self, _system: &S, _state: &mut S::State, _location: Location, _assumptions: &Assumptions) -> bool {
        true
    }

    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        if !touch.access.is_read()
            && touch.location.cell != Location::MONITOR
            && system.is_settled(state, touch.location)
        {
            let assumption = assumption(system, state, touch.location);
            assumptions.violate(assumption, thread, touch.location);
        }
    }

    fn begins_again(&mut self, _system: &S, _state: &mut S::State, _assumptions: &Assumptions) {}
}
