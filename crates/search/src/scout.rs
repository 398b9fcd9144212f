//! Random walks before a search, and after one that has to start over: they show a reduction what is wrong with what it rests on, and
//! may come past a violation, so that no search is needed.
//!
//! What is seen on the way only makes a reduction rely on less, and a violation has its schedule, so it does not matter which walks
//! these are. Whoever finds nothing on them knows nothing.

use crate::crowd::Crowd;
use crate::draw::Draw;
use crate::expand::count_threads;
use crate::inspect::{Wanted, inspect};
use crate::pace::Pace;
use crate::step::{Taken, go_back};
use crate::{Ending, Figures, Found, Observer, Options, Order, Outcome, Why};
use kernel::{End, Menu, Pending, Place, Reduction, System, ThreadId};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many walks are worth while, and how many steps: a part of a second.
const WALKS: usize = 64;
const STEPS: u64 = 100_000;

/// Walks that take longer are not worth it.
const LONGEST: Duration = Duration::from_secs(2);

/// How many times in a row something that turns out to be wrong is looked for.
const ROUNDS: u32 = 4;

/// How calm walks are: in the calmest, a thread goes on for two to the power of this many steps before another one may move.
const CALMEST: usize = 6;

/// How many hunts hold nobody back. Then there is one for each place at which threads could meet.
const FREE_HUNTS: usize = 8;

/// How many steps a hunt takes, and all of them: a few hundredths of a second.
const HUNT_STEPS: usize = 5000;
const ALL_HUNT_STEPS: u64 = 20_000;

/// How many steps one counts for that goes on where another was cut off because it took so long.
const LONG_STEP: u64 = 64;

/// One step in so many makes its thread the least important, and one in so many of those that end a wait because its time is up.
const STEPS_TO_FALL: usize = 256;
const RESTS_TO_FALL: usize = 4;

/// Who walks, and until when.
pub(crate) struct Scout<'a, S: System> {
    system: &'a S,
    draw: Draw,
    time: Duration,
    observer: &'a mut dyn Observer,
    pace: Pace,
    is_over: bool,
    /// Whether there was ever more than one thread: of one alone, a search learns as much.
    has_others: bool,
    /// What is looked for on the way, if a violation that is met may end everything.
    wanted: Option<Wanted>,
    crowd: Crowd,
    menu: Menu<S::Action>,
    taken: Vec<Taken<S>>,
    outcome: Outcome<S::Action>,
}

impl<'a, S: System> Scout<'a, S> {
    /// Somebody who has not walked yet, with the time that there is.
    pub fn new(
        system: &'a S,
        options: &Options,
        seed: u64,
        time: Option<Duration>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        // Whoever wants all violations, or the one with fewest steps, needs the search anyway.
        let is_enough = options.hunt && !options.all && options.order != Order::Breadth;
        Scout {
            system,
            draw: Draw::new(seed),
            time: time.map_or(LONGEST, |most| most.min(LONGEST)),
            observer,
            pace: Pace::new(),
            is_over: false,
            has_others: false,
            wanted: is_enough.then(|| Wanted::new(&options.properties)),
            crowd: Crowd::default(),
            menu: Menu::default(),
            taken: Vec::new(),
            outcome: Outcome::default(),
        }
    }

    /// Puts what a reduction relies on to the test, `most` steps at a time, and then what it relies on instead. Whether something was
    /// wrong. The state is the first one, and is again afterwards.
    pub fn test(&mut self, state: &mut S::State, reduction: &mut dyn Reduction<S>, most: u64) -> bool {
        // As much again as a search that was in vain may save many more of these.
        let mended = (0..ROUNDS).take_while(|_| {
            if self.has_met() {
                return false;
            }
            self.walk(state, reduction, most);
            reduction.mend(self.system, state)
        });
        mended.count() > 0
    }

    /// What there is to say if a violation was met.
    pub fn finish(mut self) -> Option<Outcome<S::Action>> {
        self.outcome.ending = Ending::Stopped(Why::FirstViolation);
        self.has_met().then_some(self.outcome)
    }

    fn has_met(&self) -> bool {
        !self.outcome.found.is_empty()
    }

