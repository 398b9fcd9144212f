//! The search for an accepting component: a cycle through which every condition is met.
//!
//! J.-M. Couvreur, On-the-Fly Verification of Linear Temporal Logic, FM 1999: depth-first, with the components of what was explored so far.
//! A component that is not complete is known by its root, the first of its states that was met, and by the conditions that no step within it
//! meets. When there are none left, the component is accepting, complete or not. Any number of conditions costs one search.
//!
//! States are numbered in the order in which they are met, so a component that is not complete is all that was met since its root and is not
//! in a complete one.

use super::product::{Choice, Product};
use super::reduced::Decisions;
use super::witness::Witness;
use super::{Answer, Execution, Question};
use crate::monitor::Monitor;
use crate::step::Shape;
use crate::{Ending, Figures, Options, Why};
use kernel::{Propositions, System, Unsupported};
use store::{Inserter, StateId, StateSet, StateTable};

/// How many distinct unsupported steps are kept.
const KEPT_UNSUPPORTED: usize = 8;

/// How many steps are taken before it is asked whether they rest on something that is wrong.
const STEPS_TO_ASK: u64 = 1 << 16;

/// A component that is not complete.
struct Root {
    number: u64,
    /// The conditions that no step within it meets.
    pending: u128,
    /// Those that the step which led to it does not meet.
    entered: u128,
}

/// A state on the path.
struct Frame<S: System> {
    id: StateId,
    location: u32,
    /// Where its choices begin, and which is next.
    first: usize,
    next: usize,
    /// The step that led there.
    action: Option<S::Action>,
    undo: Option<S::Undo>,
}

/// The search.
pub(super) struct Emptiness<'a, S: Propositions, V: ?Sized> {
    product: Product<'a, S>,
    visited: &'a V,
    inserter: Box<dyn Inserter + 'a>,
    options: &'a Options,
    monitor: Monitor<'a>,
    frames: Vec<Frame<S>>,
    choices: Vec<Choice<S::Action>>,
    roots: Vec<Root>,
    /// States of components that are not complete, in the order in which they were met, and those of complete ones.
    open: Vec<StateId>,
    complete: StateSet,
    figures: Figures,
    unsupported: Vec<(Unsupported, Vec<S::Action>)>,
    stop: Option<Why>,
}

impl<'a, S: Propositions, V: StateTable + ?Sized> Emptiness<'a, S, V> {
    pub fn new(
        system: &'a S,
        visited: &'a V,
        question: &'a Question<S::Proposition>,
        decisions: Option<Decisions<'a>>,
        options: &'a Options,
        monitor: Monitor<'a>,
    ) -> Self {
        Emptiness {
            product: Product::new(system, question, decisions),
            inserter: visited.inserter(),
            visited,
            options,
            monitor,
            frames: Vec::new(),
            choices: Vec::new(),
            roots: Vec::new(),
            open: Vec::new(),
            complete: StateSet::default(),
            figures: Figures::default(),
            unsupported: Vec::new(),
            stop: None,
        }
    }

    pub fn run(mut self, state: &mut S::State) -> Answer<S::Action> {
        let execution = self.explore(state);
        let first = self.unsupported.first().map(|(one, _)| one.clone());
        // SOUNDNESS: "complete" is what is left when nothing was left out for whatever reason.
        let is_inexact = self.visited.collision_probability() > 0.0;
        let why = self.stop.take();
        let why = why
            .or(first.map(Why::Unsupported))
            .or(is_inexact.then_some(Why::Inexact));
        self.note();
        Answer {
            ending: match execution {
                Some(_) => Ending::Stopped(Why::FirstViolation),
                None => why.map_or(Ending::Complete, Ending::Stopped),
            },
            execution,
            figures: self.figures,
            unsupported: self.unsupported,
            restarts: 0,
        }
    }

    /// Explores all, or as far as an accepting component. The state is the same afterwards.
    fn explore(&mut self, state: &mut S::State) -> Option<Execution<S::Action>> {
        let initial = self.product.question.automaton.initial;
        self.enter(state, initial, 0, None, None);
        let mut execution = None;
        while self.stop.is_none()
            && let Some(frame) = self.frames.last_mut()
        {
            let Some(&choice) = self.choices.get(frame.next) else {
                self.leave(state);
                continue;
            };
            frame.next += 1;
            self.look_around();
            let undo = match choice.action.map(|action| self.product.system.apply(state, action)) {
                Some(Err(unsupported)) => {
                    self.hear(unsupported, choice.action);
                    continue;
                }
                Some(Ok(undo)) => Some(undo),
                None => None,
            };
            self.figures.transitions += 1;
            if self.enter(state, choice.target, choice.pending, choice.action, undo) {
                execution = Some(self.witness(state));
                break;
            }
        }
        while !self.frames.is_empty() {
            self.go_back(state);
        }
        execution
    }

