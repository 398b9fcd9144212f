//! Run compression: states with one successor are left out of the table.
//!
//! After each step that was chosen, an explorer goes on for as long as there is nothing to choose. Only the state where the run ends is
//! entered. Every state on the way is looked at, so no flaw is missed.
//!
//! SOUNDNESS: a run might go round in a circle of states none of which is stored. It is noticed (`cycle_detector`): the state where it is
//! is opened in full and stored. A run that does not end is cut off, and the state that it has come to is stored. To store a state
//! that need not be is always allowed: it costs memory and saves steps where ways meet.

use crate::bounds::Schedule;
use crate::cycle_detector::{Back, CycleDetector};
use crate::expand::Explorer;
use crate::lookup_heuristic::LookupHeuristic;
use crate::step::{Choice, Opened, Step, Taken};
use kernel::{Flaw, Reduction, StateVector, System, ThreadId, Transition};
use store::StateTable;

/// After so many steps a run is worth storing a state on its way, once so many steps have led to known states.
const LONG_RUN: usize = 8;
const MANY_MEET: u64 = 256;

/// Which runs are compressed, and what is known of the latest one.
pub(crate) struct RunCompression<A> {
    /// Whether states with one successor are left out of the table.
    atomic: bool,
    /// Whether states in the midst of a step are.
    transactional: bool,
    /// Whether what was met so far says where a run ends.
    learns: bool,
    /// How many steps have led to known states.
    met: u64,
    lookup_heuristic: LookupHeuristic,
    cycle_detector: CycleDetector,
    /// What was seen at the state at the end of the latest run, and what is to be tried there, if that is known.
    ahead: Option<Opened>,
    ahead_choices: Vec<Choice<A>>,
    /// Flaws in the midst of the latest run, each with the number of steps that were taken before.
    passed: Vec<(Flaw, usize)>,
}

