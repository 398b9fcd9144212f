//! `final`: final fields.
//!
//! A final field that is written only before its object is shared never changes for anybody else, so reading it commutes.
//! With the local variables, which are in no footprint, this is the yardstick LocalFinal of Stoller and Cohen (2006, section 11).
//!
//! That it is not written later (by a constructor that gave `this` away, or by reflection) is assumed for each class, and
//! checked.

use crate::Ample;
use crate::description::Description;
use crate::independence::{Independence, Watcher};
use crate::settled::{SETTLED, Settled};
use kernel::{AssumptionKind, Assumptions, Instrumentation, Location, MemoryAccess, ThreadId, View};

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::ESCAPE_BITS.and(Instrumentation::FINALS_APART),
    assumes: &[&FINAL, &SETTLED],
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new(
        "final",
        "nor are final fields that are set before their object is shared; checked",
    )
};

/// Final fields of a class are not written after their object is shared.
pub(crate) static FINAL: AssumptionKind = AssumptionKind::new("final", 30, |assumption, of| match assumption.class {
    STATICS => "static final fields are not written once their class is initialised".to_owned(),
    _ => format!("final fields of {of} are not written once an object is shared"),
});

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(20, Box::new(FinalField));
    ample.prove(20, Box::new(Settled));
}

/// The independence.
pub(crate) struct FinalField;

/// Stands for the static fields, whose objects have no class of their own.
const STATICS: u32 = 0;

impl<S: View> Independence<S> for FinalField {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        _thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool {
        if !touch.access.is_read() || !system.is_final(state, touch.location) {
            return false;
        }
        assumptions.try_rely(FINAL.of(system.class_of(state, touch.location).unwrap_or(STATICS)))
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

impl<S: View> Watcher<S> for FinalField {
    fn watches(&self, system: &S, state: &mut S::State, location: Location, _assumptions: &Assumptions) -> bool {
        system.is_final(state, location)
    }

    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        if touch.access.is_read() || touch.location.cell == Location::MONITOR {
            return;
        }
        // A write to a whole object is one to each of its final fields.
        let mut parts = Vec::new();
        if touch.location.cell == Location::WHOLE {
            system.parts(state, touch, &mut parts);
        }
        let of_location = [touch.location].into_iter();
        let mut locations = of_location.chain(parts.into_iter().map(|part| part.location));
        if locations.any(|location| system.is_final(state, location)) && system.has_escaped(state, touch.location) {
            let class = system.class_of(state, touch.location).unwrap_or(STATICS);
            assumptions.violate(FINAL.of(class), thread, touch.location);
        }
    }

    fn begins_again(&mut self, _system: &S, _state: &mut S::State, _assumptions: &Assumptions) {}
}
