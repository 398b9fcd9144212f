//! Depth-first search: one state that goes forward by applying and back by undoing, and a stack of its own.

use crate::bounds::Schedule;
use crate::expand::Explorer;
use crate::frames::{Frame, Frames};
use crate::livelock;
use crate::proviso::{Leads, OnPath, SafetyProviso};
use crate::step::{Choice, Opened, Shape, Step, Taken, go_back};
use kernel::{End, System};
use std::mem::size_of;
use store::{StateId, StateTable};

/// The path from the start to the state at hand.
struct Path<S: System> {
    frames: Frames<S::Action>,
    steps: Vec<Taken<S>>,
    /// Actions that are asleep: in each state, and after each choice.
    sleepers: Vec<S::Action>,
    /// The states that are on it.
    present: OnPath,
    /// The choices of a state that is being opened.
    choices: Vec<Choice<S::Action>>,
}

/// Explores everything below `state` and comes back to it.
pub(crate) fn search<S: System, V: StateTable + ?Sized>(explorer: &mut Explorer<'_, S, V>, state: &mut S::State) {
    let mut path = Path::new();
    if let Some(seen) = explorer.begin(state) {
        path.push(explorer, state, seen.id, Schedule::default(), false);
    }
    while !explorer.stopped(|| path.shape()) {
        let Some(top) = path.frames.last_mut() else { break };
        let Some(choice) = top.next_choice() else {
            if top.proviso.take_due() {
                path.reopen(explorer, state);
                continue;
            }
            if !top.reopened {
                let id = top.id;
                livelock::leave(explorer, state, id, || path.actions(), || path.shape());
            }
            path.pop(explorer.context.system, state);
            continue;
        };
        let taken = top.steps;
        if explorer.sleep.is_on {
            explorer.sleep.now.clear();
            let asleep = &path.sleepers[choice.asleep.0 as usize..choice.asleep.1 as usize];
            explorer.sleep.now.extend_from_slice(asleep);
        }
        let step = explorer.step(state, top.schedule, &choice, &mut path.steps);
        for (flaw, actions) in explorer.runs.take_passed(&path.steps) {
            explorer.context.reporting.report(vec![flaw], &actions);
        }
        match step {
            Step::New(seen, schedule) => {
                top.proviso.follow(Leads::Away);
                path.push(explorer, state, seen.id, schedule, false);
            }
            Step::Again(seen, schedule) => {
                top.proviso.follow(path.present.leads(seen.id));
                if let Some(components) = &mut explorer.components {
                    components.meet(seen.id);
                }
                path.push(explorer, state, seen.id, schedule, true);
            }
            Step::Old(seen, _) => {
                go_back(explorer.context.system, state, &mut path.steps, taken);
                top.proviso.follow(path.present.leads(seen.id));
                if let Some(components) = &mut explorer.components {
                    components.meet(seen.id);
                }
            }
            Step::Failed(unsupported, action) => {
                if let Some(components) = &mut explorer.components {
                    components.settle();
                }
                let reporting = &explorer.context.reporting;
                if reporting.is_unheard(&unsupported) {
                    let mut actions = path.actions();
                    actions.push(action);
                    reporting.hear(unsupported, actions);
                }
                go_back(explorer.context.system, state, &mut path.steps, taken);
            }
            Step::Halted => go_back(explorer.context.system, state, &mut path.steps, taken),
        }
    }
    while path.frames.len() > 0 {
        path.pop(explorer.context.system, state);
    }
}

impl<S: System> Path<S> {
    fn new() -> Path<S> {
        Path {
            frames: Frames::new(),
            steps: Vec::new(),
            sleepers: Vec::new(),
            present: OnPath::default(),
            choices: Vec::new(),
        }
    }

    /// Opens a state and makes it the end of the path. One that was met before is opened `again` for what was asleep there.
    fn push<V: StateTable + ?Sized>(
        &mut self,
        explorer: &mut Explorer<'_, S, V>,
        state: &mut S::State,
        id: Option<StateId>,
        schedule: Schedule,
        again: bool,
    ) {
        explorer.deepen(self.steps.len());
        let choices = &mut self.choices;
        choices.clear();
        let sleepers = self.sleepers.len();
        self.sleepers.append(&mut explorer.sleep.now);
        let asleep = (sleepers as u32, self.sleepers.len() as u32);
        let opened = match again {
            true => {
                explorer.look(state, schedule, true, choices);
                explorer.keep_due(state, choices);
                explorer.runs.turn_away();
                Opened::default()
            }
            false => {
                let opened = explorer.open(state, schedule, choices);
                if let Some(components) = &mut explorer.components {
                    let transitions = &explorer.transitions;
                    components.enter(id, transitions.end != End::Open || transitions.is_dead());
                }
                opened
            }
        };
        if explorer.sleep.is_on {
            explorer.put_to_sleep(state, 0, asleep, opened.reduced, choices, &mut self.sleepers);
        }
        let mut frame = Frame::new(id, schedule, self.steps.len());
        frame.proviso = SafetyProviso::new(opened.reduced);
        (frame.asleep, frame.sleepers) = (asleep, sleepers);
        (frame.again, frame.reopened) = (self.present.enter(id), again);
        self.frames.push(frame, choices);
        if opened.flawed {
            explorer.report_fresh(&self.actions());
        }
    }

    /// Adds the choices of all other threads to the end of the path.
    fn reopen<V: StateTable + ?Sized>(&mut self, explorer: &mut Explorer<'_, S, V>, state: &mut S::State) {
        let Some(top) = self.frames.last() else { return };
        self.choices.clear();
        self.choices.extend_from_slice(top.choices());
        let tried = self.choices.len();
        explorer.reopen(state, top.schedule, &mut self.choices);
        if explorer.sleep.is_on {
            explorer.put_to_sleep(state, tried, top.asleep, false, &mut self.choices, &mut self.sleepers);
        }
        let place = self.frames.len() - 1;
        for &choice in &self.choices[tried..] {
            self.frames.add(place, choice);
        }
    }

    /// Goes back to the state before the last one.
    fn pop(&mut self, system: &S, state: &mut S::State) {
        if let Some(frame) = self.frames.pop() {
            self.sleepers.truncate(frame.sleepers);
            self.present.leave(frame.id, frame.again);
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
            bytes: self.frames.bytes()
                + self.steps.capacity() * size_of::<Taken<S>>()
                + self.sleepers.capacity() * size_of::<S::Action>()
                + self.present.bytes(),
        }
    }
}
