//! The expansion kernel: what happens at a state, whichever search got there.
//!
//! A search calls [`Expansion::begin`] once, [`Expansion::open`] at each state that it wants the successors of, and
//! [`Expansion::step`] for each action to be tried. It calls [`Expansion::stopped`] all the time.

use crate::draw::Draw;
use crate::inspect::{Wanted, inspect, is_dead};
use crate::livelock::Components;
use crate::pace::Pace;
use crate::{Ending, Found, Observer, Options, Outcome, Why};
use kernel::{End, Flaw, Menu, Property, System, ThreadId, Unsupported, Vector};
use std::collections::HashSet;
use store::{Seen, Visited};

/// How many distinct unsupported steps are kept.
const KEPT_UNSUPPORTED: usize = 8;

/// An enabled action that is to be tried.
#[derive(Clone, Copy)]
pub(crate) struct Choice<A> {
    /// What to apply.
    pub action: A,
    /// Who acts.
    pub thread: ThreadId,
    /// Its position in the menu.
    pub entry: u32,
    /// Whether it counts against the bound.
    pub costs: bool,
    /// Whether it may change what other threads can see. Only known when livelocks are looked for.
    pub writes: bool,
}

/// What the future depends on besides the state, when preemptions are bounded.
///
/// Threads go by their numbers in the state at hand. A system whose vectors forget these may match schedules that are
/// not the same; then something within the bound may be missed, as is everything beyond it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Who moved last.
    pub last: Option<ThreadId>,
    /// How much of the bound is used up.
    pub used: u32,
}

impl Schedule {
    /// How many words it takes in a vector.
    pub const WORDS: usize = 2;

    /// What follows it when a choice is made.
    fn after<A>(self, choice: &Choice<A>) -> Schedule {
        Schedule {
            last: Some(choice.thread),
            used: self.used + u32::from(choice.costs),
        }
    }

    /// Itself in words.
    fn words(self) -> [u32; Schedule::WORDS] {
        [self.last.map_or(0, |thread| thread.0 + 1), self.used]
    }

    /// The schedule that was written down so.
    pub fn from_words(words: &[u32]) -> Schedule {
        Schedule {
            last: words[0].checked_sub(1).map(ThreadId),
            used: words[1],
        }
    }
}

/// Which switches between threads are bounded.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// How many there may be.
    pub limit: u32,
    /// Whether every switch counts, or only one away from a thread that could have gone on.
    pub every: bool,
}

/// Where a step led.
pub(crate) enum Step<U> {
    /// To a state that was not known, with this schedule.
    New(U, Seen, Schedule),
    /// To a known state.
    Old(U, Seen, Schedule),
    /// Nowhere: it is not supported.
    Failed(Unsupported),
    /// Nowhere: the search is stopped. It was undone.
    Halted,
}

/// What a search looks like from outside at one moment.
pub(crate) struct Shape {
    /// Steps from the start.
    pub depth: usize,
    /// States that are not done with.
    pub frontier: usize,
    /// Memory.
    pub bytes: usize,
}

/// All that the searches have in common.
pub(crate) struct Expansion<'a, S: System, V: ?Sized> {
    /// The system.
    pub system: &'a S,
    /// The states met.
    pub visited: &'a mut V,
    /// Random numbers.
    pub draw: Draw,
    /// The components of the state graph, when livelocks are looked for.
    pub components: Option<Components>,
    /// The one flaw to look for, if it is known.
    pub target: Option<Flaw>,
    /// The bound on switches, if there is one.
    pub bound: Option<Bound>,
    /// Whether states may have been taken for one another or left out.
    pub inexact: bool,
    /// The vector of the state that was entered last, with its schedule if there is a bound.
    pub vector: Vector,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    wanted: Wanted,
    pace: Pace,
    menu: Menu<S::Action>,
    fresh: Vec<Flaw>,
    reported: HashSet<Flaw>,
    was_cut: bool,
    stop: Option<Why>,
    outcome: Outcome<S::Action>,
}

impl<'a, S: System, V: Visited + ?Sized> Expansion<'a, S, V> {
    /// Nothing explored so far.
    pub fn new(system: &'a S, visited: &'a mut V, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let wanted = Wanted::new(&options.properties);
        Expansion {
            system,
            visited,
            draw: Draw::new(options.seed),
            components: wanted.has(Property::Livelock).then(Components::default),
            target: None,
            bound: options.preemptions.map(|limit| Bound { limit, every: false }),
            inexact: false,
            vector: Vector::default(),
            options,
            observer,
            wanted,
            pace: Pace::new(),
            menu: Menu::default(),
            fresh: Vec::new(),
            reported: HashSet::new(),
            was_cut: false,
            stop: None,
            outcome: Outcome::default(),
        }
    }

