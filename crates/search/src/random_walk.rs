//! Random walks before a search, and after one that has to start over: they show a reduction what is wrong with what it rests on, and
//! may come past a violation, so that no search is needed.
//!
//! What is seen on the way only makes a reduction rely on less, and a violation has its schedule, so it does not matter which walks
//! these are. Whoever finds nothing on them knows nothing.
//!
//! Walks begin where there is something to choose: what comes before, a single thread by itself most of the time, is gone through once.
//! There are as many of them as a number of steps allows. The clock is only a limit for machines, or steps, that are very slow.

use crate::draw::Draw;
use crate::expand::count_threads;
use crate::inspect::{Wanted, inspect};
use crate::progress_timer::ProgressTimer;
use crate::race_candidates::RaceCandidates;
use crate::step::{Taken, go_back};
use crate::{Ending, Figures, Found, Observer, Options, Order, Outcome, Walked, Why};
use kernel::{End, Location, Reduction, System, ThreadId, Transition, Transitions};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many steps are worth while to put a reduction to the test, at a time: a part of a second.
const STEPS: u64 = 100_000;

/// All walks of a search together: those that take longer are not worth it.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);

/// How many steps there may be before there is anything to choose. If there are more, it takes too long to get anywhere.
const LONGEST_PREFIX: u64 = 20_000;

/// A step that touches nothing and follows another such one of its thread counts as so many: they are parts of one that has no end in sight.
const STEPS_FOR_NOTHING: u64 = 64;

/// So does a step of many accesses, which takes longer, and so does finding out what it accesses.
const STEPS_AT_ONCE: u64 = 8;

/// How many times in a row something that turns out to be wrong is looked for.
const ROUNDS: u32 = 4;

/// How calm walks are: in the calmest, a thread goes on for two to the power of this many steps before another one may move.
const CALMEST: usize = 6;

/// How many priority walks in a row hold nobody back. Then there is one for each location at which threads could meet, and so on.
const FREE_PRIORITY_WALKS: usize = 8;

/// How many steps a priority walk takes, and all of them: a tenth of a second.
const PRIORITY_WALK_STEPS: u64 = 5000;
const ALL_PRIORITY_WALK_STEPS: u64 = 100_000;

/// One step in so many makes its thread the least important, and one in so many of those that end a wait because its time is up.
const STEPS_TO_FALL: usize = 256;
const WAKEUPS_TO_FALL: usize = 4;

/// Who walks, and until when.
pub(crate) struct RandomWalks<'a, S: System> {
    system: &'a S,
    draw: Draw,
    time: Duration,
    observer: &'a mut dyn Observer,
    timer: ProgressTimer,
    is_over: bool,
    /// What is looked for on the way, if a violation that is met may end everything.
    wanted: Option<Wanted>,
    candidates: RaceCandidates,
    transitions: Transitions<S::Action>,
    /// The steps to where the walk is, and how many of them all walks have in common.
    taken: Vec<Taken<S>>,
    prefix: usize,
    /// What the walk has cost so far, in steps.
    spent: u64,
    /// Who made the last step, if that touched nothing.
    idle: Option<ThreadId>,
    /// Whether there is anything to choose.
    chooses: bool,
    /// Whether two threads were alive in a state.
    has_others: bool,
    outcome: Outcome<S::Action>,
}

impl<'a, S: System> RandomWalks<'a, S> {
    /// Somebody who has not walked yet, with the time that there is.
    pub fn new(system: &'a S, options: &Options, seed: u64, time: Duration, observer: &'a mut dyn Observer) -> Self {
        // Whoever wants all violations, or the one with fewest steps, needs the search anyway.
        let is_enough = options.random_walks && !options.all && options.order != Order::Breadth;
        RandomWalks {
            system,
            draw: Draw::new(seed),
            time,
            observer,
            timer: ProgressTimer::new(),
            is_over: false,
            wanted: is_enough.then(|| Wanted::new(&options.properties)),
            candidates: RaceCandidates::default(),
            transitions: Transitions::default(),
            taken: Vec::new(),
            prefix: 0,
            spent: 0,
            idle: None,
            chooses: false,
            has_others: false,
            outcome: Outcome::default(),
        }
    }

    /// How long it took so far.
    pub fn elapsed(&self) -> Duration {
        self.timer.elapsed()
    }

    /// How much was walked.
    pub fn walked(&self) -> Walked {
        Walked {
            walks: self.outcome.walked.walks,
            steps: self.outcome.figures.transitions,
        }
    }

