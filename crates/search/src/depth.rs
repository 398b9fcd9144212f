//! Depth-first search: one state that goes forward by applying and back by undoing, and a stack of its own.

use crate::expand::{Choice, Expansion, Schedule, Shape, Step};
use crate::livelock;
use kernel::System;
use std::mem::size_of;
use store::Visited;

/// A state on the path. Its choices begin at `first` and end where those of the next frame begin.
struct Frame {
    id: u32,
    first: usize,
    next: usize,
    schedule: Schedule,
}

/// The path from the start to the state at hand.
struct Path<S: System> {
    frames: Vec<Frame>,
    choices: Vec<Choice<S::Action>>,
    undos: Vec<S::Undo>,
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
            livelock::leave(expansion, state, top.id, path.last_step(), || path.actions());
            path.pop(expansion.system, state);
            continue;
        };
        top.next += 1;
        match expansion.step(state, top.schedule, &choice) {
            Step::New(undo, seen, schedule) => {
                path.undos.push(undo);
                path.push(expansion, state, seen.id, schedule);
            }
            Step::Old(undo, seen, _) => {
                expansion.system.undo(state, undo);
                if let Some(components) = &mut expansion.components {
                    components.meet(top.id, seen.id, choice.writes);
                }
            }
            Step::Failed(unsupported) => {
                if let Some(components) = &mut expansion.components {
                    components.doubt(top.id);
                }
                if expansion.is_unheard(&unsupported) {
                    let mut actions = path.actions();
                    actions.push(choice.action);
                    expansion.hear(unsupported, actions);
                }
            }
            Step::Halted => {}
        }
    }
    while !path.frames.is_empty() {
        path.pop(expansion.system, state);
    }
}

impl<S: System> Path<S> {
    fn new() -> Path<S> {
        Path {
            frames: Vec::new(),
            choices: Vec::new(),
            undos: Vec::new(),
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
        let first = self.choices.len();
        self.frames.push(Frame {
            id,
            first,
            next: first,
            schedule,
        });
        expansion.deepen(self.undos.len());
        if expansion.open(state, schedule, true, &mut self.choices) {
            expansion.report(&self.actions());
        }
    }

    /// Goes back over the last step.
    fn pop(&mut self, system: &S, state: &mut S::State) {
        if let Some(frame) = self.frames.pop() {
            self.choices.truncate(frame.first);
        }
        if let Some(undo) = self.undos.pop() {
            system.undo(state, undo);
        }
    }

    /// The schedule to the end of the path: what each frame but the last tried last.
    fn actions(&self) -> Vec<S::Action> {
        let before = self.frames.split_last().map_or(&[][..], |(_, before)| before);
        before.iter().map(|frame| self.choices[frame.next - 1].action).collect()
    }

    /// Where the last step of the path came from, and whether others could see what it did.
    fn last_step(&self) -> Option<(u32, bool)> {
        let [.., frame, _] = &self.frames[..] else { return None };
        Some((frame.id, self.choices[frame.next - 1].writes))
    }

    fn shape(&self) -> Shape {
        Shape {
            depth: self.undos.len(),
            frontier: self.frames.len(),
            bytes: self.frames.capacity() * size_of::<Frame>()
                + self.choices.capacity() * size_of::<Choice<S::Action>>()
                + self.undos.capacity() * size_of::<S::Undo>(),
        }
    }
}
