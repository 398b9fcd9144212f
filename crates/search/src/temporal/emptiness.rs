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
use super::strong::{self, Edge};
use super::witness::Witness;
use super::{Answer, Execution, Fairness, Question};
use crate::monitor::Monitor;
use crate::step::Shape;
use crate::{Ending, Figures, Options, Why};
use kernel::{Propositions, System, Unsupported};
use std::collections::{HashMap, HashSet};
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
    /// Where the steps from its states begin, if they are kept.
    first_edge: usize,
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
    /// For strong fairness, the steps from states of components that are not complete, and who can move in these.
    edges: Vec<Edge>,
    can_move: HashMap<StateId, u128>,
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
            edges: Vec::new(),
            can_move: HashMap::new(),
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
        let start = Choice {
            action: None,
            mover: None,
            target: initial,
            pending: 0,
        };
        self.enter(state, start, None);
        let mut execution = None;
        while self.stop.is_none()
            && let Some(frame) = self.frames.last_mut()
        {
            let Some(&choice) = self.choices.get(frame.next) else {
                execution = self.leave(state);
                if execution.is_some() {
                    break;
                }
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
            if self.enter(state, choice, undo) {
                let root = self.roots.last().map_or(0, |root| root.number);
                execution = Some(self.witness(state, |complete, id| id.number() >= root && !complete.contains(id)));
                break;
            }
        }
        while !self.frames.is_empty() {
            self.go_back(state);
        }
        execution
    }

    /// Comes to a state by a step. Whether that shows an accepting component. Where it leads nowhere new, the step is undone.
    fn enter(&mut self, state: &mut S::State, choice: Choice<S::Action>, undo: Option<S::Undo>) -> bool {
        let seen = self.inserter.insert(self.product.encode(state, choice.target));
        let is_full = self.options.states.is_some_and(|most| self.figures.states >= most);
        let id = match seen {
            Some(seen) if seen.id.is_none() => Err(Why::Inexact),
            None => Err(Why::Full),
            Some(seen) if seen.new && is_full => Err(Why::States),
            Some(seen) => Ok((seen.id.unwrap_or(StateId::FIRST), seen.new)),
        };
        if let (true, Some(frame), Ok((to, _))) = (self.is_strong(), self.frames.last(), &id) {
            self.edges.push(Edge {
                from: frame.id,
                to: *to,
                pending: choice.pending as u64 & self.product.question.automaton.all_conditions(),
                mover: choice.mover,
            });
        }
        match id {
            Ok((id, true)) => {
                self.push(state, id, choice, undo);
                false
            }
            id => {
                undo.into_iter().for_each(|undo| self.product.system.undo(state, undo));
                self.meet(id.map(|(id, _)| id), choice.pending)
            }
        }
    }

    fn is_strong(&self) -> bool {
        self.product.question.fairness == Fairness::Strong
    }

    fn push(&mut self, state: &mut S::State, id: StateId, choice: Choice<S::Action>, undo: Option<S::Undo>) {
        let location = choice.target;
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
            entered: choice.pending,
            first_edge: self.edges.len(),
        });
        if self.is_strong() {
            self.can_move.insert(id, self.product.can_move);
        }
        self.open.push(id);
        self.frames.push(Frame {
            id,
            location,
            first,
            next: first,
            action: choice.action,
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
                root.pending == 0 && self.product.question.fairness != Fairness::Strong
            }
            None => false,
        }
    }

    /// Leaves the state at the end of the path. If it is a root, its component is complete; an execution, if that shows one.
    fn leave(&mut self, state: &mut S::State) -> Option<Execution<S::Action>> {
        let id = self.frames.last()?.id;
        if let Some(root) = self.roots.pop_if(|root| root.number == id.number()) {
            let mut members = Vec::new();
            while let Some(member) = self.open.pop_if(|member| *member >= id) {
                self.complete.set(member, true);
                members.push(member);
            }
            if self.is_strong()
                && let Some(part) = self.fair_part(members, root.first_edge)
            {
                return Some(self.witness(state, |_, id| part.contains(&id)));
            }
        }
        self.go_back(state);
        None
    }

    /// The part of a component that a loop may go through which is fair in the strong sense.
    fn fair_part(&mut self, members: Vec<StateId>, first_edge: usize) -> Option<HashSet<StateId>> {
        let edges = self.edges.split_off(first_edge);
        let condition = |thread| self.product.condition(thread).unwrap_or_default();
        let found = strong::fair_part(members.clone(), &edges, &self.can_move, condition);
        for member in members {
            self.can_move.remove(&member);
        }
        let (part, must_move) = found?;
        self.product.must_move = must_move;
        Some(part)
    }

    fn go_back(&mut self, state: &mut S::State) {
        if let Some(frame) = self.frames.pop() {
            self.choices.truncate(frame.first);
            if let Some(undo) = frame.undo {
                self.product.system.undo(state, undo);
            }
        }
    }

    /// Makes an execution of the accepting component that was just found: a way to it, and a loop within.
    fn witness(
        &mut self,
        state: &mut S::State,
        is_inside: impl Fn(&StateSet, StateId) -> bool,
    ) -> Execution<S::Action> {
        let steps: Vec<(Option<S::Action>, u32)> = self.frames[1..]
            .iter()
            .map(|frame| (frame.action, frame.location))
            .collect();
        while !self.frames.is_empty() {
            self.go_back(state);
        }
        let complete = &self.complete;
        // With strong fairness, the path leads to the component and not to the part of it.
        let path = (!self.is_strong()).then_some(&steps[..]);
        Witness::new(&mut self.product, &mut *self.inserter).execution(state, path, |id| is_inside(complete, id))
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
                + self.edges.capacity() * size_of::<Edge>()
                + self.can_move.capacity() * size_of::<(StateId, u128)>()
                + self.complete.bytes() as usize,
        };
        self.figures.depth = shape.depth as u64;
        self.figures.frontier = shape.frontier as u64;
        self.figures.frontier_bytes = shape.bytes as u64;
        self.figures.store_bytes = self.visited.bytes() + self.inserter.bytes();
    }
}