    /// Goes to where there is something to choose, or the walk ends. Walks begin there until [`RandomWalks::come_home`].
    fn set_out(&mut self, state: &mut S::State) {
        self.spent = 0;
        while self.spent < LONGEST_PREFIX && self.look(state) {
            let only = match enabled(&self.transitions).nth(1) {
                Some(_) => None,
                None => enabled(&self.transitions).next().copied(),
            };
            if !only.is_some_and(|only| self.step(state, &only)) {
                break;
            }
        }
        self.prefix = self.taken.len();
        self.chooses = self.spent < LONGEST_PREFIX && enabled(&self.transitions).nth(1).is_some();
    }

    /// Goes back to the first state.
    fn come_home(&mut self, state: &mut S::State) {
        self.prefix = 0;
        go_back(self.system, state, &mut self.taken, 0);
    }

    /// Puts what a reduction relies on to the test, `most` steps at a time, and then what it relies on instead. Whether something was
    /// wrong. The state is the first one, and is again afterwards.
    pub fn test(&mut self, state: &mut S::State, reduction: &mut dyn Reduction<S>, most: u64) -> bool {
        // As much again as a search that was in vain may save many more of these.
        let refined = (0..ROUNDS).take_while(|_| {
            if self.has_met() {
                return false;
            }
            self.set_out(state);
            self.walk(state, reduction, most);
            self.come_home(state);
            reduction.refine(self.system, state)
        });
        refined.count() > 0
    }

    /// What there is to say if a violation was met.
    pub fn finish(mut self) -> Option<Outcome<S::Action>> {
        self.outcome.ending = Ending::Stopped(Why::FirstViolation);
        self.outcome.walked = self.walked();
        self.outcome.by_walk = true;
        self.has_met().then_some(self.outcome)
    }

    fn has_met(&self) -> bool {
        !self.outcome.found.is_empty()
    }

    /// Shows a reduction the states along some walks.
    fn walk(&mut self, state: &mut S::State, reduction: &mut dyn Reduction<S>, most: u64) {
        let (mut enough, mut left) = (Vec::new(), most.min(STEPS));
        let mut calm = 1;
        while left > 0 && self.goes_on() {
            let mut last = None;
            self.begin();
            while self.spent < left && self.look(state) {
                enough.clear();
                reduction.ample(self.system, state, &self.transitions, last, &mut enough);
                let enabled = || enabled(&self.transitions);
                let goes_on = self.draw.below(calm) > 0;
                let same = enabled().find(|entry| goes_on && Some(entry.thread) == last);
                let any = self.draw.below(enabled().count());
                let Some(&entry) = same.or_else(|| enabled().nth(any)) else {
                    break;
                };
                last = Some(entry.thread);
                if self.wanted.is_some() {
                    self.candidates.note(entry.thread, self.transitions.footprint(&entry));
                }
                if !self.step(state, &entry) {
                    break;
                }
            }
            left = left.saturating_sub(self.spent.max(1));
            go_back(self.system, state, &mut self.taken, self.prefix);
            calm = if calm < 1 << CALMEST { calm * 2 } else { 1 };
        }
    }

    /// Whether another walk may show anything. One thread alone is shown once: the rest is for the search.
    fn goes_on(&self) -> bool {
        let is_first = self.outcome.walked.walks == 0;
        (is_first || self.has_others) && self.chooses && !self.is_over && !self.has_met()
    }

    /// Looks for a violation, if one would be enough, on walks of another kind: the most important thread moves, and one that is about
    /// to access a location at which others were seen as well waits for them there. The walks of [`RandomWalks::test`] come first. The state is the
    /// first one, and is again afterwards.
    pub fn walk_by_priority(&mut self, state: &mut S::State) {
        if self.wanted.is_none() || !self.goes_on() {
            return;
        }
        let locations = std::mem::take(&mut self.candidates).into_locations();
        self.set_out(state);
        let mut left = ALL_PRIORITY_WALK_STEPS;
        let turns = [None; FREE_PRIORITY_WALKS]
            .into_iter()
            .chain(locations.into_iter().map(Some));
        for (turn, location) in turns.cycle().enumerate() {
            if left == 0 || !self.goes_on() {
                break;
            }
            self.begin();
            self.priority_walk(state, location, turn % 2 == 0);
            left = left.saturating_sub(self.spent.max(1));
            go_back(self.system, state, &mut self.taken, self.prefix);
        }
        self.come_home(state);
    }