    /// Comes to a state by a step. Whether that shows an accepting component. Where it leads nowhere new, the step is undone.
    fn enter(
        &mut self,
        state: &mut S::State,
        location: u32,
        pending: u128,
        action: Option<S::Action>,
        undo: Option<S::Undo>,
    ) -> bool {
        let seen = self.inserter.insert(self.product.encode(state, location));
        let is_full = self.options.states.is_some_and(|most| self.figures.states >= most);
        let id = match seen {
            Some(seen) if seen.id.is_none() => Err(Why::Inexact),
            None => Err(Why::Full),
            Some(seen) if seen.new && is_full => Err(Why::States),
            Some(seen) => Ok((seen.id.unwrap_or(StateId::FIRST), seen.new)),
        };
        let is_new = matches!(id, Ok((_, true)));
        if !is_new && let Some(undo) = undo {
            self.product.system.undo(state, undo);
            return self.meet(id.map(|(id, _)| id), pending);
        }
        match id {
            Ok((id, true)) => {
                self.push(state, id, location, pending, action, undo);
                false
            }
            id => self.meet(id.map(|(id, _)| id), pending),
        }
    }

    fn push(
        &mut self,
        state: &mut S::State,
        id: StateId,
        location: u32,
        pending: u128,
        action: Option<S::Action>,
        undo: Option<S::Undo>,
    ) {
        debug_assert_eq!(id.number(), self.figures.states, "states are numbered in order");
        self.figures.states += 1;
        let first = self.choices.len();
        if let Err(unsupported) = self.product.choices(state, location, &mut self.choices) {
            self.hear(unsupported, None);
        }
        self.figures.threads = self.figures.threads.max(self.product.threads());
        self.roots.push(Root {
            number: id.number(),
            pending: u128::MAX,
            entered: pending,
        });
        self.open.push(id);
        self.frames.push(Frame {
            id,
            location,
            first,
            next: first,
            action,
            undo,
        });
        self.figures.max_depth = self.figures.max_depth.max(self.frames.len() as u64 - 1);
    }

    /// A step leads to a known state. Whether that shows an accepting component.
    fn meet(&mut self, id: Result<StateId, Why>, pending: u128) -> bool {
        let id = match id {
            Ok(id) => id,
            Err(why) => {
                self.stop = Some(why);
                return false;
            }
        };
        if self.complete.contains(id) {
            return false;
        }
        let mut pending = pending;
        while let Some(root) = self.roots.pop_if(|root| root.number > id.number()) {
            pending &= root.pending & root.entered;
        }
        match self.roots.last_mut() {
            Some(root) => {
                root.pending &= pending;
                root.pending == 0
            }
            None => false,
        }
    }

    /// Leaves the state at the end of the path. If it is a root, its component is complete.
    fn leave(&mut self, state: &mut S::State) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let id = frame.id;
        if self.roots.pop_if(|root| root.number == id.number()).is_some() {
            while let Some(member) = self.open.pop_if(|member| *member >= id) {
                self.complete.set(member, true);
            }
        }
        self.go_back(state);
    }

    fn go_back(&mut self, state: &mut S::State) {
        if let Some(frame) = self.frames.pop() {
            self.choices.truncate(frame.first);
            if let Some(undo) = frame.undo {
                self.product.system.undo(state, undo);
            }
        }
    }

    /// Makes an execution of the accepting component that was just found: the path to it, and a loop within.
    fn witness(&mut self, state: &mut S::State) -> Execution<S::Action> {
        let root = self.roots.last().map_or(0, |root| root.number);
        let steps: Vec<(Option<S::Action>, u32)> = self.frames[1..]
            .iter()
            .map(|frame| (frame.action, frame.location))
            .collect();
        while !self.frames.is_empty() {
            self.go_back(state);
        }
        let complete = &self.complete;
        let is_inside = |id: StateId| id.number() >= root && !complete.contains(id);
        Witness::new(&mut self.product, &mut *self.inserter).execution(state, &steps, is_inside)
    }

    fn hear(&mut self, unsupported: Unsupported, action: Option<S::Action>) {
        let known = &self.unsupported;
        if known.len() < KEPT_UNSUPPORTED && !known.iter().any(|(one, _)| *one == unsupported) {
            let path = self.frames.iter().filter_map(|frame| frame.action);
            let actions = path.chain(action).collect();
            self.unsupported.push((unsupported, actions));
        }
    }

    fn look_around(&mut self) {
        if self.figures.transitions % STEPS_TO_ASK == STEPS_TO_ASK - 1 && self.product.system.is_broken() {
            self.stop = Some(Why::Broken);
        }
        if self.monitor.timer.is_due() {
            self.note();
            if let Some(why) = self.monitor.look(&mut self.figures, self.options) {
                self.stop = Some(why);
            }
        }
    }

    /// Brings the figures up to date.
    fn note(&mut self) {
        let shape = Shape {
            depth: self.frames.len(),
            frontier: self.frames.len(),
            bytes: self.frames.capacity() * size_of::<Frame<S>>()
                + self.choices.capacity() * size_of::<Choice<S::Action>>()
                + self.roots.capacity() * size_of::<Root>()
                + self.open.capacity() * size_of::<StateId>()
                + self.complete.bytes() as usize,
        };
        self.figures.depth = shape.depth as u64;
        self.figures.frontier = shape.frontier as u64;
        self.figures.frontier_bytes = shape.bytes as u64;
        self.figures.store_bytes = self.visited.bytes() + self.inserter.bytes();
    }
}
