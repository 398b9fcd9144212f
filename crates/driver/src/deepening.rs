//! Iterative deepening: searches with at most 0, 1, 2, … preemptions, beside an exhaustive search that does not end soon.
//!
//! Most bugs need few preemptions (Musuvathi and Qadeer, PLDI 2007), and the schedules with few of them are many fewer than all. So where the
//! exhaustive search is cut short, there is something to say about a part of the program that anybody can understand.
//!
//! The exhaustive search is not disturbed: it rests while another one runs, at most half of the time. Both are on the same system, each with a
//! state and a table of its own. What an exhaustive search finds out about the system's steps is valid for both; when it starts over,
//! all that was said before is forgotten.

use crate::observer::Watch;
use crate::{budget, limits};
use kernel::{Assumptions, Reduction, View};
use reduction::Combination;
use search::{Ending, Figures, Observer, Options, Outcome, Why};
use std::fmt;
use std::time::{Duration, Instant};
use store::Exact;

/// How long the exhaustive search has to itself.
const ALONE: Duration = Duration::from_secs(5);

/// How long the first bounded search may take. One that does not end has twice the time the next time.
const FIRST: Duration = Duration::from_secs(5);

/// No more preemptions than this are tried: schedules that need more are too many to be told apart from all.
const MOST: u32 = 8;

/// What searches with a bound have come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounded {
    /// No schedule with at most so many preemptions has a violation.
    pub held: u32,
    /// How many states with one more were looked at, if a search of these was begun and cut short.
    pub begun: Option<u64>,
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.held {
            1 => write!(f, "no violation in any schedule with at most 1 preemption")?,
            most => write!(f, "no violation in any schedule with at most {most} preemptions")?,
        }
        match self.begun {
            Some(states) => write!(f, " ({}: not finished, {states} states explored)", self.held + 1),
            None => Ok(()),
        }
    }
}

/// An observer that looks after an exhaustive search, and makes others while it rests.
pub(crate) struct Deepening<'a, 'o, S: View> {
    watch: Watch<'o>,
    system: &'a S,
    start: &'a dyn Fn() -> Option<S::State>,
    options: Options,
    combination: Combination,
    assumptions: Assumptions,
    begun: Instant,
    /// How far the exhaustive search was.
    latest: Duration,
    /// The time of all other searches, and what the next one may take.
    spent: Duration,
    slice: Duration,
    /// The bound of the next one.
    next: u32,
    /// What they have come to.
    bounded: Option<Bounded>,
    /// What makes all others unnecessary: a violation, or a bound that left nothing out.
    settled: Option<Outcome<S::Action>>,
}

impl<'a, 'o, S: View> Deepening<'a, 'o, S> {
    /// Looks after a search with these options from what `start` makes. `combination` goes with a bound.
    pub fn new(
        system: &'a S,
        start: &'a dyn Fn() -> Option<S::State>,
        options: &Options,
        combination: Combination,
        assumptions: Assumptions,
        watch: Watch<'o>,
    ) -> Self {
        Deepening {
            watch,
            system,
            start,
            options: Options {
                trial: 0,
                random_walks: false,
                beside: true,
                ..options.clone()
            },
            combination,
            assumptions,
            begun: Instant::now(),
            latest: Duration::ZERO,
            spent: Duration::ZERO,
            slice: FIRST,
            next: 0,
            bounded: None,
            settled: None,
        }
    }

    /// What the exhaustive search came to, or a bounded one if that settled it, and what is known of schedules with few preemptions.
    pub fn finish(self, outcome: Outcome<S::Action>) -> (Outcome<S::Action>, Option<Bounded>) {
        match self.settled {
            Some(settled) => (
                Outcome {
                    restarts: outcome.restarts,
                    walked: outcome.walked,
                    ..settled
                },
                None,
            ),
            None => (outcome, self.bounded),
        }
    }

    /// How long a bounded search may take now; `None` if it is the exhaustive one's turn.
    fn turn(&self) -> Option<Duration> {
        let alone = self.begun.elapsed().saturating_sub(self.spent);
        let slice = match limits::time_left() {
            Some(left) => self.slice.min(left / 2),
            None => self.slice,
        };
        let is_due = alone >= ALONE && alone >= self.spent && self.next <= MOST && budget::has_room_to_spare(0);
        is_due.then_some(slice)
    }

    /// Makes a bounded search; whether the exhaustive one should go on.
    fn deepen(&mut self, slice: Duration) -> bool {
        let begun = Instant::now();
        let options = Options {
            preemptions: Some(self.next),
            time: Some(slice),
            ..self.options.clone()
        };
        let Some(mut state) = (self.start)() else {
            self.next = MOST + 1;
            return true;
        };
        let mut ample = self.combination.make::<S>(self.assumptions.clone());
        let reduction = ample.as_mut().map(|ample| ample as &mut dyn Reduction<S>);
        let mut table = Exact::new();
        let mut watch = Aside(&self.watch);
        let outcome = search::explore(self.system, &mut state, &mut table, &options, reduction, &mut watch);
        self.spent += begun.elapsed();
        let Ok(outcome) = outcome else {
            self.next = MOST + 1;
            return true;
        };
        match outcome.ending {
            Ending::Complete | Ending::Stopped(Why::FirstViolation) => {
                self.settled = Some(outcome);
                return false;
            }
            Ending::Stopped(Why::Preemptions) => {
                self.bounded = Some(Bounded {
                    held: self.next,
                    begun: None,
                });
                self.next += 1;
            }
            Ending::Stopped(Why::Time | Why::Memory | Why::Interrupted | Why::Full) => {
                if let Some(bounded) = &mut self.bounded {
                    bounded.begun = Some(outcome.figures.states);
                }
                self.slice *= 2;
            }
            // What is not supported, or wrong, is for the exhaustive search to say.
            Ending::Stopped(_) => {}
        }
        true
    }
}

impl<S: View> Observer for Deepening<'_, '_, S> {
    fn progress(&mut self, figures: &Figures) -> bool {
        if !self.watch.progress(figures) {
            return false;
        }
        if figures.elapsed < self.latest {
            // SOUNDNESS: the search has started over, so what was said may rest on what is wrong.
            (self.next, self.bounded) = (0, None);
        }
        self.latest = figures.elapsed;
        match self.turn() {
            Some(slice) => self.deepen(slice),
            None => true,
        }
    }

    fn has_room(&self) -> bool {
        self.watch.has_room()
    }
}

/// Looks after a search that nobody is shown.
struct Aside<'a, 'o>(&'a Watch<'o>);

impl Observer for Aside<'_, '_> {
    fn progress(&mut self, _figures: &Figures) -> bool {
        !limits::is_interrupted()
    }

    fn has_room(&self) -> bool {
        self.0.has_room()
    }
}
