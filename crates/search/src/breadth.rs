//! Breadth-first search: states come out of the store in the order in which they went in, by decoding.
//!
//! Each state remembers from which state it was reached first, and by which actions. A schedule is rebuilt from that by following the
//! same states again.

use crate::bounds::Schedule;
use crate::context::Context;
use crate::expand::Explorer;
use crate::proviso::{Leads, SafetyProviso, leads_in_queue};
use crate::step::{Shape, Step, Taken, go_back};
use kernel::{StateVector, System, Transitions, Unsupported};
use std::collections::VecDeque;
use std::mem::size_of;
use store::{StateId, StateTable};

/// How a state was reached first.
struct Node {
    parent: u64,
    /// Where the actions end that lead there from its parent. They begin where those of the node before end.
    end: usize,
}

/// All states met, in the order in which they are opened.
struct Queue<A> {
    nodes: Vec<Node>,
    /// The actions that led to them, by the numbers that threads had when their parents were decoded.
    actions: Vec<A>,
    /// How many were opened.
    opened: usize,
    /// The words of those that were not, when the store does not keep them.
    words: Option<VecDeque<Box<[u32]>>>,
    words_held: usize,
}

/// Explores everything reachable from `state`, and decodes it again in the end.
pub(crate) fn search<S: System, V: StateTable + ?Sized>(explorer: &mut Explorer<'_, S, V>, state: &mut S::State) {
    let &Context {
        system,
        visited,
        ref reporting,
        ..
    } = explorer.context;
    let start = encoded(system, state);
    if let Some(seen) = explorer.begin(state) {
        let is_kept = seen.id.is_some_and(|id| visited.get(id, &mut Vec::new()));
        let mut queue = Queue::new(!is_kept);
        queue.push::<S>(0, &[], &explorer.entry.vector);
        level_by_level(explorer, state, &mut queue, &start);
    }
    if let Err(unsupported) = system.decode(state, &start) {
        reporting.hear(unsupported, Vec::new());
    }
}

