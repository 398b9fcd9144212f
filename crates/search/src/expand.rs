//! The expansion kernel: what happens at a state, whichever search got there.
//!
//! A search calls [`Expansion::begin`] once, [`Expansion::open`] at each state that it wants the successors of, and
//! [`Expansion::step`] for each action to be tried. It calls [`Expansion::stopped`] all the time.
//!
//! With a reduction, a state may be opened with the actions of some threads only. Then the search must open it again, in full,
//! unless one of these steps led to a state that will be left later than this one: otherwise the other threads might be put off
//! for ever around a cycle (the condition C3 of ample sets, in the form that is enough for safety).
//!
//! Where actions fall asleep (`sleep_sets`), a state is opened with those that are asleep there, and each choice knows who is asleep
//! after it.

use crate::components::Components;
use crate::cycle_detector::{Back, CycleDetector};
use crate::draw::Draw;
use crate::inspect::{Wanted, inspect};
use crate::lookup_heuristic::LookupHeuristic;
use crate::progress_timer::ProgressTimer;
use crate::sleep_sets::StoredSleepSets;
use crate::step::{Bound, Choice, Opened, Schedule, Shape, Step, Taken};
use crate::{Ending, Found, Observer, Options, Order, Outcome, Why};
use kernel::{End, Flaw, Property, Reduction, StateVector, System, ThreadId, Transition, Transitions, Unsupported};
use std::collections::HashSet;
use store::{Inserter, Seen, StateId, StateTable};

/// How many distinct unsupported steps are kept.
const KEPT_UNSUPPORTED: usize = 8;

/// How many more steps, besides as many as were taken, show what else is wrong with what a reduction relies on.
const MORE_TO_BREAK: u64 = 5000;

/// How many steps are taken before it is asked whether all must be explored again anyway.
const STEPS_TO_ASK: u64 = 1 << 16;

/// After so many steps a run is worth storing a state on its way, once so many steps have led to known states.
const LONG_RUN: usize = 8;
const MANY_MEET: u64 = 256;

/// All that the searches have in common.
pub(crate) struct Expansion<'a, S: System, V: ?Sized> {
    /// The system.
    pub system: &'a S,
    /// The states met.
    pub visited: &'a V,
    /// The search's own way to enter them.
    inserter: Box<dyn Inserter + 'a>,
    /// Random numbers.
    pub draw: Draw,
    /// The components of the state graph, when executions without an end are looked for.
    pub components: Option<Components>,
    /// How many steps were taken to have a closer look at some of them.
    pub examined: u64,
    /// The one flaw to look for, if it is known.
    pub target: Option<Flaw>,
    /// The bound on switches, if there is one.
    pub bound: Option<Bound>,
    /// Whether states may have been taken for one another or left out.
    pub inexact: bool,
    /// The vector of the state that was entered last, with its schedule if there is a bound.
    pub vector: StateVector,
    /// The actions that are asleep in the state at hand, and whether any ever is.
    pub sleep: Vec<S::Action>,
    pub sleeps: bool,
    /// What was asleep at the states met, and what is to be tried at one after all.
    pub(crate) stored_sleep_sets: StoredSleepSets,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    wanted: Wanted,
    timer: ProgressTimer,
    pub(crate) transitions: Transitions<S::Action>,
    fresh: Vec<Flaw>,
    reported: HashSet<Flaw>,
    was_cut: bool,
    stop: Option<Why>,
    outcome: Outcome<S::Action>,
    pub(crate) reduction: Option<&'a mut dyn Reduction<S>>,
    /// The threads that are enough at the state that was looked at last; none for all.
    enough: Vec<ThreadId>,
    /// Whether states with one successor are left out of the store.
    atomic: bool,
    /// Whether states in the midst of a step are.
    transactional: bool,
    /// Whether what was met so far says where a run ends.
    learns: bool,
    /// How many steps have led to known states.
    met: u64,
    lookup_heuristic: LookupHeuristic,
    /// Whether `vector` is that of the state at hand, and the state's number, if it is known already.
    written: bool,
    found: Option<StateId>,
    /// How many steps had been taken when something that the reduction relies on turned out to be wrong.
    broken_after: Option<u64>,
    cycle_detector: CycleDetector,
    shape: Shape,
    /// What was seen at the state at the end of the latest step, and what is to be tried there, if that is known.
    ahead: Option<Opened>,
    ahead_choices: Vec<Choice<S::Action>>,
    /// Flaws in the midst of the latest step, each with the number of steps that were taken before.
    passed: Vec<(Flaw, usize)>,
}