    /// Enters the initial state; `None` if there is no room even for that.
    pub fn begin(&mut self, state: &mut S::State) -> Option<Seen> {
        self.enter(state, Schedule::default())
    }

    /// Looks at a state and appends the actions to be tried there to `choices`. Whether there is a flaw to be reported:
    /// then [`Expansion::report`] wants to know the way. `new` tells whether the state is to be counted.
    pub fn open(
        &mut self,
        state: &mut S::State,
        schedule: Schedule,
        new: bool,
        choices: &mut Vec<Choice<S::Action>>,
    ) -> bool {
        self.menu.clear();
        self.system.pending(state, &mut self.menu);
        let outcome = &mut self.outcome;
        outcome.marks.extend(&self.menu.marks);
        outcome.figures.threads = outcome.figures.threads.max(count_threads(&self.menu));
        match self.menu.end {
            End::Open if is_dead(&self.menu) => outcome.deadlocks += u64::from(new),
            End::Open => self.choose(schedule, choices),
            End::Over => outcome.finals += u64::from(new),
            End::Ignored => outcome.ignored += u64::from(new),
        }
        self.fresh.clear();
        inspect(self.system, state, &self.menu, self.wanted, &mut self.fresh);
        !self.fresh.is_empty() && self.keep_fresh()
    }

    /// Chooses which entries of the menu are tried. THE place for a reduction: whatever it leaves out here is not
    /// explored from this state.
    fn choose(&mut self, schedule: Schedule, choices: &mut Vec<Choice<S::Action>>) {
        let first = choices.len();
        let mut goes_on = false;
        // The thread that moved last comes first, so that traces stay sequential.
        for same in [true, false] {
            if same && schedule.last.is_none() {
                continue;
            }
            for (position, entry) in self.menu.entries().iter().enumerate() {
                if !entry.enabled || (Some(entry.thread) == schedule.last) != same {
                    continue;
                }
                goes_on |= same && !entry.rests;
                let mut costs = false;
                if let Some(bound) = self.bound {
                    costs = !same && (goes_on || bound.every && schedule.last.is_some());
                    if costs && schedule.used >= bound.limit {
                        self.was_cut = true;
                        continue;
                    }
                }
                let writes =
                    self.components.is_some() && self.menu.footprint(entry).iter().any(|touch| !touch.access.is_read());
                choices.push(Choice {
                    action: entry.action,
                    thread: entry.thread,
                    entry: position as u32,
                    costs,
                    writes,
                });
            }
        }
        if self.options.shuffle {
            self.draw.shuffle(&mut choices[first..]);
        }
    }

    /// Takes a step and enters the state that it leads to.
    pub fn step(&mut self, state: &mut S::State, schedule: Schedule, choice: &Choice<S::Action>) -> Step<S::Undo> {
        let undo = match self.system.apply(state, choice.action) {
            Ok(undo) => undo,
            Err(unsupported) => return Step::Failed(unsupported),
        };
        self.outcome.figures.transitions += 1;
        let after = schedule.after(choice);
        match self.enter(state, after) {
            Some(seen) if seen.new => Step::New(undo, seen, after),
            Some(seen) => Step::Old(undo, seen, after),
            None => {
                self.system.undo(state, undo);
                Step::Halted
            }
        }
    }

    /// Whether as many steps were taken as states may be entered; then the search stops.
    pub fn is_walked_out(&mut self) -> bool {
        let out = self
            .options
            .states
            .is_some_and(|most| self.outcome.figures.transitions >= most);
        if out {
            self.stop = Some(Why::States);
        }
        out
    }

    /// Enters a state into the store; `None` if that stops the search.
    fn enter(&mut self, state: &mut S::State, schedule: Schedule) -> Option<Seen> {
        self.vector.clear();
        self.system.encode(state, &mut self.vector);
        self.vector.end_chunk();
        // SOUNDNESS: what is cut at a state depends on the schedule, so states with another schedule are other states.
        if self.bound.is_some() {
            self.vector.extend(&schedule.words());
            self.vector.end_chunk();
        }
        let seen = self.visited.insert(&self.vector);
        let states = &mut self.outcome.figures.states;
        match seen {
            None => self.stop = Some(Why::Full),
            Some(Seen { new: true, .. }) if self.options.states.is_some_and(|most| *states >= most) => {
                self.stop = Some(Why::States);
                return None;
            }
            Some(Seen { new, .. }) => *states += u64::from(new),
        }
        seen
    }

