//! `lockset`: locking disciplines (Dwyer et al., section 6.3).
//!
//! A field of a shared object, an array or a static field that is only read since it was shared, or at every access to which some one
//! lock was held, commutes with what others do while that lock is held. Which lock it is, the record in the state tells; that it
//! goes on like this is assumed for each variable. The paper has a record for each object; with one for each field, those of an object
//! may be protected by different locks.
//!
//! SOUNDNESS: every access to a shared object goes into its record, also one that commutes for another reason. An assumption is broken
//! once some record is empty, written and unlocked, and anything rested on it. While a thread has the locks of a record, nobody else has
//! any of them, so an access by another before its own leaves that record empty, in either order. That nobody loses a lock
//! to another thread is the machine's word for monitors, and an assumption for locks that are made of fields: if it is wrong, these are no
//! locks.

use crate::Ample;
use crate::description::Description;
use crate::independence::{Independence, Watcher};
use kernel::{
    Assumption, AssumptionKind, Assumptions, Instrumentation, Location, MemoryAccess, Protection, ThreadId, View,
};

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::ESCAPE_BITS.and(Instrumentation::LOCKSETS),
    assumes: &[&OWNERS, &EXCLUSIVE, &LOCKED],
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new(
        "lockset",
        "nor are fields and elements that are only read, or always accessed under one lock; guessed and checked",
    )
};

/// Locks that name their owner are given up by the owner only.
pub(crate) static OWNERS: AssumptionKind = AssumptionKind::new("owners", 20, |_, _| {
    "locks of java.util.concurrent are given up by their owners only".to_owned()
});

/// Each shared location of a variable is accessed under one lock, by one thread, as the user's rule has it, or only read.
pub(crate) static EXCLUSIVE: AssumptionKind = AssumptionKind {
    sentence_for_models: Some(|of| format!("{of} is only accessed by one thread at a time")),
    is_about_variable: true,
    stronger: Some(&LOCKED),
    ..AssumptionKind::new("exclusive", 40, |_, of| {
        format!("{of} is accessed under one lock, by one thread, or only read")
    })
};

/// The same, and to know the locks is enough: if one was held at the first access, one is at all.
pub(crate) static LOCKED: AssumptionKind = AssumptionKind {
    is_about_variable: true,
    ..AssumptionKind::new("locked", 50, |_, of| {
        format!("{of} is accessed under one lock, or only read")
    })
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(60, Box::<Lockset>::default());
}

/// The independence.
#[derive(Default)]
struct Lockset {
    parts: Vec<MemoryAccess>,
}

/// What is assumed about a variable.
pub(crate) fn assumption<S: View>(system: &S, state: &mut S::State, location: Location) -> Assumption {
    let (of, cell) = system.variable_of(state, location);
    EXCLUSIVE.of_cell(of, cell)
}

/// Notes an access that takes a lock from its owner.
pub(crate) fn watch_owners<S: View>(
    system: &S,
    state: &mut S::State,
    thread: ThreadId,
    touch: MemoryAccess,
    assumptions: &mut Assumptions,
) {
    if !touch.access.is_read() && system.steals_lock(state, thread, touch.location) && assumptions.holds(OWNERS.alone())
    {
        assumptions.violate(OWNERS.alone(), thread, touch.location);
    }
}

/// What of the assumption about a variable is wrong with this protection, if anything.
pub(crate) fn broken(assumption: Assumption, protection: Protection) -> Option<Assumption> {
    match protection {
        Protection::Unlocked => assumption.stronger(),
        Protection::Open => Some(assumption),
        _ => None,
    }
}

/// What has to hold so that nobody else accesses a variable, by its assumption.
pub(crate) fn rely(assumption: Assumption, assumptions: &mut Assumptions) {
    assumptions.rely(assumption);
    assumptions.try_rely(OWNERS.alone());
    if let Some(locked) = assumption.stronger() {
        assumptions.try_rely(locked);
    }
}

/// Has a system know what is not assumed any more. The state is the first one.
pub(crate) fn reconsider<S: View>(system: &S, state: &mut S::State, assumptions: &Assumptions) {
    for dropped in assumptions.dropped() {
        let open = dropped.is(&EXCLUSIVE);
        if open || dropped.is(&LOCKED) {
            system.reconsider(state, (dropped.class, dropped.cell), open);
        }
    }
    if !assumptions.holds(OWNERS.alone()) {
        system.distrust(state);
    }
}

impl<S: View> Independence<S> for Lockset {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool {
        if touch.location.cell == Location::MONITOR {
            return false;
        }
        let assumption = assumption(system, state, touch.location);
        if !assumptions.holds(assumption) {
            return false;
        }
        let protection = system.protection(state, thread, touch.location, touch.access);
        let protected = matches!(protection, Some(Protection::ReadOnly | Protection::Locked));
        if protected {
            rely(assumption, assumptions);
        }
        protected
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

impl<S: View> Watcher<S> for Lockset {
    fn watches(&self, system: &S, state: &mut S::State, location: Location, _assumptions: &Assumptions) -> bool {
        system.may_be_protected(state, location) || system.may_be_held(state, location)
    }

    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        watch_owners(system, state, thread, touch, assumptions);
        if touch.location.cell == Location::MONITOR {
            return;
        }
        let mut parts = std::mem::take(&mut self.parts);
        system.parts(state, touch, &mut parts);
        for part in parts.drain(..) {
            let protection = system.protection(state, thread, part.location, part.access);
            if let Some(protection @ (Protection::Unlocked | Protection::Open)) = protection {
                let assumption = assumption(system, state, part.location);
                if let Some(broken) = broken(assumption, protection).filter(|_| assumptions.holds(assumption)) {
                    assumptions.violate(broken, thread, part.location);
                }
            }
        }
        self.parts = parts;
    }

    fn begins_again(&mut self, system: &S, state: &mut S::State, assumptions: &Assumptions) {
        reconsider(system, state, assumptions);
    }
}
