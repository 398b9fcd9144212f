//! The expansion kernel: what happens at a state, whichever search got there.
//!
//! A search calls [`Explorer::begin`] once, [`Explorer::open`] at each state that it wants the successors of, and
//! [`Explorer::step`] for each action to be tried. It calls [`Explorer::stopped`] all the time.
//!
//! With a reduction, a state may be opened with the actions of some threads only. The search then asks the proviso (`proviso`) whether it
//! must open the state again, in full.
//!
//! Where actions fall asleep (`sleep_sets`), a state is opened with those that are asleep there, and each choice knows who is asleep
//! after it.
//!
//! An [`Explorer`] is what one worker has of its own. What workers share is in [`Context`].

use crate::bounds::Schedule;
use crate::components::Components;
use crate::context::Context;
use crate::draw::Draw;
use crate::entry::Entry;
use crate::inspect::inspect;
use crate::monitor::Monitor;
use crate::reducing::Reducing;
use crate::reporting::Tally;
use crate::run_compression::RunCompression;
use crate::sleep_sets::Sleep;
use crate::step::{Choice, Opened, Shape, Step, Taken};
use crate::{Observer, Order, Outcome, Why};
use kernel::{End, Flaw, Property, Reduction, System, Transitions};
use store::{Seen, StateTable};

/// How many steps are taken before it is asked whether they rest on something that is wrong.
const STEPS_TO_ASK: u64 = 1 << 16;

/// One worker of a search.
pub(crate) struct Explorer<'a, S: System, V: ?Sized> {
    /// What it shares with others.
    pub context: &'a Context<'a, S, V>,
    /// The state at hand in the table.
    pub entry: Entry<'a>,
    /// What can be done at the state that was looked at last, and what is wrong with it.
    pub transitions: Transitions<S::Action>,
    pub fresh: Vec<Flaw>,
    /// Which threads are enough there.
    pub reducing: Reducing<'a, S>,
    /// Which actions are asleep there.
    pub sleep: Sleep<S::Action>,
    /// Which states on the way to it are left out of the table.
    pub runs: RunCompression<S::Action>,
    /// The components of the state graph, when executions without an end are looked for.
    pub components: Option<Components>,
    /// Random numbers.
    pub draw: Draw,
    /// What it has counted.
    pub tally: Tally,
    monitor: Monitor<'a>,
    /// Whether it stops where the system rests on something that is wrong.
    asks: bool,
}

impl<'a, S: System, V: StateTable + ?Sized> Explorer<'a, S, V> {
    /// Nothing explored so far, with a reduction if there is one.
    pub fn new(
        context: &'a Context<'a, S, V>,
        reduction: Option<&'a mut dyn Reduction<S>>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let (options, looks_for) = (context.options, &context.reporting.wanted);
        // What may sleep is what was explored before, which only depth-first search knows.
        let sleeps = options.order == Order::Depth && reduction.as_ref().is_some_and(|reduction| reduction.sleeps());
        Explorer {
            context,
            entry: Entry::new(context.visited.inserter()),
            transitions: Transitions::default(),
            fresh: Vec::new(),
            sleep: Sleep::new(sleeps),
            runs: RunCompression::new(reduction.as_deref(), options.order != Order::Random),
            reducing: Reducing::new(reduction),
            components: looks_for.has(Property::LIVELOCK).then(Components::default),
            draw: Draw::new(options.seed),
            tally: Tally::default(),
            monitor: Monitor::new(observer),
            asks: false,
        }
    }

    /// The same, and executions that never end are noticed even where nobody has asked for livelocks, if that can be told.
    pub fn noticing_endless(mut self) -> Self {
        if self.context.options.order == Order::Depth && self.context.bound.is_none() {
            self.components.get_or_insert_default();
        }
        self
    }

    /// The same, and it stops where the system rests on something that is wrong: for whoever can start over.
    pub fn asking(mut self) -> Self {
        self.asks = true;
        self
    }

    /// Enters the initial state; `None` if there is no room even for that.
    pub fn begin(&mut self, state: &mut S::State) -> Option<Seen> {
        self.ask();
        self.entry.move_on();
        self.enter(state, Schedule::default())
    }

    /// Looks at a new state and appends the actions to be tried there to `choices`.
    pub fn open(&mut self, state: &mut S::State, schedule: Schedule, choices: &mut Vec<Choice<S::Action>>) -> Opened {
        let opened = match self.runs.take_ahead(choices) {
            Some(opened) => opened,
            None => self.look(state, schedule, false, choices),
        };
        let tally = &mut self.tally;
        match self.transitions.end {
            End::Open => tally.deadlocks += u64::from(self.transitions.is_dead()),
            End::Over => tally.finals += 1,
            End::Ignored => tally.ignored += 1,
        }
        opened
    }

