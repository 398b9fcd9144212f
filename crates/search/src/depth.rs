//! Depth-first search: one state that goes forward by applying and back by undoing, and a stack of its own.

use crate::expand::Expansion;
use crate::livelock;
use crate::step::{Choice, Opened, Schedule, Shape, Step, Taken, go_back};
use kernel::{End, System};
use std::mem::size_of;
use store::{StateId, StateSet, StateTable};

/// A state on the path. Its choices begin at `first` and end where those of the next frame begin.
struct Frame {
    /// Which state it is, if the table can tell.
    id: Option<StateId>,
    first: usize,
    next: usize,
    schedule: Schedule,
    /// How many steps lead to it.
    steps: usize,
    /// Whether only some threads are tried, and none of their steps so far left the path.
    reduced: bool,
    /// Which sleepers are asleep in it.
    asleep: (u32, u32),
    /// How many sleepers there were before it.
    sleepers: usize,
    /// Whether the same state is on the path already.
    again: bool,
    /// Whether it was opened before, for other actions.
    reopened: bool,
}

/// The path from the start to the state at hand.
struct Path<S: System> {
    frames: Vec<Frame>,
    choices: Vec<Choice<S::Action>>,
    steps: Vec<Taken<S>>,
    /// Actions that are asleep: in each state, and after each choice.
    sleepers: Vec<S::Action>,
    /// The states that are on it.
    present: StateSet,
}

/// Explores everything below `state` and comes back to it.
pub(crate) fn search<S: System, V: StateTable + ?Sized>(expansion: &mut Expansion<'_, S, V>, state: &mut S::State) {
    let mut path = Path::new();
    if let Some(seen) = expansion.begin(state) {
        path.push(expansion, state, seen.id, Schedule::default(), false);
    }
    while !expansion.stopped(|| path.shape()) {
        let Some(top) = path.frames.last_mut() else { break };
        let Some(&choice) = path.choices.get(top.next) else {
            if std::mem::take(&mut top.reduced) {
                let from = path.choices.len();
                expansion.reopen(state, top.schedule, top.first, &mut path.choices);
                if expansion.sleeps {
                    let (choices, sleepers) = (&mut path.choices, &mut path.sleepers);
                    expansion.put_to_sleep(state, (top.first, from), top.asleep, false, choices, sleepers);
                }
                continue;
            }
            if !top.reopened {
                let id = top.id;
                livelock::leave(expansion, state, id, || path.actions(), || path.shape());
            }
            path.pop(expansion.system, state);
            continue;
        };
        top.next += 1;
        let taken = top.steps;
        if expansion.sleeps {
            expansion.sleep.clear();
            let asleep = &path.sleepers[choice.asleep.0 as usize..choice.asleep.1 as usize];
            expansion.sleep.extend_from_slice(asleep);
        }
        let step = expansion.step(state, top.schedule, &choice, &mut path.steps);
        for (flaw, actions) in expansion.take_passed(&path.steps) {
            expansion.report(vec![flaw], &actions);
        }
        match step {
            Step::New(seen, schedule) => {
                top.reduced = false;
                path.push(expansion, state, seen.id, schedule, false);
            }
            Step::Again(seen, schedule) => {
                if !is_present(&path.present, seen.id) {
                    top.reduced = false;
                }
                if let Some(components) = &mut expansion.components {
                    components.meet(seen.id);
                }
                path.push(expansion, state, seen.id, schedule, true);
            }
            Step::Old(seen, _) => {
                go_back(expansion.system, state, &mut path.steps, taken);
                // SOUNDNESS: a state that is off the path is left before this one, and so is all that is put off there.
                if !is_present(&path.present, seen.id) {
                    top.reduced = false;
                }
                if let Some(components) = &mut expansion.components {
                    components.meet(seen.id);
                }
            }
            Step::Failed(unsupported, action) => {
                if let Some(components) = &mut expansion.components {
                    components.settle();
                }
                if expansion.is_unheard(&unsupported) {
                    let mut actions = path.actions();
                    actions.push(action);
                    expansion.hear(unsupported, actions);
                }
                go_back(expansion.system, state, &mut path.steps, taken);
            }
            Step::Halted => go_back(expansion.system, state, &mut path.steps, taken),
        }
    }
    while !path.frames.is_empty() {
        path.pop(expansion.system, state);
    }
}

/// Whether a state is on the path, or may be: not all stores number their states.
fn is_present(present: &StateSet, id: Option<StateId>) -> bool {
    id.is_none_or(|id| present.contains(id))
}

impl<S: System> Path<S> {
    fn new() -> Path<S> {
        Path {
            frames: Vec::new(),
            choices: Vec::new(),
            steps: Vec::new(),
            sleepers: Vec::new(),
            present: StateSet::default(),
        }
    }

    /// Opens a state and makes it the end of the path. One that was met before is opened `again` for what was asleep there.
    fn push<V: StateTable + ?Sized>(
        &mut self,
        expansion: &mut Expansion<'_, S, V>,
        state: &mut S::State,
        id: Option<StateId>,
        schedule: Schedule,
        again: bool,
    ) {
        expansion.deepen(self.steps.len());
        let first = self.choices.len();
        let sleepers = self.sleepers.len();
        self.sleepers.append(&mut expansion.sleep);
        let asleep = (sleepers as u32, self.sleepers.len() as u32);
        let opened = match again {
            true => {
                expansion.look(state, schedule, true, &mut self.choices);
                expansion.keep_due(state, first, &mut self.choices);
                expansion.turn_away();
                Opened::default()
            }
            false => {
                let opened = expansion.open(state, schedule, &mut self.choices);
                if let Some(components) = &mut expansion.components {
                    let transitions = &expansion.transitions;
                    components.enter(id, transitions.end != End::Open || transitions.is_dead());
                }
                opened
            }
        };
        let reopened = again;
        if expansion.sleeps {
            expansion.put_to_sleep(
                state,
                (first, first),
                asleep,
                opened.reduced,
                &mut self.choices,
                &mut self.sleepers,
            );
        }
        let again = id.is_some_and(|id| self.present.contains(id));
        self.frames.push(Frame {
            id,
            first,
            next: first,
            schedule,
            steps: self.steps.len(),
            reduced: opened.reduced,
            asleep,
            sleepers,
            again,
            reopened,
        });
        self.set_present(id, true);
        if opened.flawed {
            let fresh = expansion.take_fresh();
            expansion.report(fresh, &self.actions());
        }
    }

    fn set_present(&mut self, id: Option<StateId>, present: bool) {
        if let Some(id) = id {
            self.present.set(id, present);
        }
    }

    /// Goes back to the state before the last one.
    fn pop(&mut self, system: &S, state: &mut S::State) {
        if let Some(frame) = self.frames.pop() {
            self.choices.truncate(frame.first);
            self.sleepers.truncate(frame.sleepers);
            self.set_present(frame.id, frame.again);
        }
        let left = self.frames.last().map_or(0, |frame| frame.steps);
        go_back(system, state, &mut self.steps, left);
    }

    /// The schedule to the end of the path.
    fn actions(&self) -> Vec<S::Action> {
        self.steps.iter().map(|step| step.action).collect()
    }

    fn shape(&self) -> Shape {
        Shape {
            depth: self.steps.len(),
            frontier: self.frames.len(),
            bytes: self.frames.capacity() * size_of::<Frame>()
                + self.choices.capacity() * size_of::<Choice<S::Action>>()
                + self.steps.capacity() * size_of::<Taken<S>>()
                + self.sleepers.capacity() * size_of::<S::Action>()
                + self.present.bytes() as usize,
        }
    }
}