fn level_by_level<S: System, V: StateTable + ?Sized>(
    explorer: &mut Explorer<'_, S, V>,
    state: &mut S::State,
    queue: &mut Queue<S::Action>,
    start: &[u32],
) {
    let &Context {
        system,
        visited,
        bound,
        ref reporting,
        ..
    } = explorer.context;
    let (mut depth, mut level_end) = (0, 1);
    let (mut words, mut choices, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    while queue.opened < queue.nodes.len() {
        if queue.opened == level_end {
            (depth, level_end) = (depth + 1, queue.nodes.len());
            explorer.deepen(depth);
        }
        let at = queue.pop(visited, &mut words);
        let schedule = match bound {
            Some(_) => Schedule::take_from(&mut words),
            None => Schedule::default(),
        };
        if let Err(unsupported) = system.decode(state, &words) {
            let actions = schedule_to(system, state, queue, at, &[], None, start);
            reporting.hear(unsupported, actions);
            continue;
        }
        choices.clear();
        let opened = explorer.open(state, schedule, &mut choices);
        if opened.flawed {
            let actions = schedule_to(system, state, queue, at, &[], None, start);
            explorer.report_fresh(&actions);
            if let Err(unsupported) = system.decode(state, &words) {
                reporting.hear(unsupported, Vec::new());
                continue;
            }
        }
        let mut proviso = SafetyProviso::new(opened.reduced);
        let mut next = 0;
        while let Some(&choice) = choices.get(next) {
            next += 1;
            if explorer.stopped(|| queue.shape(depth)) {
                return;
            }
            let step = explorer.step(state, schedule, &choice, &mut steps);
            passed.extend(explorer.runs.take_passed(&steps));
            explorer.runs.turn_away();
            match step {
                Step::New(seen, _) => {
                    proviso.follow(Leads::Away);
                    debug_assert!(seen.id.is_none_or(|id| id.index() == queue.nodes.len()));
                    queue.push(at, &steps, &explorer.entry.vector);
                }
                Step::Old(seen, _) | Step::Again(seen, _) => proviso.follow(leads_in_queue(seen.id, at)),
                Step::Failed(unsupported, _) => {
                    let taken = steps.iter().map(|step| step.action);
                    failed.push((unsupported, taken.collect::<Vec<_>>()));
                }
                Step::Halted => return,
            }
            go_back(system, state, &mut steps, 0);
            if next == choices.len() && proviso.take_due() {
                explorer.reopen(state, schedule, &mut choices);
            }
        }
        for (flaw, actions) in passed.drain(..) {
            let way = schedule_to(system, state, queue, at, &actions, None, start);
            reporting.report(vec![flaw], &way);
        }
        for (unsupported, actions) in failed.drain(..) {
            if reporting.is_unheard(&unsupported) {
                let way = schedule_to(system, state, queue, at, &actions, Some(&unsupported), start);
                reporting.hear(unsupported, way);
            }
        }
        if explorer.stopped(|| queue.shape(depth)) {
            return;
        }
    }
}

impl<A: Copy> Queue<A> {
    fn new(keeps_words: bool) -> Queue<A> {
        Queue {
            nodes: Vec::new(),
            actions: Vec::new(),
            opened: 0,
            words: keeps_words.then(VecDeque::new),
            words_held: 0,
        }
    }

    fn push<S: System<Action = A>>(&mut self, parent: u64, steps: &[Taken<S>], vector: &StateVector) {
        self.actions.extend(steps.iter().map(|step| step.action));
        let end = self.actions.len();
        self.nodes.push(Node { parent, end });
        if let Some(words) = &mut self.words {
            words.push_back(vector.words().into());
            self.words_held += vector.len();
        }
    }

    /// The actions that lead to a state, other than the first, from its parent.
    fn run_to(&self, at: u64) -> &[A] {
        let at = at as usize;
        &self.actions[self.nodes[at - 1].end..self.nodes[at].end]
    }

    /// The number of the next state to be opened, and its words.
    fn pop<V: StateTable + ?Sized>(&mut self, visited: &V, out: &mut Vec<u32>) -> u64 {
        let at = self.opened as u64;
        self.opened += 1;
        out.clear();
        if let Some(words) = self.words.as_mut().and_then(VecDeque::pop_front) {
            self.words_held -= words.len();
            out.extend_from_slice(&words);
        } else {
            visited.get(StateId::new(at), out);
        }
        at
    }

    fn shape(&self, depth: usize) -> Shape {
        let kept = self.words.as_ref().map_or(0, VecDeque::capacity);
        Shape {
            depth,
            frontier: self.nodes.len() - self.opened,
            bytes: self.nodes.capacity() * size_of::<Node>()
                + self.actions.capacity() * size_of::<A>()
                + kept * size_of::<Box<[u32]>>()
                + self.words_held * size_of::<u32>(),
        }
    }
}

fn encoded<S: System>(system: &S, state: &mut S::State) -> Vec<u32> {
    let mut vector = StateVector::default();
    system.encode(state, &mut vector);
    vector.words()
}

/// A schedule from the start to a state, and by more actions to another one; by one more that `fails`, if there is such. `state` is lost.
/// If there is no way, which would be a mistake of ours, it is empty.
///
/// Decoding may rename what encoding forgets, so an action of a decoded state need not be one of the state that a replay is in.
/// Therefore the words of all states on the way are found first, and then followed without decoding.
fn schedule_to<S: System>(
    system: &S,
    state: &mut S::State,
    queue: &Queue<S::Action>,
    to: u64,
    more: &[S::Action],
    fails: Option<&Unsupported>,
    start: &[u32],
) -> Vec<S::Action> {
    let mut runs = vec![more];
    let mut at = to;
    while at != 0 {
        runs.push(queue.run_to(at));
        at = queue.nodes[at as usize].parent;
    }
    runs.reverse();
    let way = words_of(system, state, &runs, start);
    way.and_then(|way| follow(system, state, &way, fails, start))
        .unwrap_or_default()
}

/// The words of all states along runs that each begin where the one before ends, by the numbers of the state that was decoded there.
fn words_of<S: System>(
    system: &S,
    state: &mut S::State,
    runs: &[&[S::Action]],
    start: &[u32],
) -> Option<Vec<Vec<u32>>> {
    let mut way: Vec<Vec<u32>> = Vec::new();
    for run in runs {
        system.decode(state, way.last().map_or(start, |words| words)).ok()?;
        for &action in *run {
            system.apply(state, action).ok()?;
            way.push(encoded(system, state));
        }
    }
    Some(way)
}

/// The actions by which one comes from state to state.
fn follow<S: System>(
    system: &S,
    state: &mut S::State,
    way: &[Vec<u32>],
    fails: Option<&Unsupported>,
    start: &[u32],
) -> Option<Vec<S::Action>> {
    system.decode(state, start).ok()?;
    let mut actions = Vec::new();
    for goal in way {
        let next = find(system, state, |system, state, action| {
            let undo = system.apply(state, action).ok()?;
            if encoded(system, state) == *goal {
                return Some(());
            }
            system.undo(state, undo);
            None
        });
        actions.push(next?);
    }
    if let Some(fails) = fails {
        let last = find(system, state, |system, state, action| {
            match system.apply(state, action) {
                Ok(undo) => {
                    system.undo(state, undo);
                    None
                }
                Err(unsupported) => (unsupported == *fails).then_some(()),
            }
        });
        actions.push(last?);
    }
    Some(actions)
}

/// The first action that can be taken here and that is the right one.
fn find<S: System>(
    system: &S,
    state: &mut S::State,
    is_right: impl Fn(&S, &mut S::State, S::Action) -> Option<()>,
) -> Option<S::Action> {
    let mut transitions = Transitions::default();
    system.transitions(state, &mut transitions);
    let mut enabled = transitions.entries().iter().filter(|entry| entry.enabled);
    enabled
        .find(|entry| is_right(system, state, entry.action).is_some())
        .map(|entry| entry.action)
}