    /// Looks at a state that is not counted and appends the actions to be tried there to `choices`: all of them if `full`.
    pub fn look(
        &mut self,
        state: &mut S::State,
        schedule: Schedule,
        full: bool,
        choices: &mut Vec<Choice<S::Action>>,
    ) -> Opened {
        let &Context {
            system, ref reporting, ..
        } = self.context;
        self.transitions.clear();
        system.transitions(state, &mut self.transitions);
        let tally = &mut self.tally;
        if !self.transitions.marks.is_empty() {
            tally.marks.extend(&self.transitions.marks);
        }
        tally.figures.threads = tally.figures.threads.max(count_threads(&self.transitions));
        self.reducing.try_all();
        if self.transitions.end == End::Open && self.transitions.entries().iter().any(|entry| entry.enabled) {
            if !full {
                self.reducing.choose(system, state, &self.transitions, schedule);
                if self.reducing.is_broken_for_long(self.tally.figures.transitions) {
                    reporting.stop_also(Why::Broken);
                }
            }
            self.choose(schedule, choices);
        }
        self.fresh.clear();
        inspect(system, state, &self.transitions, &reporting.wanted, &mut self.fresh);
        Opened {
            flawed: reporting.keep_fresh(&mut self.fresh),
            reduced: self.reducing.is_reduced(),
        }
    }

    /// Chooses which transitions are tried: those of the threads that are enough, or all. Whatever is left out here is
    /// not explored from this state.
    fn choose(&mut self, schedule: Schedule, choices: &mut Vec<Choice<S::Action>>) {
        let first = choices.len();
        let mut goes_on = false;
        // The thread that moved last comes first, so that traces stay sequential.
        for same in [true, false] {
            if same && schedule.last.is_none() {
                continue;
            }
            for (position, entry) in self.transitions.entries().iter().enumerate() {
                let is_turn = (Some(entry.thread) == schedule.last) == same;
                if !entry.enabled || !self.reducing.includes(entry.thread) || !is_turn {
                    continue;
                }
                goes_on |= same && !entry.wakeup;
                let bound = self.context.bound;
                let counting = bound.filter(|bound| !same && bound.counts(schedule, goes_on));
                if counting.is_some_and(|bound| bound.is_used_up(schedule)) {
                    self.tally.was_cut = true;
                    continue;
                }
                choices.push(Choice {
                    action: entry.action,
                    thread: entry.thread,
                    entry: position as u32,
                    costs: counting.is_some(),
                    asleep: (0, 0),
                });
            }
        }
        if self.context.options.shuffle {
            self.draw.shuffle(&mut choices[first..]);
        }
    }

    /// Takes a step, and those after it for which there is nothing to choose if these need not be stored, and enters the
    /// state that it leads to. What was taken is appended to `steps`, whatever comes of it.
    pub fn step(
        &mut self,
        state: &mut S::State,
        schedule: Schedule,
        choice: &Choice<S::Action>,
        steps: &mut Vec<Taken<S>>,
    ) -> Step<S::Action> {
        let mut after = schedule;
        if let Err(failed) = self.run(state, &mut after, choice, steps) {
            return failed;
        }
        match self.enter(state, after) {
            Some(seen) if self.sleep.is_on && self.wakes(state, seen) => Step::Again(seen, after),
            Some(seen) if seen.new => Step::New(seen, after),
            Some(seen) => Step::Old(seen, after),
            None => Step::Halted,
        }
    }

    /// Takes a step.
    pub fn take(
        &mut self,
        state: &mut S::State,
        schedule: &mut Schedule,
        choice: &Choice<S::Action>,
        steps: &mut Vec<Taken<S>>,
    ) -> Result<(), Step<S::Action>> {
        let action = choice.action;
        self.entry.move_on();
        match self.context.system.apply(state, action) {
            Ok(undo) => steps.push(Taken { action, undo }),
            Err(unsupported) => {
                self.ask();
                return Err(Step::Failed(unsupported, action));
            }
        }
        self.tally.figures.transitions += 1;
        // By steps and not by the clock, so that counts do not depend on the machine.
        if self.tally.figures.transitions.is_multiple_of(STEPS_TO_ASK) {
            self.ask();
        }
        *schedule = schedule.after(choice.thread, choice.costs);
        Ok(())
    }