impl<A: Copy> RunCompression<A> {
    /// Every step is a run, unless a reduction says otherwise. Whether what was met says where a run ends.
    pub fn new<S: System>(reduction: Option<&dyn Reduction<S>>, learns: bool) -> Self {
        RunCompression {
            atomic: reduction.is_some_and(|reduction| reduction.is_atomic()),
            transactional: reduction.is_some_and(|reduction| reduction.has_transactions()),
            learns,
            met: 0,
            lookup_heuristic: LookupHeuristic::default(),
            cycle_detector: CycleDetector::default(),
            ahead: None,
            ahead_choices: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// A run has led to a known state.
    pub fn note_met(&mut self) {
        self.met += 1;
        self.lookup_heuristic.note_met();
    }

    /// What was seen at the state at the end of the latest run, if that is known. What is to be tried there is appended to `choices`.
    pub fn take_ahead(&mut self, choices: &mut Vec<Choice<A>>) -> Option<Opened> {
        let opened = self.ahead.take()?;
        choices.append(&mut self.ahead_choices);
        // What is wrong there was passed.
        Some(Opened {
            flawed: false,
            ..opened
        })
    }

    /// The state that comes next is not the one at the end of the latest run.
    pub fn turn_away(&mut self) {
        self.ahead = None;
    }

    /// The flaws that the latest run passed by, each with the schedule to it from where `steps` begin.
    #[inline]
    pub fn take_passed<S: System<Action = A>>(&mut self, steps: &[Taken<S>]) -> Vec<(Flaw, Vec<A>)> {
        if self.passed.is_empty() {
            return Vec::new();
        }
        let passed = self.passed.drain(..);
        let way = |count: usize| steps[..count].iter().map(|step| step.action).collect();
        passed.map(|(flaw, count)| (flaw, way(count))).collect()
    }

    /// What is wrong with one state is often wrong with all that follow: it counts where it was met first.
    fn pass(&mut self, flaws: impl Iterator<Item = Flaw>, steps: usize) {
        for flaw in flaws {
            if self.passed.iter().all(|&(known, _)| known != flaw) {
                self.passed.push((flaw, steps));
            }
        }
    }
}

impl<S: System, V: StateTable + ?Sized> Explorer<'_, S, V> {
    /// Takes a step, and those after it for which there is nothing to choose.
    pub(crate) fn run(
        &mut self,
        state: &mut S::State,
        schedule: &mut Schedule,
        choice: &Choice<S::Action>,
        steps: &mut Vec<Taken<S>>,
    ) -> Result<(), Step<S::Action>> {
        self.runs.passed.clear();
        self.take(state, schedule, choice, steps)?;
        self.runs.ahead = None;
        if !self.runs.atomic && !self.runs.transactional {
            return Ok(());
        }
        self.runs.cycle_detector.begin();
        let mut choices = std::mem::take(&mut self.runs.ahead_choices);
        let ran = self.go_on(state, schedule, &mut choices, steps);
        self.runs.ahead_choices = choices;
        ran
    }

    /// Goes on to the end of a run. What is to be tried there is in `choices`, if `ahead` says so.
    fn go_on(
        &mut self,
        state: &mut S::State,
        schedule: &mut Schedule,
        choices: &mut Vec<Choice<S::Action>>,
        steps: &mut Vec<Taken<S>>,
    ) -> Result<(), Step<S::Action>> {
        loop {
            if self.is_known(state, *schedule) {
                return Ok(());
            }
            choices.clear();
            let opened = self.look(state, *schedule, false, choices);
            if opened.flawed {
                self.runs.pass(self.fresh.drain(..), steps.len());
            }
            let in_transaction = self.reducing.in_transaction();
            let only = match choices[..] {
                [only] if self.is_forced(&only, opened, schedule.last, in_transaction) => only,
                _ => {
                    self.runs.ahead = Some(opened);
                    return Ok(());
                }
            };
            match self.came_back(state, &only, in_transaction) {
                Back::Nowhere => {}
                Back::Stored => return Ok(()),
                Back::Round => {
                    // SOUNDNESS: this state is on a cycle of states that are not stored, so the others get their turn here.
                    if in_transaction {
                        self.reducing.diverges(self.context.system, state, only.thread);
                    }
                    choices.clear();
                    self.runs.ahead = Some(self.look(state, *schedule, true, choices));
                    return Ok(());
                }
            }
            if self.stopped_midway() {
                return Err(Step::Halted);
            }
            if self.sleep.is_on {
                self.stir(state, &only);
            }
            self.take(state, schedule, &only, steps)?;
            self.runs.lookup_heuristic.note_forced();
        }
    }

    /// Whether a run goes on with the only choice of the state at hand.
    fn is_forced(
        &self,
        only: &Choice<S::Action>,
        opened: Opened,
        last: Option<ThreadId>,
        in_transaction: bool,
    ) -> bool {
        (self.runs.atomic || in_transaction)
            && !self.transitions.is_dead()
            && !self.runs.cycle_detector.is_endless()
            && (in_transaction || !self.is_crossing(only.thread, last))
            && (opened.reduced || !self.sleep.now.contains(&only.action))
    }

    /// Whether a run has come to a state that is worth storing after all. Where one thread has come to rest and another goes on, ways meet
    /// that had the same steps in another order, and what follows would be gone over by each of them. As long as few steps have led to
    /// known states, there are few such ways.
    fn is_crossing(&self, next: ThreadId, last: Option<ThreadId>) -> bool {
        let goes_on = |entry: &Transition<S::Action>| entry.enabled && Some(entry.thread) == last;
        self.runs.learns
            && self.runs.met >= MANY_MEET
            && self.runs.cycle_detector.steps() >= LONG_RUN
            && last.is_some_and(|last| last != next)
            && !self.transitions.entries().iter().any(goes_on)
    }

    /// Where the run is before it goes on with its only choice.
    fn came_back(&mut self, state: &mut S::State, only: &Choice<S::Action>, in_transaction: bool) -> Back {
        // The vector here has no schedule, and those in the table have one if that is bounded.
        let learns = self.runs.learns && !in_transaction && self.context.bound.is_none();
        let entry = &mut self.entry;
        let is_stored = |vector: &StateVector| learns && entry.has(vector);
        // What touches nothing goes on where a step without an end in sight was cut off.
        let transition = &self.transitions.entries()[only.entry as usize];
        let long = self.transitions.footprint(transition).is_empty();
        let system = self.context.system;
        self.runs.cycle_detector.came_back(system, state, long, is_stored)
    }

    /// Whether the state at hand was stored before, if it pays to ask.
    fn is_known(&mut self, state: &mut S::State, schedule: Schedule) -> bool {
        let runs = &self.runs;
        if !runs.learns || runs.transactional || !runs.lookup_heuristic.asks_first() {
            return false;
        }
        self.write(state, schedule);
        self.entry.find()
    }
}
