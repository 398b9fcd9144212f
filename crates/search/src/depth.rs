//! Depth-first search: one state that goes forward by applying and back by undoing, and a stack of its own.

use crate::expand::{Choice, Expansion, Schedule, Shape, Step, Taken, go_back};
use crate::livelock;
use kernel::{System, ThreadId};
use std::mem::size_of;
use store::Visited;

/// A state on the path. Its choices begin at `first` and end where those of the next frame begin.
struct Frame {
    id: u32,
    first: usize,
    next: usize,
    schedule: Schedule,
    /// How many steps lead to it.
    steps: usize,
    /// The thread that alone is tried, and whether none of its steps so far left the path.
    reduced: Option<ThreadId>,
}

/// The path from the start to the state at hand.
struct Path<S: System> {
    frames: Vec<Frame>,
    choices: Vec<Choice<S::Action>>,
    steps: Vec<Taken<S>>,
    /// A bit for each state by its number: whether it is on the path.
    present: Vec<u64>,
}

/// Explores everything below `state` and comes back to it.
pub(crate) fn search<S: System, V: Visited + ?Sized>(expansion: &mut Expansion<'_, S, V>, state: &mut S::State) {
    let mut path = Path::new();
    if let Some(seen) = expansion.begin(state) {
        path.push(expansion, state, seen.id, Schedule::default());
    }
    while !expansion.stopped(|| path.shape()) {
        let Some(top) = path.frames.last_mut() else { break };
        let Some(&choice) = path.choices.get(top.next) else {
            if let Some(tried) = top.reduced.take() {
                expansion.reopen(state, top.schedule, tried, &mut path.choices);
                continue;
            }
            livelock::leave(expansion, state, top.id, path.last_step(), || path.actions());
            path.pop(expansion.system, state);
            continue;
        };
        top.next += 1;
        let taken = top.steps;
        let step = expansion.step(state, top.schedule, &choice, &mut path.steps);
        for (flaw, actions) in expansion.take_passed(&path.steps) {
            expansion.report(vec![flaw], &actions);
        }
        match step {
            Step::New(seen, schedule) => {
                top.reduced = None;
                path.push(expansion, state, seen.id, schedule);
            }
            Step::Old(seen, _) => {
                go_back(expansion.system, state, &mut path.steps, taken);
                // SOUNDNESS: a state that is off the path is left before this one, and so is all that is put off there.
                if !is_present(&path.present, seen.id) {
                    top.reduced = None;
                }
                if let Some(components) = &mut expansion.components {
                    components.meet(top.id, seen.id, choice.writes);
                }
            }
            Step::Failed(unsupported, action) => {
                if let Some(components) = &mut expansion.components {
                    components.doubt(top.id);
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
fn is_present(present: &[u64], id: u32) -> bool {
    let word = present.get(id as usize / 64);
    id == u32::MAX || word.is_some_and(|word| word >> (id % 64) & 1 == 1)
}

impl<S: System> Path<S> {
    fn new() -> Path<S> {
        Path {
            frames: Vec::new(),
            choices: Vec::new(),
            steps: Vec::new(),
            present: Vec::new(),
        }
    }

    /// Opens a new state and makes it the end of the path.
    fn push<V: Visited + ?Sized>(
        &mut self,
        expansion: &mut Expansion<'_, S, V>,
        state: &mut S::State,
        id: u32,
        schedule: Schedule,
    ) {
        if let Some(components) = &mut expansion.components {
            components.enter(id, expansion.system.stuck(state));
        }
        expansion.deepen(self.steps.len());
        let first = self.choices.len();
        let opened = expansion.open(state, schedule, &mut self.choices);
        self.frames.push(Frame {
            id,
            first,
            next: first,
            schedule,
            steps: self.steps.len(),
            reduced: opened.reduced,
        });
        self.set_present(id, true);
        if opened.flawed {
            let fresh = expansion.take_fresh();
            expansion.report(fresh, &self.actions());
        }
    }

    fn set_present(&mut self, id: u32, present: bool) {
        if id == u32::MAX {
            return;
        }
        let at = id as usize / 64;
        if at >= self.present.len() {
            self.present.resize(at + 1, 0);
        }
        let bit = 1 << (id % 64);
        match present {
            true => self.present[at] |= bit,
            false => self.present[at] &= !bit,
        }
    }

    /// Goes back to the state before the last one.
    fn pop(&mut self, system: &S, state: &mut S::State) {
        if let Some(frame) = self.frames.pop() {
            self.choices.truncate(frame.first);
            self.set_present(frame.id, false);
        }
        let left = self.frames.last().map_or(0, |frame| frame.steps);
        go_back(system, state, &mut self.steps, left);
    }

    /// The schedule to the end of the path.
    fn actions(&self) -> Vec<S::Action> {
        self.steps.iter().map(|step| step.action).collect()
    }

    /// Where the last step of the path came from, and whether others could see what it did.
    fn last_step(&self) -> Option<(u32, bool)> {
        let [.., frame, _] = &self.frames[..] else { return None };
        Some((frame.id, self.choices[frame.next - 1].writes))
    }

    fn shape(&self) -> Shape {
        Shape {
            depth: self.steps.len(),
            frontier: self.frames.len(),
            bytes: self.frames.capacity() * size_of::<Frame>()
                + self.choices.capacity() * size_of::<Choice<S::Action>>()
                + self.steps.capacity() * size_of::<Taken<S>>()
                + self.present.capacity() * size_of::<u64>(),
        }
    }
}