    /// Stops if all must be explored again anyway.
    fn ask(&mut self) {
        if self.asks && self.context.system.is_broken() {
            self.context.reporting.stop_also(Why::Broken);
        }
    }

    /// Whether as many steps were taken as states may be entered; then the search stops.
    pub fn is_walked_out(&mut self) -> bool {
        let most = self.context.options.states;
        let out = most.is_some_and(|most| self.tally.figures.transitions >= most);
        if out {
            self.context.reporting.stop(Why::States);
        }
        out
    }

    /// Enters a state into the table; `None` if that stops the search.
    fn enter(&mut self, state: &mut S::State, schedule: Schedule) -> Option<Seen> {
        self.write(state, schedule);
        let &Context {
            options, ref reporting, ..
        } = self.context;
        let seen = self.entry.insert();
        let states = &mut self.tally.figures.states;
        match seen {
            None => reporting.stop(Why::Full),
            Some(Seen { new: true, .. }) if options.states.is_some_and(|most| *states >= most) => {
                reporting.stop(Why::States);
                return None;
            }
            Some(Seen { new: true, .. }) => *states += 1,
            Some(Seen { new: false, .. }) => self.runs.note_met(),
        }
        seen
    }

    /// Writes the state at hand down.
    pub fn write(&mut self, state: &mut S::State, schedule: Schedule) {
        let schedule = self.context.bound.map(|_| schedule);
        self.entry.write(self.context.system, state, schedule);
    }

    /// Reports the flaws of the state that was looked at last, which is at the end of this schedule.
    pub fn report_fresh(&mut self, actions: &[S::Action]) {
        let fresh = std::mem::take(&mut self.fresh);
        self.context.reporting.report(fresh, actions);
    }

    /// Whether it is time to stop. `shape` is asked for now and then.
    #[inline]
    pub fn stopped(&mut self, shape: impl FnOnce() -> Shape) -> bool {
        if self.monitor.timer.is_due() {
            self.look_around(&shape());
        }
        self.context.reporting.is_stopped()
    }

    /// The same, in the midst of a step.
    pub fn stopped_midway(&mut self) -> bool {
        let shape = self.monitor.shape;
        self.stopped(|| shape)
    }

    #[cold]
    fn look_around(&mut self, shape: &Shape) {
        self.monitor.shape = *shape;
        self.note(shape);
        if let Some(why) = self.monitor.look(&mut self.tally.figures, self.context.options) {
            self.context.reporting.stop_also(why);
        }
    }

    /// Brings the figures up to date.
    fn note(&mut self, shape: &Shape) {
        self.deepen(shape.depth);
        let components = self.components.as_ref().map_or(0, Components::bytes);
        let store_bytes = self.store_bytes();
        let figures = &mut self.tally.figures;
        figures.frontier = shape.frontier as u64;
        figures.depth = shape.depth as u64;
        figures.store_bytes = store_bytes;
        figures.frontier_bytes = (shape.bytes + components + self.sleep.bytes()) as u64;
    }

    fn store_bytes(&self) -> u64 {
        self.context.visited.bytes() + self.entry.bytes()
    }

    /// Notes that the search got this far from the start.
    #[inline]
    pub fn deepen(&mut self, depth: usize) {
        let deepest = &mut self.tally.figures.max_depth;
        *deepest = (*deepest).max(depth as u64);
    }

    /// The outcome, when the search has nothing more to do or was stopped.
    pub fn finish(mut self) -> Outcome<S::Action> {
        let &Context {
            visited, ref reporting, ..
        } = self.context;
        self.tally.figures.store_bytes = self.store_bytes();
        self.tally.figures.elapsed = self.monitor.timer.elapsed();
        let lost = self.components.as_ref().is_some_and(|components| components.lost);
        let lost = lost && reporting.wanted.has(Property::LIVELOCK);
        self.tally.inexact |= lost || visited.collision_probability() > 0.0;
        self.tally.broken = self.reducing.is_broken();
        reporting.finish(self.tally)
    }
}

/// How many distinct threads have an entry.
pub(crate) fn count_threads<A: Copy>(transitions: &Transitions<A>) -> u32 {
    let entries = transitions.entries();
    let (mut low, mut high) = (0u64, 0);
    for (position, entry) in entries.iter().enumerate() {
        match entry.thread.0 {
            number @ 0..64 => low |= 1 << number,
            _ => high += u32::from(!entries[..position].iter().any(|other| other.thread == entry.thread)),
        }
    }
    low.count_ones() + high
}
