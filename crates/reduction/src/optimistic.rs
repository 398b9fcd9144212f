//! `optimistic`: coarse steps under guessed exclusive access.
//!
//! After Stoller and Cohen (2006). A step is *invisible* if it touches only what its thread has exclusive access to, what is never
//! written, and what its touch moves left on; all others are visible. A visible step and all invisible ones of its thread after it
//! are taken as one. That a thread has exclusive access to a place whenever it touches it is guessed: some lock is held at every
//! access, or only one thread accesses it at all, or the user has given a rule. The guess is checked at every state, those in the midst
//! of a step included; a place whose guess is wrong is unprotected from then on, and the search starts over.
//!
//! SOUNDNESS: the guess holds in the system iff it holds in the coarse one (theorem 1), for which the hypotheses of section 5 are needed.
//! The locks that are left for a place at the end were held at all accesses, so each of them is a rule that was fixed all
//! the time; so is the only thread. Two threads never have one lock, nobody gives another's back, and taking one is visible. For the
//! user's rules, that they are disjoint and that nobody takes another's access away is checked at every state and for every step that
//! can be taken there; who may make another's rule true is visible ([`View::begins`]).
//!
//! SOUNDNESS: a thread that goes round by invisible steps for ever would put the others off. The search notices that, stores
//! the state and lets all threads move there, as on any other cycle.
//!
//! Kept are deadlocks, and whatever invisible steps of others cannot hide again: failures, locks left behind, observations, and
//! races, whose two halves are visible.

use crate::guess::{Doubt, Guess, Guesses, Sight};
use crate::independence::gives_back;
use kernel::{Menu, Pending, Place, ThreadId, Touch, View};
use std::collections::HashMap;

/// What is known of the accesses to a place.
struct Record {
    /// The locks that were held at all of them.
    locks: Vec<Place>,
    /// The thread that made all of them.
    thread: Option<ThreadId>,
    /// One of them, after which less was left.
    sight: Sight,
}

/// The reduction.
#[derive(Default)]
pub struct Optimistic {
    records: HashMap<Place, Record>,
    midway: bool,
    locks: Vec<Place>,
}

impl Optimistic {
    /// Whether the state that was asked about last is in the midst of a step.
    pub fn is_midway(&self) -> bool {
        self.midway
    }

    /// Forgets all accesses.
    pub fn begin_again(&mut self) {
        self.records.clear();
    }

    /// Checks everything that is about to happen, and finds a thread whose next step is invisible.
    pub fn choose<S: View>(
        &mut self,
        system: &S,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        last: Option<ThreadId>,
        guesses: &mut Guesses,
    ) -> Option<ThreadId> {
        self.watch(system, state, menu, guesses);
        let mut threads: Vec<ThreadId> = Vec::new();
        for entry in menu.entries().iter().filter(|entry| entry.enabled) {
            if !threads.contains(&entry.thread) {
                threads.push(entry.thread);
            }
        }
        threads.sort_by_key(|&thread| Some(thread) != last);
        let found = threads
            .into_iter()
            .find(|&thread| is_invisible(system, state, menu, thread, guesses));
        self.midway = found.is_some();
        found
    }

    fn watch<S: View>(&mut self, system: &S, state: &mut S::State, menu: &Menu<S::Action>, guesses: &mut Guesses) {
        let (mut disputed, mut expelled) = (Vec::new(), Vec::new());
        system.disputed(state, &mut disputed);
        for (place, one, two) in disputed {
            let doubt = Doubt::Disputed(place, system.whereabouts(state, one), system.whereabouts(state, two));
            refute(place, one, doubt, guesses);
        }
        for entry in menu.entries().iter().filter(|entry| entry.enabled) {
            system.expels(state, entry.action, &mut expelled);
            for (place, other) in expelled.drain(..) {
                let (by, of) = (
                    system.whereabouts(state, entry.thread),
                    system.whereabouts(state, other),
                );
                refute(place, entry.thread, Doubt::Expelled(place, by, of), guesses);
            }
            for &touch in menu.footprint(entry) {
                if touch.place == Place::EVERYTHING {
                    if system.is_wild(state, entry.thread) {
                        guesses.breach_all(entry.thread);
                    }
                } else {
                    self.look(system, state, entry, touch, guesses);
                }
                guesses.locate(|| system.whereabouts(state, entry.thread));
            }
        }
    }

    /// Looks at a touch that is about to happen.
    fn look<S: View>(
        &mut self,
        system: &S,
        state: &mut S::State,
        entry: &Pending<S::Action>,
        touch: Touch,
        guesses: &mut Guesses,
    ) {
        let (place, thread) = (touch.place, entry.thread);
        let guess = Guess::Exclusive(place.object, place.cell);
        if place.cell == Place::MONITOR || !guesses.holds(guess) {
            return;
        }
        if let Some(has_access) = system.has_access(state, thread, place) {
            if !has_access {
                guesses.breach(guess, thread, place);
            }
            return;
        }
        if system.is_open(state, place) || system.is_final(state, place) {
            return;
        }
        self.locks.clear();
        system.locks_of(state, thread, &mut self.locks);
        let sight = |system: &S, state: &mut S::State, locks: &[Place]| Sight {
            at: system.whereabouts(state, thread),
            locks: locks.to_vec(),
        };
        let Some(record) = self.records.get_mut(&place) else {
            let record = Record {
                locks: self.locks.clone(),
                thread: Some(thread),
                sight: sight(system, state, &self.locks),
            };
            self.records.insert(place, record);
            return;
        };
        let before = (record.locks.len(), record.thread);
        record.locks.retain(|lock| self.locks.contains(lock));
        record.thread = record.thread.filter(|&only| only == thread);
        if record.locks.is_empty() && record.thread.is_none() {
            guesses.breach_with(guess, thread, place, self.locks.clone(), record.sight.clone());
        } else if before != (record.locks.len(), record.thread) {
            record.sight = sight(system, state, &self.locks);
        }
    }
}

/// A hypothesis about a place does not hold, so the place is unprotected.
fn refute(place: Place, thread: ThreadId, doubt: Doubt, guesses: &mut Guesses) {
    let guess = Guess::Exclusive(place.object, place.cell);
    if guesses.holds(guess) {
        guesses.rely(guess);
        guesses.breach(guess, thread, place);
        guesses.doubt(doubt);
    }
}

/// Whether no other thread can see the next step of a thread, if the guesses hold.
fn is_invisible<S: View>(
    system: &S,
    state: &mut S::State,
    menu: &Menu<S::Action>,
    thread: ThreadId,
    guesses: &mut Guesses,
) -> bool {
    if system.begins(state, thread) {
        return false;
    }
    let mut rests_on = Vec::new();
    let own = menu.entries().iter().filter(|entry| entry.thread == thread);
    for touch in own.flat_map(|entry| menu.footprint(entry)) {
        let place = touch.place;
        if place == Place::EVERYTHING {
            return false;
        }
        if gives_back(system, state, thread, *touch)
            || system.is_final(state, place) && touch.access.is_read()
            || system.moves_left(state, thread, *touch)
        {
            continue;
        }
        let guess = Guess::Exclusive(place.object, place.cell);
        let ruled = system.has_access(state, thread, place).is_some();
        let guessed = ruled || place.cell != Place::MONITOR && !system.is_open(state, place);
        if !guessed || !guesses.holds(guess) {
            return false;
        }
        rests_on.push(guess);
    }
    rests_on.into_iter().for_each(|guess| guesses.rely(guess));
    true
}
