//! `optimistic`: transactions under assumed exclusive access.
//!
//! After Stoller and Cohen (2006). A step is *invisible* if it touches only what its thread has exclusive access to, what is never
//! written, and what its touch moves left on; all others are visible. A visible step and all invisible ones of its thread after it
//! are taken as one. That a thread has exclusive access to a location whenever it touches it is assumed: some lock is held at every
//! access, or only one thread accesses it at all, or the user has given a rule. The assumption is checked at every state, those in the midst
//! of a step included; a location whose assumption is wrong is unprotected from then on, and the search starts over.
//!
//! SOUNDNESS: the assumption holds in the system iff it holds in the one with transactions (theorem 1), for which the hypotheses of section 5 are needed.
//! The locks that are left for a location at the end were held at all accesses, so each of them is a rule that was fixed all
//! the time; so is the only thread. Where locations come and go (Java), what is left is kept in the state, for each execution by itself, and
//! what only one thread was ever able to reach is nobody else's, nor is what only a thread itself uses of its own object (`own`). Two threads never have one lock, nobody gives another's back, and taking one is visible. For the
//! user's rules, that they are disjoint and that nobody takes another's access away is checked at every state and for every step that
//! can be taken there; who may make another's rule true is visible ([`kernel::Transactions::begins`]).
//!
//! SOUNDNESS: a thread that goes round by invisible steps for ever would put the others off. The search notices that, stores
//! the state and lets all threads move there, as on any other cycle.
//!
//! Kept are deadlocks, and whatever invisible steps of others cannot hide again: failures, locks left behind, observations, and
//! races, whose two halves are visible.

use crate::ample::{Ample, Transactions};
use crate::description::{Description, Goes};
use crate::final_field::{self, FINAL, FinalField};
use crate::independence::{Independence, Watcher, gives_back};
use crate::lockset::{self, EXCLUSIVE, LOCKED, OWNERS, assumption, broken, rely, watch_owners};
use crate::own::{CLOCK, NAMED, OWN, Own};
use kernel::{
    Assumption, Assumptions, Doubt, Instrumentation, Location, MemoryAccess, Protection, Sight, ThreadId, Transition,
    Transitions, View,
};
use std::collections::HashMap;

pub(crate) static DESCRIPTION: Description = Description {
    goes: Goes::Apart(&["base", "atomic"]),
    needs: lockset::DESCRIPTION
        .needs
        .and(final_field::DESCRIPTION.needs)
        .and(Instrumentation::LOCAL_COMMUTES)
        .and(Instrumentation::LONG_STEPS),
    assumes: &[&OWNERS, &EXCLUSIVE, &LOCKED, &FINAL, &NAMED, &CLOCK, &OWN],
    hears: Some("--discipline"),
    ..Description::new(
        "optimistic",
        "accesses that a lock, or a rule of yours, keeps to one thread at a time are no steps of their own; guessed and \
         checked; keeps all properties but livelock, and of a Java program lock",
    )
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.take_together(Box::<Optimistic>::default());
}

/// How many accesses to a variable are remembered.
const REMEMBERED: usize = 8;

/// What is known of the accesses to a location.
struct Record {
    /// The locks that were held at all of them.
    locks: Vec<Location>,
    /// The thread that made all of them.
    thread: Option<ThreadId>,
}

/// The reduction.
#[derive(Default)]
struct Optimistic {
    records: HashMap<Location, Record>,
    /// Some accesses to each variable, by who made them and from where.
    sights: HashMap<Assumption, Vec<(ThreadId, u64, Sight)>>,
    in_transaction: bool,
    own: Own,
    locks: Vec<Location>,
    parts: Vec<MemoryAccess>,
}

impl<S: View> Transactions<S> for Optimistic {
    fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    fn begins_again(&mut self, system: &S, state: &mut S::State, assumptions: &Assumptions) {
        self.records.clear();
        self.sights.clear();
        lockset::reconsider(system, state, assumptions);
    }

    fn choose(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
        assumptions: &mut Assumptions,
    ) -> Option<ThreadId> {
        self.watch(system, state, transitions, assumptions);
        let mut threads: Vec<ThreadId> = Vec::new();
        for entry in transitions.entries().iter().filter(|entry| entry.enabled) {
            if !threads.contains(&entry.thread) {
                threads.push(entry.thread);
            }
        }
        threads.sort_by_key(|&thread| Some(thread) != last);
        let found = threads
            .into_iter()
            .find(|&thread| is_invisible(system, state, transitions, thread, &mut self.own, assumptions));
        self.in_transaction = found.is_some();
        found
    }
}

impl Optimistic {
    /// Checks everything that is about to happen.
    fn watch<S: View>(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        assumptions: &mut Assumptions,
    ) {
        let (mut disputed, mut expelled) = (Vec::new(), Vec::new());
        system.disputed(state, &mut disputed);
        for (location, one, two) in disputed {
            let name = system.describe(state, location);
            let doubt = Doubt::Disputed(name, system.whereabouts(state, one), system.whereabouts(state, two));
            refute(system, state, location, one, doubt, assumptions);
        }
        for entry in transitions.entries().iter().filter(|entry| entry.enabled) {
            system.expels(state, entry.action, &mut expelled);
            for (location, other) in expelled.drain(..) {
                let name = system.describe(state, location);
                let (by, of) = (
                    system.whereabouts(state, entry.thread),
                    system.whereabouts(state, other),
                );
                refute(
                    system,
                    state,
                    location,
                    entry.thread,
                    Doubt::Expelled(name, by, of),
                    assumptions,
                );
            }
            for &touch in transitions.footprint(entry) {
                if touch.location == Location::EVERYTHING {
                    if system.is_wild(state, entry.thread) {
                        assumptions.violate_all(entry.thread);
                    }
                } else {
                    FinalField.watch(system, state, entry.thread, touch, assumptions);
                    self.own.watch(system, state, entry.thread, touch, assumptions);
                    watch_owners(system, state, entry.thread, touch, assumptions);
                    let mut parts = std::mem::take(&mut self.parts);
                    system.parts(state, touch, &mut parts);
                    for part in parts.drain(..) {
                        self.look(system, state, entry, part, assumptions);
                    }
                    self.parts = parts;
                }
                assumptions.locate(|| system.whereabouts(state, entry.thread));
            }
        }
    }

