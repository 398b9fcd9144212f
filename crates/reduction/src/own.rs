//! `own`: a thread's own object, the locks that name it, and a clock that nobody else looks at.
//!
//! A `Thread` object is in the hands of whoever started it, and of the thread itself. Most of its fields are nobody's business but
//! the thread's own: what it runs, its local variables, all that is cleared when it ends. A field that, once the object is
//! shared, only the thread itself accesses commutes with whatever the others do.
//!
//! Newer JDKs keep a part of these fields in a second object, which belongs to one thread for ever and counts as the thread's own as well.
//!
//! Which fields these are is assumed, for each class and field. SOUNDNESS: the owner is given by the object and never changes, so
//! the assumption needs no history. Let some execution have a first access by another thread; all the owner's accesses to the
//! field commute with what comes before it, so an execution that takes them early and was not left out has it, too. There it
//! is seen, because every access is looked at, also one that commutes for another reason.
//!
//! SOUNDNESS: what others do to the object before the thread is started, or after it has ended, does not matter: start and end are steps
//! that touch the whole object, and the second one, so whoever could as well come in between is seen there, too.
//!
//! A lock that is made of fields names its owner in one of them. That field is the owner's own in much the same way, though the
//! owner changes: he names himself, and whoever else looks there only wants to know whether it is he, which is so before and after. And as
//! long as there is an owner, nobody else changes the lock, so the owner finds it as he left it. That is assumed
//! for each class of locks ([`OwnerAccess`]). SOUNDNESS: let some execution have a first access that is against it. Whatever was taken early
//! on its account until then comes to the same early and late: what others do in order changes neither whether a thread is the owner, nor
//! the lock while it is. A thread that names itself early may find that another does so before it would have; then the other one finds an
//! owner where it should find none. All of this is seen as long as the owner is named, and that he is: to remove himself is a step before
//! which all others have their turn. (If that commuted as well, all that he does as the owner could be over before anybody looks.)
//!
//! The clock goes on where a time limit is over, and is read where one begins. Where all that is done by one thread, the clock is its
//! own, for the same reason as a field of its own object. SOUNDNESS: a step of another thread that drops the last moment which somebody
//! remembers has the clock set back, without naming it. That only shifts all times at once, of which no program can tell.

use crate::Ample;
use crate::description::Description;
use crate::independence::{Independence, Watcher};
use kernel::{AssumptionKind, Assumptions, Instrumentation, Location, MemoryAccess, OwnerAccess, ThreadId, View};

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::ESCAPE_BITS,
    assumes: &[&NAMED, &CLOCK, &OWN],
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new(
        "own",
        "nor are fields of a thread's own object that no other thread uses; guessed and checked",
    )
};

/// Locks that name their owner are in his hands ([`OwnerAccess`]).
pub(crate) static NAMED: AssumptionKind = AssumptionKind::new("named", 60, |_, _| {
    "locks of java.util.concurrent are in the hands of their owners".to_owned()
});

/// One thread only looks at the clock, and waits with a time limit.
pub(crate) static CLOCK: AssumptionKind =
    AssumptionKind::new("clock", 70, |_, _| "one thread only looks at the clock".to_owned());

/// A field of an object of a class that stands for a thread is, once shared, accessed by that thread only.
pub(crate) static OWN: AssumptionKind = AssumptionKind::new("own", 80, |_, of| {
    format!("some fields of {of} are used by the thread itself only")
});

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(30, Box::<Own>::default());
}

/// The independence.
#[derive(Default)]
pub(crate) struct Own {
    /// The thread that was the first to look at the clock.
    clock: Option<ThreadId>,
}

impl<S: View> Independence<S> for Own {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool {
        let owner_access = system.owner_access(state, thread, touch);
        if owner_access.is_some() {
            return owner_access == Some(OwnerAccess::Own) && assumptions.try_rely(NAMED.alone());
        }
        if touch.location == Location::CLOCK {
            return self.clock == Some(thread)
                && !system.is_renamed(state, thread)
                && assumptions.try_rely(CLOCK.alone());
        }
        let cell = touch.location.cell;
        if matches!(cell, Location::MONITOR | Location::WHOLE)
            || system.stands_for(state, thread, touch.location) != Some(true)
        {
            return false;
        }
        let Some(class) = system.class_of(state, touch.location) else {
            return false;
        };
        // Who accesses the whole object accesses the field.
        assumptions.holds(OWN.of_cell(class, Location::WHOLE))
            && assumptions.try_rely(OWN.of_cell(class, cell))
            && assumptions.try_rely(OWN.of_cell(class, Location::WHOLE))
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

impl<S: View> Watcher<S> for Own {
    fn watches(&self, system: &S, state: &mut S::State, location: Location, _assumptions: &Assumptions) -> bool {
        system.may_be_held(state, location)
    }

    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        // One that is met under several numbers may be another one.
        let is_clock = touch.location == Location::CLOCK;
        if is_clock && (*self.clock.get_or_insert(thread) != thread || system.is_renamed(state, thread)) {
            assumptions.violate(CLOCK.alone(), thread, touch.location);
        }
        if system.owner_access(state, thread, touch) == Some(OwnerAccess::Broken)
            && system.has_escaped(state, touch.location)
        {
            assumptions.violate(NAMED.alone(), thread, touch.location);
        }
        if touch.location.cell != Location::MONITOR
            && system.stands_for(state, thread, touch.location) == Some(false)
            && system.has_escaped(state, touch.location)
            && let Some(class) = system.class_of(state, touch.location)
        {
            assumptions.violate(OWN.of_cell(class, touch.location.cell), thread, touch.location);
        }
    }

    fn begins_again(&mut self, _system: &S, _state: &mut S::State, _assumptions: &Assumptions) {}
}