    /// One walk by priority. If starters come first, a thread that is new is less important than all that were there before.
    fn priority_walk(&mut self, state: &mut S::State, location: Option<Location>, starters_first: bool) {
        let mut ranks = Ranks::default();
        while self.spent < PRIORITY_WALK_STEPS && self.look(state) {
            let transitions = &self.transitions;
            for entry in enabled(transitions) {
                ranks.enter(entry.thread, starters_first, &mut self.draw);
            }
            let held = |entry: &Transition<S::Action>| {
                let mut touches = transitions.footprint(entry).iter();
                touches.find(|touch| Some(touch.location) == location).copied()
            };
            // If all are held back, either one that reads or one that writes goes on, however many there are of each.
            let reader = self.draw.below(2) == 0;
            let importance = |entry: &Transition<S::Action>| {
                let (is_free, is_next) = match held(entry) {
                    None => (true, true),
                    Some(touch) => (false, touch.access.is_read() == reader),
                };
                (is_free, is_next, ranks.of(entry.thread))
            };
            let best = enabled(transitions).map(importance).max();
            let candidates = || enabled(transitions).filter(|entry| Some(importance(entry)) == best);
            let any = self.draw.below(candidates().count());
            let Some(&entry) = candidates().nth(any) else {
                break;
            };
            let falls = self.draw.below(STEPS_TO_FALL) == 0;
            if falls || entry.wakeup && self.draw.below(WAKEUPS_TO_FALL) == 0 {
                ranks.lower(entry.thread);
            }
            if !self.step(state, &entry) {
                break;
            }
        }
    }

    /// Begins a walk.
    fn begin(&mut self) {
        self.candidates.begin();
        self.spent = 0;
        self.outcome.walked.walks += 1;
    }

    /// Looks at a state, and whether the walk goes on there.
    fn look(&mut self, state: &mut S::State) -> bool {
        if self.timer.is_due() {
            let (elapsed, report) = self.timer.look();
            self.is_over |= elapsed >= self.time || report && !self.observer.progress(&Figures::default());
        }
        self.transitions.clear();
        self.system.transitions(state, &mut self.transitions);
        let threads = count_threads(&self.transitions);
        self.has_others |= threads > 1;
        let Some(wanted) = &self.wanted else {
            return !self.is_over;
        };
        let outcome = &mut self.outcome;
        outcome.marks.extend(&self.transitions.marks);
        outcome.figures.threads = outcome.figures.threads.max(threads);
        let mut flaws = Vec::new();
        inspect(self.system, state, &self.transitions, wanted, &mut flaws);
        if let Some(&flaw) = flaws.first() {
            outcome.found.push(Found {
                flaw,
                actions: self.taken.iter().map(|step| step.action).collect(),
                loop_start: None,
            });
        }
        flaws.is_empty() && !self.is_over
    }

    /// Takes a step; whether that is supported.
    fn step(&mut self, state: &mut S::State, entry: &Transition<S::Action>) -> bool {
        let action = entry.action;
        let idle = self.transitions.footprint(entry).is_empty().then_some(entry.thread);
        let goes_on = idle.is_some() && idle == self.idle;
        self.spent += match () {
            () if goes_on => STEPS_FOR_NOTHING,
            () if entry.wide => STEPS_AT_ONCE,
            () => 1,
        };
        self.idle = idle;
        let Ok(undo) = self.system.apply(state, action) else {
            return false;
        };
        self.taken.push(Taken { action, undo });
        let figures = &mut self.outcome.figures;
        figures.transitions += 1;
        figures.max_depth = figures.max_depth.max(self.taken.len() as u64);
        true
    }
}

/// What may be done at a state.
fn enabled<A: Copy>(transitions: &Transitions<A>) -> impl Iterator<Item = &Transition<A>> {
    let entries = transitions.entries().iter();
    entries.filter(|entry| entry.enabled && transitions.end == End::Open)
}

/// How many ranks there are to draw from.
const RANKS: usize = 1 << 20;

/// How important threads are (after Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010).
#[derive(Default)]
struct Ranks {
    ranks: BTreeMap<ThreadId, i64>,
    lowest: i64,
}

impl Ranks {
    /// Gives a thread any rank, unless it has one; if it is to come last, one below all of those that were there before it.
    fn enter(&mut self, thread: ThreadId, last: bool, draw: &mut Draw) {
        if self.ranks.contains_key(&thread) {
            return;
        }
        let any = draw.below(RANKS) as i64;
        // Those that come last are in any order among each other, and below those that were there from the beginning.
        let rank = if last && !self.ranks.is_empty() {
            any - RANKS as i64
        } else {
            any
        };
        self.ranks.insert(thread, rank);
    }

    fn of(&self, thread: ThreadId) -> i64 {
        self.ranks.get(&thread).copied().unwrap_or_default()
    }

    /// Makes a thread less important than all others.
    fn lower(&mut self, thread: ThreadId) {
        self.lowest -= 1;
        self.ranks.insert(thread, self.lowest - RANKS as i64);
    }
}