    /// Looks at a touch that is about to happen.
    fn look<S: View>(
        &mut self,
        system: &S,
        state: &mut S::State,
        entry: &Transition<S::Action>,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        let (location, thread) = (touch.location, entry.thread);
        let assumption = assumption(system, state, location);
        if location.cell == Location::MONITOR || !assumptions.holds(assumption) || !system.has_escaped(state, location)
        {
            return;
        }
        if let Some(has_access) = system.has_access(state, thread, location) {
            if !has_access {
                assumptions.violate(assumption, thread, location);
            }
            return;
        }
        if system.is_open(state, location) || system.is_final(state, location) {
            return;
        }
        let protection = system.protection(state, thread, location, touch.access);
        let protection = protection.unwrap_or_else(|| self.record(system, state, thread, location));
        let Some(broken) = broken(assumption, protection) else {
            return self.remember(system, state, thread, assumption);
        };
        let now = sight(system, state, thread);
        // Best is one by another thread that had none of the same locks.
        let fits = |(who, _, other): &&(ThreadId, u64, Sight)| {
            let shares = other.locks.iter().any(|lock| now.locks.contains(lock));
            (*who != thread, !shares)
        };
        let others = self.sights.get(&assumption).into_iter().flatten();
        match others.max_by_key(fits) {
            Some((_, _, other)) => assumptions.violate_with(broken, thread, location, now.locks, other.clone()),
            None => {
                assumptions.violate(broken, thread, location);
            }
        }
    }

    /// Notes an access to a location that is the same in all states; what protects it now.
    fn record<S: View>(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        location: Location,
    ) -> Protection {
        self.locks.clear();
        system.locks_of(state, thread, &mut self.locks);
        let record = self.records.entry(location).or_insert_with(|| Record {
            locks: self.locks.clone(),
            thread: Some(thread),
        });
        record.locks.retain(|lock| self.locks.contains(lock));
        record.thread = record.thread.filter(|&only| only == thread);
        match record.locks.is_empty() && record.thread.is_none() {
            true => Protection::Open,
            false => Protection::Locked,
        }
    }

    /// Remembers an access to a variable, for reports.
    fn remember<S: View>(&mut self, system: &S, state: &mut S::State, thread: ThreadId, assumption: Assumption) {
        let spot = system.spot(state, thread);
        let sights = self.sights.entry(assumption).or_default();
        if sights.len() < REMEMBERED && !sights.iter().any(|&(who, at, _)| (who, at) == (thread, spot)) {
            sights.push((thread, spot, sight(system, state, thread)));
        }
    }
}

/// Where a thread is, with which locks.
fn sight<S: View>(system: &S, state: &mut S::State, thread: ThreadId) -> Sight {
    let mut locks = Vec::new();
    system.locks_of(state, thread, &mut locks);
    Sight {
        at: system.whereabouts(state, thread),
        locks: locks.into_iter().map(|lock| system.describe(state, lock)).collect(),
    }
}

/// A hypothesis about a location does not hold, so the location is unprotected.
fn refute<S: View>(
    system: &S,
    state: &mut S::State,
    location: Location,
    thread: ThreadId,
    doubt: Doubt,
    assumptions: &mut Assumptions,
) {
    let assumption = assumption(system, state, location);
    if assumptions.holds(assumption) {
        assumptions.rely(assumption);
        assumptions.violate(assumption, thread, location);
        assumptions.doubt(doubt);
    }
}

/// Whether no other thread can see the next step of a thread, if the assumptions hold.
fn is_invisible<S: View>(
    system: &S,
    state: &mut S::State,
    transitions: &Transitions<S::Action>,
    thread: ThreadId,
    own: &mut Own,
    assumptions: &mut Assumptions,
) -> bool {
    if system.begins(state, thread) {
        return false;
    }
    let mut rests_on = Vec::new();
    let entries = transitions.entries().iter().filter(|entry| entry.thread == thread);
    for &touch in entries.flat_map(|entry| transitions.footprint(entry)) {
        let location = touch.location;
        if location == Location::EVERYTHING {
            return false;
        }
        if gives_back(system, state, thread, touch)
            || FinalField.commutes(system, state, thread, touch, assumptions)
            || own.commutes(system, state, thread, touch, assumptions)
            || system.moves_left(state, thread, touch)
            || !system.has_escaped(state, location)
        {
            continue;
        }
        let assumption = assumption(system, state, location);
        let ruled = system.has_access(state, thread, location).is_some();
        let assumed = location.cell != Location::MONITOR && !system.is_open(state, location);
        if !(ruled || assumed) || !assumptions.holds(assumption) {
            return false;
        }
        rests_on.push((assumption, ruled));
    }
    for (assumption, ruled) in rests_on {
        match ruled {
            true => assumptions.rely(assumption),
            false => rely(assumption, assumptions),
        }
    }
    true
}
