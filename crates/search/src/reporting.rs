//! What a search has found, and why it ends. All explorers of a search report to one [`Reporting`].
//!
//! It guarantees that each flaw is found once, and only if it is wanted; that a search stops at the first one unless all were asked
//! for; and that it ends as complete only if nothing was left out.

use crate::inspect::Wanted;
use crate::{Ending, Figures, Found, Options, Outcome, Why};
use kernel::{Flaw, Unsupported};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many distinct unsupported steps are kept.
const KEPT_UNSUPPORTED: usize = 8;

/// What was found so far.
pub(crate) struct Reporting<A> {
    /// What is looked for.
    pub wanted: Wanted,
    /// The one flaw to look for, if it is known.
    target: Option<Flaw>,
    /// Whether to go on after a violation.
    all: bool,
    is_stopped: AtomicBool,
    said: Mutex<Said<A>>,
}

struct Said<A> {
    stop: Option<Why>,
    reported: HashSet<Flaw>,
    found: Vec<Found<A>>,
    unsupported: Vec<(Unsupported, Vec<A>)>,
    endless: Option<Found<A>>,
}

/// What an explorer counts for itself.
#[derive(Default)]
pub(crate) struct Tally {
    /// The counts.
    pub figures: Figures,
    /// All marks of all states.
    pub marks: HashSet<u128>,
    /// Ends, deadlocks, and states that the program asked to be forgotten.
    pub finals: u64,
    pub deadlocks: u64,
    pub ignored: u64,
    /// Whether schedules were left out because of the bound on preemptions.
    pub was_cut: bool,
    /// Whether states may have been taken for one another or left out.
    pub inexact: bool,
    /// Whether something that the reduction relied on is wrong.
    pub broken: bool,
}

impl<A: Clone> Reporting<A> {
    /// Nothing was found so far, of what the options ask for or, if it is known, of the `target`.
    pub fn new(options: &Options, target: Option<Flaw>) -> Self {
        Reporting {
            wanted: Wanted::new(&options.properties),
            target,
            all: options.all,
            is_stopped: AtomicBool::new(false),
            said: Mutex::new(Said {
                stop: None,
                reported: HashSet::new(),
                found: Vec::new(),
                unsupported: Vec::new(),
                endless: None,
            }),
        }
    }

    /// What is locked is whole between any two statements, so a panic elsewhere is no reason to stop.
    fn said(&self) -> MutexGuard<'_, Said<A>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether explorers are to stop. One that hears of it late takes some steps more.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Stops the search, for this reason rather than any other.
    pub fn stop(&self, why: Why) {
        self.said().stop = Some(why);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Stops the search, for this reason unless there is one.
    pub fn stop_also(&self, why: Why) {
        self.said().stop.get_or_insert(why);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Reports flaws at the end of this schedule.
    pub fn report(&self, flaws: Vec<Flaw>, actions: &[A]) {
        for flaw in flaws {
            if self.is_stopped() {
                break;
            }
            self.add(Found {
                flaw,
                actions: actions.to_vec(),
                loop_start: None,
            });
        }
    }

    /// Adds a flaw, unless it is not wanted or was there before.
    pub fn add(&self, found: Found<A>) {
        if !self.is_wanted(found.flaw) || !self.said().reported.insert(found.flaw) {
            return;
        }
        self.said().found.push(found);
        if !self.all {
            self.stop(Why::FirstViolation);
        }
    }

    fn is_wanted(&self, flaw: Flaw) -> bool {
        self.target.is_none_or(|target| target == flaw)
    }

    /// Drops the flaws that would not be added; whether any is left.
    #[inline]
    pub fn keep_fresh(&self, flaws: &mut Vec<Flaw>) -> bool {
        // There is rarely anything, and this is asked at every state.
        if !flaws.is_empty() {
            let said = self.said();
            flaws.retain(|flaw| self.is_wanted(*flaw) && !said.reported.contains(flaw));
        }
        !flaws.is_empty()
    }

    /// Whether an unsupported step is worth telling how it was reached.
    pub fn is_unheard(&self, unsupported: &Unsupported) -> bool {
        self.said().is_unheard(unsupported)
    }

    /// Remembers an unsupported step, the last one of this schedule.
    pub fn hear(&self, unsupported: Unsupported, actions: Vec<A>) {
        let mut said = self.said();
        if said.is_unheard(&unsupported) {
            said.unsupported.push((unsupported, actions));
        }
    }

    /// Whether a livelock was noticed although nobody has asked for any.
    pub fn has_endless(&self) -> bool {
        self.said().endless.is_some()
    }

    /// Notes such a livelock.
    pub fn note_endless(&self, found: Option<Found<A>>) {
        self.said().endless = found;
    }

    /// The outcome, when nothing more is to be done or the search was stopped, with what the explorer counted.
    pub fn finish(&self, tally: Tally) -> Outcome<A> {
        let mut said = self.said();
        let (found, unsupported) = (std::mem::take(&mut said.found), std::mem::take(&mut said.unsupported));
        let first = unsupported.first().map(|(one, _)| one.clone());
        // SOUNDNESS: "complete" is what is left when nothing was left out for whatever reason.
        let why = said
            .stop
            .take()
            .or(tally.broken.then_some(Why::Broken))
            .or(first.map(Why::Unsupported))
            .or(tally.was_cut.then_some(Why::Preemptions))
            .or(tally.inexact.then_some(Why::Inexact));
        Outcome {
            ending: why.map_or(Ending::Complete, Ending::Stopped),
            found,
            unsupported,
            endless: said.endless.take(),
            figures: tally.figures,
            marks: tally.marks,
            finals: tally.finals,
            deadlocks: tally.deadlocks,
            ignored: tally.ignored,
            ..Outcome::default()
        }
    }
}

impl<A> Said<A> {
    fn is_unheard(&self, unsupported: &Unsupported) -> bool {
        let heard = &self.unsupported;
        heard.len() < KEPT_UNSUPPORTED && !heard.iter().any(|(one, _)| one == unsupported)
    }
}