    /// Reports the flaws that [`Expansion::open`] saw, at the end of this schedule.
    pub fn report(&mut self, actions: &[S::Action]) {
        for flaw in std::mem::take(&mut self.fresh) {
            self.add(Found {
                flaw,
                actions: actions.to_vec(),
                loop_start: None,
            });
            if self.stop.is_some() {
                break;
            }
        }
    }

    /// Adds a flaw, unless it is not wanted or was there before.
    pub fn add(&mut self, found: Found<S::Action>) {
        if self.target.is_none_or(|target| target == found.flaw) && self.reported.insert(found.flaw) {
            self.outcome.found.push(found);
            if !self.options.all {
                self.stop = Some(Why::FirstViolation);
            }
        }
    }

    /// Drops the flaws that would not be added; whether any is left.
    fn keep_fresh(&mut self) -> bool {
        let (target, reported) = (self.target, &self.reported);
        self.fresh
            .retain(|flaw| target.is_none_or(|target| target == *flaw) && !reported.contains(flaw));
        !self.fresh.is_empty()
    }

    /// Whether an unsupported step is worth telling how it was reached.
    pub fn is_unheard(&self, unsupported: &Unsupported) -> bool {
        let heard = &self.outcome.unsupported;
        heard.len() < KEPT_UNSUPPORTED && !heard.iter().any(|(one, _)| one == unsupported)
    }

    /// Remembers an unsupported step, the last one of this schedule.
    pub fn hear(&mut self, unsupported: Unsupported, actions: Vec<S::Action>) {
        if self.is_unheard(&unsupported) {
            self.outcome.unsupported.push((unsupported, actions));
        }
    }

    /// Whether it is time to stop. `shape` is asked for now and then.
    #[inline]
    pub fn stopped(&mut self, shape: impl FnOnce() -> Shape) -> bool {
        if self.pace.is_due() {
            self.look_around(&shape());
        }
        self.stop.is_some()
    }

    #[cold]
    fn look_around(&mut self, shape: &Shape) {
        let (elapsed, report) = self.pace.look();
        self.note(shape);
        let figures = &mut self.outcome.figures;
        figures.elapsed = elapsed;
        let held = figures.store_bytes + figures.frontier_bytes;
        let why = match () {
            () if self.options.time.is_some_and(|most| elapsed >= most) => Why::Time,
            () if self.options.memory.is_some_and(|most| held > most) => Why::Memory,
            () if report && !self.observer.progress(figures) => Why::Interrupted,
            () => return,
        };
        self.stop.get_or_insert(why);
    }

    /// Brings the figures up to date.
    fn note(&mut self, shape: &Shape) {
        self.deepen(shape.depth);
        let figures = &mut self.outcome.figures;
        figures.frontier = shape.frontier as u64;
        figures.depth = shape.depth as u64;
        figures.store_bytes = self.visited.bytes();
        figures.frontier_bytes = (shape.bytes + self.components.as_ref().map_or(0, Components::bytes)) as u64;
    }

    /// Notes that the search got this far from the start.
    #[inline]
    pub fn deepen(&mut self, depth: usize) {
        let deepest = &mut self.outcome.figures.max_depth;
        *deepest = (*deepest).max(depth as u64);
    }

    /// The outcome, when the search has nothing more to do or was stopped.
    pub fn finish(mut self) -> Outcome<S::Action> {
        self.outcome.figures.store_bytes = self.visited.bytes();
        self.outcome.figures.elapsed = self.pace.elapsed();
        let unsupported = self.outcome.unsupported.first().map(|(one, _)| one.clone());
        let lost = self.components.as_ref().is_some_and(|components| components.lost);
        let inexact = self.inexact || lost || self.visited.collision_probability() > 0.0;
        // SOUNDNESS: "complete" is what is left when nothing was left out for whatever reason.
        let why = self
            .stop
            .or(unsupported.map(Why::Unsupported))
            .or(self.was_cut.then_some(Why::Preemptions))
            .or(inexact.then_some(Why::Inexact));
        self.outcome.ending = why.map_or(Ending::Complete, Ending::Stopped);
        self.outcome
    }
}

/// How many distinct threads have an entry.
fn count_threads<A: Copy>(menu: &Menu<A>) -> u32 {
    let entries = menu.entries();
    let (mut low, mut high) = (0u64, 0);
    for (position, entry) in entries.iter().enumerate() {
        match entry.thread.0 {
            number @ 0..64 => low |= 1 << number,
            _ => high += u32::from(!entries[..position].iter().any(|other| other.thread == entry.thread)),
        }
    }
    low.count_ones() + high
}