    /// Shows a reduction the states along some walks.
    fn walk(&mut self, state: &mut S::State, reduction: &mut dyn Reduction<S>, most: u64) {
        let (mut enough, mut left) = (Vec::new(), most.min(STEPS));
        for walk in 0..WALKS {
            let mut last = None;
            let calm = 1 << (walk % (CALMEST + 1));
            self.begin();
            while left > 0 && self.look(state) {
                enough.clear();
                reduction.ample(self.system, state, &self.menu, last, &mut enough);
                let enabled = || enabled(&self.menu);
                let goes_on = self.draw.below(calm) > 0;
                let same = enabled().find(|entry| goes_on && Some(entry.thread) == last);
                let any = self.draw.below(enabled().count());
                let Some(&entry) = same.or_else(|| enabled().nth(any)) else {
                    break;
                };
                let is_long = last == Some(entry.thread) && self.menu.footprint(&entry).is_empty();
                last = Some(entry.thread);
                left = left.saturating_sub(if is_long { LONG_STEP } else { 1 });
                if self.wanted.is_some() {
                    self.crowd.note(entry.thread, self.menu.footprint(&entry));
                }
                if !self.step(state, entry.action) {
                    break;
                }
            }
            go_back(self.system, state, &mut self.taken, 0);
            if left == 0 || self.is_over || self.has_met() || !self.has_others {
                break;
            }
        }
    }

    /// Looks for a violation, if one would be enough, on walks of another kind: the most important thread moves, and one that is about
    /// to access a place at which others were seen as well waits for them there. The state is the first one, and is again afterwards.
    pub fn hunt(&mut self, state: &mut S::State) {
        let places = std::mem::take(&mut self.crowd).into_places();
        let most = self.outcome.figures.transitions + ALL_HUNT_STEPS;
        let places = [None; FREE_HUNTS].into_iter().chain(places.into_iter().map(Some));
        for place in places {
            let is_done =
                self.is_over || self.has_met() || !self.has_others || self.outcome.figures.transitions >= most;
            if is_done || self.wanted.is_none() {
                break;
            }
            self.begin();
            self.hunt_at(state, place);
            go_back(self.system, state, &mut self.taken, 0);
        }
    }

    fn hunt_at(&mut self, state: &mut S::State, place: Option<Place>) {
        let mut ranks = Ranks::default();
        while self.taken.len() < HUNT_STEPS && self.look(state) {
            let menu = &self.menu;
            for entry in enabled(menu) {
                ranks.enter(entry.thread, &mut self.draw);
            }
            let importance = |entry: &Pending<S::Action>| {
                let is_held = menu.footprint(entry).iter().any(|touch| Some(touch.place) == place);
                (!is_held, ranks.of(entry.thread))
            };
            let best = enabled(menu).map(importance).max();
            let candidates = || enabled(menu).filter(|entry| Some(importance(entry)) == best);
            let any = self.draw.below(candidates().count());
            let Some(&entry) = candidates().nth(any) else {
                break;
            };
            let falls = self.draw.below(STEPS_TO_FALL) == 0;
            if falls || entry.rests && self.draw.below(RESTS_TO_FALL) == 0 {
                ranks.lower(entry.thread);
            }
            if !self.step(state, entry.action) {
                break;
            }
        }
    }

    /// Begins a walk.
    fn begin(&mut self) {
        self.crowd.begin();
        self.outcome.walks += 1;
    }

    /// Looks at a state, and whether the walk goes on there.
    fn look(&mut self, state: &mut S::State) -> bool {
        if self.pace.is_due() {
            let (elapsed, report) = self.pace.look();
            self.is_over |= elapsed >= self.time || report && !self.observer.progress(&Figures::default());
        }
        self.menu.clear();
        self.system.pending(state, &mut self.menu);
        self.has_others |= count_threads(&self.menu) > 1;
        let Some(wanted) = self.wanted else {
            return !self.is_over;
        };
        let outcome = &mut self.outcome;
        outcome.marks.extend(&self.menu.marks);
        outcome.figures.threads = outcome.figures.threads.max(count_threads(&self.menu));
        let mut flaws = Vec::new();
        inspect(self.system, state, &self.menu, wanted, &mut flaws);
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
    fn step(&mut self, state: &mut S::State, action: S::Action) -> bool {
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
fn enabled<A: Copy>(menu: &Menu<A>) -> impl Iterator<Item = &Pending<A>> {
    let entries = menu.entries().iter();
    entries.filter(|entry| entry.enabled && menu.end == End::Open)
}

/// How important threads are (after Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010).
#[derive(Default)]
struct Ranks {
    ranks: BTreeMap<ThreadId, i64>,
    lowest: i64,
}

impl Ranks {
    /// Gives a thread any rank, unless it has one.
    fn enter(&mut self, thread: ThreadId, draw: &mut Draw) {
        let any = || draw.below(1 << 20) as i64;
        self.ranks.entry(thread).or_insert_with(any);
    }

    fn of(&self, thread: ThreadId) -> i64 {
        self.ranks.get(&thread).copied().unwrap_or_default()
    }

    /// Makes a thread less important than all others.
    fn lower(&mut self, thread: ThreadId) {
        self.lowest -= 1;
        self.ranks.insert(thread, self.lowest);
    }
}