impl<'a, S: System, V: StateTable + ?Sized> Expansion<'a, S, V> {
    /// Nothing explored so far.
    pub fn new(system: &'a S, visited: &'a V, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let wanted = Wanted::new(&options.properties);
        Expansion {
            system,
            visited,
            inserter: visited.inserter(),
            draw: Draw::new(options.seed),
            components: wanted.has(Property::LIVELOCK).then(Components::default),
            examined: 0,
            target: None,
            bound: options.preemptions.map(|limit| Bound { limit, every: false }),
            inexact: false,
            vector: StateVector::default(),
            sleep: Vec::new(),
            sleeps: false,
            stored_sleep_sets: StoredSleepSets::default(),
            options,
            observer,
            wanted,
            timer: ProgressTimer::new(),
            transitions: Transitions::default(),
            fresh: Vec::new(),
            reported: HashSet::new(),
            was_cut: false,
            stop: None,
            outcome: Outcome::default(),
            reduction: None,
            enough: Vec::new(),
            atomic: false,
            transactional: false,
            learns: options.order != Order::Random,
            met: 0,
            lookup_heuristic: LookupHeuristic::default(),
            written: false,
            found: None,
            broken_after: None,
            cycle_detector: CycleDetector::default(),
            shape: Shape::default(),
            ahead: None,
            ahead_choices: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// The same, and executions that never end are noticed even where nobody has asked for livelocks, if that can be told.
    pub fn noticing_endless(mut self) -> Self {
        if self.options.order == Order::Depth && self.bound.is_none() {
            self.components.get_or_insert_default();
        }
        self
    }

    /// The same with a reduction.
    pub fn reduced(mut self, reduction: &'a mut dyn Reduction<S>) -> Self {
        self.atomic = reduction.is_atomic();
        self.transactional = reduction.has_transactions();
        // What may sleep is what was explored before, which only depth-first search knows.
        self.sleeps = reduction.sleeps() && self.options.order == Order::Depth;
        self.reduction = Some(reduction);
        self
    }

    /// Enters the initial state; `None` if there is no room even for that.
    pub fn begin(&mut self, state: &mut S::State) -> Option<Seen> {
        self.ask();
        (self.written, self.found) = (false, None);
        self.enter(state, Schedule::default())
    }

    /// Looks at a new state and appends the actions to be tried there to `choices`.
    pub fn open(&mut self, state: &mut S::State, schedule: Schedule, choices: &mut Vec<Choice<S::Action>>) -> Opened {
        let opened = match self.ahead.take() {
            Some(opened) => {
                choices.append(&mut self.ahead_choices);
                Opened {
                    flawed: false,
                    ..opened
                }
            }
            None => self.look(state, schedule, false, choices),
        };
        let outcome = &mut self.outcome;
        match self.transitions.end {
            End::Open => outcome.deadlocks += u64::from(self.transitions.is_dead()),
            End::Over => outcome.finals += 1,
            End::Ignored => outcome.ignored += 1,
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
        self.transitions.clear();
        self.system.transitions(state, &mut self.transitions);
        let outcome = &mut self.outcome;
        if !self.transitions.marks.is_empty() {
            outcome.marks.extend(&self.transitions.marks);
        }
        outcome.figures.threads = outcome.figures.threads.max(count_threads(&self.transitions));
        self.enough.clear();
        if self.transitions.end == End::Open && self.transitions.entries().iter().any(|entry| entry.enabled) {
            if let Some(reduction) = &mut self.reduction
                && !full
            {
                reduction.ample(self.system, state, &self.transitions, schedule.last, &mut self.enough);
                if reduction.is_broken() {
                    let steps = self.outcome.figures.transitions;
                    let first = *self.broken_after.get_or_insert(steps);
                    if steps >= 2 * first + MORE_TO_BREAK {
                        self.stop.get_or_insert(Why::Broken);
                    }
                }
            }
            self.choose(schedule, choices);
        }
        self.fresh.clear();
        inspect(self.system, state, &self.transitions, &self.wanted, &mut self.fresh);
        Opened {
            flawed: !self.fresh.is_empty() && self.keep_fresh(),
            reduced: !self.enough.is_empty(),
        }
    }

    /// Appends the actions at a state that was opened with only those from `tried` on: all others.
    pub fn reopen(
        &mut self,
        state: &mut S::State,
        schedule: Schedule,
        tried: usize,
        choices: &mut Vec<Choice<S::Action>>,
    ) {
        let first = choices.len();
        self.look(state, schedule, true, choices);
        let (before, all) = choices.split_at(first);
        let is_new = |choice: &&Choice<S::Action>| before[tried..].iter().all(|tried| tried.action != choice.action);
        let others: Vec<_> = all.iter().filter(is_new).copied().collect();
        choices.truncate(first);
        choices.extend(others);
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
                let left_out = !self.enough.is_empty() && !self.enough.contains(&entry.thread);
                if !entry.enabled || left_out || (Some(entry.thread) == schedule.last) != same {
                    continue;
                }
                goes_on |= same && !entry.wakeup;
                let mut costs = false;
                if let Some(bound) = self.bound {
                    costs = !same && (goes_on || bound.every && schedule.last.is_some());
                    if costs && schedule.used >= bound.limit {
                        self.was_cut = true;
                        continue;
                    }
                }
                choices.push(Choice {
                    action: entry.action,
                    thread: entry.thread,
                    entry: position as u32,
                    costs,
                    asleep: (0, 0),
                });
            }
        }
        if self.options.shuffle {
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
        self.passed.clear();
        let mut after = schedule;
        if let Err(failed) = self.run(state, &mut after, choice, steps) {
            return failed;
        }
        match self.enter(state, after) {
            Some(seen) if self.sleeps && self.wakes(state, seen) => Step::Again(seen, after),
            Some(seen) if seen.new => Step::New(seen, after),
            Some(seen) => Step::Old(seen, after),
            None => Step::Halted,
        }
    }

    /// Takes a step, and those after it for which there is nothing to choose.
    pub fn run(
        &mut self,
        state: &mut S::State,
        schedule: &mut Schedule,
        choice: &Choice<S::Action>,
        steps: &mut Vec<Taken<S>>,
    ) -> Result<(), Step<S::Action>> {
        self.take(state, schedule, choice, steps)?;
        self.ahead = None;
        if !self.atomic && !self.transactional {
            return Ok(());
        }
        self.cycle_detector.begin();
        let mut choices = std::mem::take(&mut self.ahead_choices);
        let ran = loop {
            if self.is_known(state, *schedule) {
                break Ok(());
            }
            choices.clear();
            let mut opened = self.look(state, *schedule, false, &mut choices);
            if opened.flawed {
                // What is wrong with one state is often wrong with all that follow.
                for flaw in self.fresh.drain(..) {
                    if self.passed.iter().all(|&(known, _)| known != flaw) {
                        self.passed.push((flaw, steps.len()));
                    }
                }
            }
            let in_transaction = self
                .reduction
                .as_ref()
                .is_some_and(|reduction| reduction.in_transaction());
            let only = match choices[..] {
                [only]
                    if (self.atomic || in_transaction)
                        && !self.transitions.is_dead()
                        && !self.cycle_detector.is_endless()
                        && (in_transaction || !self.is_crossing(only.thread, schedule.last))
                        && (opened.reduced || !self.sleep.contains(&only.action)) =>
                {
                    only
                }
                _ => {
                    self.ahead = Some(opened);
                    break Ok(());
                }
            };
            let (inserter, learns) = (&mut self.inserter, self.learns && !in_transaction);
            let is_stored = |vector: &StateVector| learns && inserter.find(vector).is_some();
            // What touches nothing goes on where a step without an end in sight was cut off.
            let long = self
                .transitions
                .footprint(&self.transitions.entries()[only.entry as usize])
                .is_empty();
            let back = self.cycle_detector.came_back(self.system, state, long, is_stored);
            if back == Back::Stored {
                break Ok(());
            }
            if back == Back::Round {
                // SOUNDNESS: this state is on a cycle of states that are not stored, so the others get their turn here.
                if let Some(reduction) = &mut self.reduction
                    && in_transaction
                {
                    reduction.diverges(self.system, state, only.thread);
                }
                choices.clear();
                opened = self.look(state, *schedule, true, &mut choices);
                self.ahead = Some(opened);
                break Ok(());
            }
            if self.stopped_midway() {
                break Err(Step::Halted);
            }
            if self.sleeps {
                self.stir(state, &only);
            }
            if let Err(failed) = self.take(state, schedule, &only, steps) {
                break Err(failed);
            }
            self.lookup_heuristic.note_forced();
        };
        self.ahead_choices = choices;
        ran
    }

    /// Whether a run has come to a state that is worth storing after all. Where one thread has come to rest and another goes on, ways meet
    /// that had the same steps in another order, and what follows would be gone over by each of them. As long as few steps have led to
    /// known states, there are few such ways.
    fn is_crossing(&self, next: ThreadId, last: Option<ThreadId>) -> bool {
        let goes_on = |entry: &Transition<S::Action>| entry.enabled && Some(entry.thread) == last;
        self.learns
            && self.met >= MANY_MEET
            && self.cycle_detector.steps() >= LONG_RUN
            && last.is_some_and(|last| last != next)
            && !self.transitions.entries().iter().any(goes_on)
    }

    /// Whether the state at hand was stored before, if it pays to ask.
    fn is_known(&mut self, state: &mut S::State, schedule: Schedule) -> bool {
        let asks = self.learns && !self.transactional && self.lookup_heuristic.asks_first();
        if asks {
            self.write(state, schedule);
            self.found = self.inserter.find(&self.vector);
        }
        self.found.is_some()
    }

    fn take(
        &mut self,
        state: &mut S::State,
        schedule: &mut Schedule,
        choice: &Choice<S::Action>,
        steps: &mut Vec<Taken<S>>,
    ) -> Result<(), Step<S::Action>> {
        let action = choice.action;
        (self.written, self.found) = (false, None);
        match self.system.apply(state, action) {
            Ok(undo) => steps.push(Taken { action, undo }),
            Err(unsupported) => {
                self.ask();
                return Err(Step::Failed(unsupported, action));
            }
        }
        self.outcome.figures.transitions += 1;
        // By steps and not by the clock, so that counts do not depend on the machine.
        if self.outcome.figures.transitions.is_multiple_of(STEPS_TO_ASK) {
            self.ask();
        }
        *schedule = schedule.after(choice);
        Ok(())
    }

    /// Stops if all must be explored again anyway.
    fn ask(&mut self) {
        if self.observer.begins_again() {
            self.stop.get_or_insert(Why::Again);
        }
    }

    /// The flaws that the latest step passed by, each with the schedule to it from where `steps` begin.
    #[inline]
    pub fn take_passed(&mut self, steps: &[Taken<S>]) -> Vec<(Flaw, Vec<S::Action>)> {
        if self.passed.is_empty() {
            return Vec::new();
        }
        let passed = self.passed.drain(..);
        let way = |count: usize| steps[..count].iter().map(|step| step.action).collect();
        passed.map(|(flaw, count)| (flaw, way(count))).collect()
    }

    /// The state that comes next is not the one that the latest step led to.
    pub fn turn_away(&mut self) {
        self.ahead = None;
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
        if !self.written {
            self.write(state, schedule);
        }
        let seen = match self.found {
            id @ Some(_) => Some(Seen { id, new: false }),
            None => self.inserter.insert(&self.vector),
        };
        let states = &mut self.outcome.figures.states;
        match seen {
            None => self.stop = Some(Why::Full),
            Some(Seen { new: true, .. }) if self.options.states.is_some_and(|most| *states >= most) => {
                self.stop = Some(Why::States);
                return None;
            }
            Some(Seen { new, .. }) => {
                *states += u64::from(new);
                if !new {
                    self.met += 1;
                    self.lookup_heuristic.note_met();
                }
            }
        }
        seen
    }

    /// Writes the state at hand down.
    fn write(&mut self, state: &mut S::State, schedule: Schedule) {
        self.vector.clear();
        self.system.encode(state, &mut self.vector);
        self.vector.end_chunk();
        // SOUNDNESS: what is cut at a state depends on the schedule, so states with another schedule are other states.
        if self.bound.is_some() {
            let last = schedule.last.and_then(|last| self.system.canonical_id(state, last));
            self.vector.extend(&Schedule { last, ..schedule }.words());
            self.vector.end_chunk();
        }
        self.written = true;
    }

    /// The flaws that were seen when a state was opened.
    pub fn take_fresh(&mut self) -> Vec<Flaw> {
        std::mem::take(&mut self.fresh)
    }

    /// Reports flaws at the end of this schedule.
    pub fn report(&mut self, flaws: Vec<Flaw>, actions: &[S::Action]) {
        for flaw in flaws {
            if self.stop.is_some() {
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
    pub fn add(&mut self, found: Found<S::Action>) {
        if self.target.is_none_or(|target| target == found.flaw) && self.reported.insert(found.flaw) {
            self.outcome.found.push(found);
            if !self.options.all {
                self.stop = Some(Why::FirstViolation);
            }
        }
    }

    /// Whether a property is looked for.
    pub fn wants(&self, property: Property) -> bool {
        self.wanted.has(property)
    }

    /// How many steps were taken so far.
    pub fn steps_taken(&self) -> u64 {
        self.outcome.figures.transitions
    }

    /// The livelock that was noticed although nobody has asked for any.
    pub fn endless(&mut self) -> &mut Option<Found<S::Action>> {
        &mut self.outcome.endless
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
        if self.timer.is_due() {
            self.look_around(&shape());
        }
        self.stop.is_some()
    }

    /// The same, in the midst of a step.
    fn stopped_midway(&mut self) -> bool {
        let shape = self.shape;
        self.stopped(|| shape)
    }

    #[cold]
    fn look_around(&mut self, shape: &Shape) {
        self.shape = *shape;
        let (elapsed, report) = self.timer.look();
        self.note(shape);
        let figures = &mut self.outcome.figures;
        figures.elapsed = elapsed;
        let why = match () {
            () if self.options.time.is_some_and(|most| elapsed >= most) => Why::Time,
            () if !self.observer.has_room() => Why::Memory,
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
        figures.store_bytes = self.visited.bytes() + self.inserter.bytes();
        let components = self.components.as_ref().map_or(0, Components::bytes);
        figures.frontier_bytes = (shape.bytes + components + self.stored_sleep_sets.bytes()) as u64;
    }

    /// Notes that the search got this far from the start.
    #[inline]
    pub fn deepen(&mut self, depth: usize) {
        let deepest = &mut self.outcome.figures.max_depth;
        *deepest = (*deepest).max(depth as u64);
    }

    /// The outcome, when the search has nothing more to do or was stopped.
    pub fn finish(mut self) -> Outcome<S::Action> {
        self.outcome.figures.store_bytes = self.visited.bytes() + self.inserter.bytes();
        self.outcome.figures.elapsed = self.timer.elapsed();
        let unsupported = self.outcome.unsupported.first().map(|(one, _)| one.clone());
        let lost = self.components.as_ref().is_some_and(|components| components.lost);
        let lost = lost && self.wants(Property::LIVELOCK);
        let inexact = self.inexact || lost || self.visited.collision_probability() > 0.0;
        let broken = self.reduction.as_ref().is_some_and(|reduction| reduction.is_broken());
        // SOUNDNESS: "complete" is what is left when nothing was left out for whatever reason.
        let why = self
            .stop
            .or(broken.then_some(Why::Broken))
            .or(unsupported.map(Why::Unsupported))
            .or(self.was_cut.then_some(Why::Preemptions))
            .or(inexact.then_some(Why::Inexact));
        self.outcome.ending = why.map_or(Ending::Complete, Ending::Stopped);
        self.outcome
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
