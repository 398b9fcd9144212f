//! Breadth-first search: states come out of the store in the order in which they went in, by decoding.
//!
//! Each state remembers which entry of which state's menu led to it. A schedule is rebuilt from that by following the
//! same states again.

use crate::expand::Expansion;
use crate::step::{Choice, Schedule, Shape, Step, Taken, go_back};
use kernel::{System, Unsupported, Vector};
use std::collections::VecDeque;
use std::mem::size_of;
use store::Visited;

/// How a state was reached first.
struct Node {
    parent: u32,
    entry: u32,
}

/// All states met, in the order in which they are opened.
struct Queue {
    nodes: Vec<Node>,
    /// How many were opened.
    opened: usize,
    /// The words of those that were not, when the store does not keep them.
    words: Option<VecDeque<Box<[u32]>>>,
    words_held: usize,
}

/// Explores everything reachable from `state`, and decodes it again in the end.
pub(crate) fn search<S: System, V: Visited + ?Sized>(expansion: &mut Expansion<'_, S, V>, state: &mut S::State) {
    let system = expansion.system;
    let start = encoded(system, state);
    if let Some(seen) = expansion.begin(state) {
        let mut queue = Queue::new(!expansion.visited.get(seen.id, &mut Vec::new()));
        queue.push(0, 0, &expansion.vector);
        level_by_level(expansion, state, &mut queue, &start);
    }
    if let Err(unsupported) = system.decode(state, &start) {
        expansion.hear(unsupported, Vec::new());
    }
}

fn level_by_level<S: System, V: Visited + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    queue: &mut Queue,
    start: &[u32],
) {
    let system = expansion.system;
    let (mut depth, mut level_end) = (0, 1);
    let (mut words, mut choices, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    while queue.opened < queue.nodes.len() {
        if queue.opened == level_end {
            (depth, level_end) = (depth + 1, queue.nodes.len());
            expansion.deepen(depth);
        }
        let at = queue.pop(expansion.visited, &mut words);
        let mut schedule = Schedule::default();
        if expansion.bound.is_some() {
            let tail = words.split_off(words.len() - Schedule::WORDS);
            schedule = Schedule::from_words(&tail);
        }
        if let Err(unsupported) = system.decode(state, &words) {
            let actions = schedule_to(expansion, state, &queue.nodes, at, start);
            expansion.hear(unsupported, actions);
            continue;
        }
        choices.clear();
        let mut opened = expansion.open(state, schedule, &mut choices);
        if opened.flawed {
            let fresh = expansion.take_fresh();
            let actions = schedule_to(expansion, state, &queue.nodes, at, start);
            expansion.report(fresh, &actions);
            if let Err(unsupported) = system.decode(state, &words) {
                expansion.hear(unsupported, Vec::new());
                continue;
            }
        }
        let mut next = 0;
        while let Some(&choice) = choices.get(next) {
            next += 1;
            if expansion.stopped(|| queue.shape(depth)) {
                return;
            }
            let step = expansion.step(state, schedule, &choice, &mut steps);
            passed.extend(expansion.take_passed(&steps));
            expansion.turn_away();
            match step {
                Step::New(seen, _) => {
                    opened.reduced = false;
                    debug_assert!(seen.id == u32::MAX || seen.id as usize == queue.nodes.len());
                    queue.push(at, choice.entry, &expansion.vector);
                }
                // SOUNDNESS: a state that is yet to be opened comes later than this one, and so does all that is put off there.
                Step::Old(seen, _) if seen.id != u32::MAX && seen.id > at => opened.reduced = false,
                Step::Old(..) | Step::Again(..) => {}
                Step::Failed(unsupported, action) => {
                    let taken = steps.iter().map(|step| step.action);
                    failed.push((unsupported, taken.chain([action]).collect::<Vec<_>>()));
                }
                Step::Halted => return,
            }
            go_back(system, state, &mut steps, 0);
            if next == choices.len() && std::mem::take(&mut opened.reduced) {
                expansion.reopen(state, schedule, 0, &mut choices);
            }
        }
        if passed.is_empty() && failed.is_empty() {
            continue;
        }
        let way = schedule_to(expansion, state, &queue.nodes, at, start);
        for (flaw, actions) in passed.drain(..) {
            expansion.report(vec![flaw], &[&way[..], &actions].concat());
        }
        for (unsupported, actions) in failed.drain(..) {
            expansion.hear(unsupported, [&way[..], &actions].concat());
        }
        if expansion.stopped(|| queue.shape(depth)) {
            return;
        }
    }
}

impl Queue {
    fn new(keeps_words: bool) -> Queue {
        Queue {
            nodes: Vec::new(),
            opened: 0,
            words: keeps_words.then(VecDeque::new),
            words_held: 0,
        }
    }

    fn push(&mut self, parent: u32, entry: u32, vector: &Vector) {
        self.nodes.push(Node { parent, entry });
        if let Some(words) = &mut self.words {
            words.push_back(vector.words().into());
            self.words_held += vector.len();
        }
    }

    /// The number of the next state to be opened, and its words.
    fn pop<V: Visited + ?Sized>(&mut self, visited: &V, out: &mut Vec<u32>) -> u32 {
        let at = self.opened as u32;
        self.opened += 1;
        out.clear();
        if let Some(words) = self.words.as_mut().and_then(VecDeque::pop_front) {
            self.words_held -= words.len();
            out.extend_from_slice(&words);
        } else {
            visited.get(at, out);
        }
        at
    }

    fn shape(&self, depth: usize) -> Shape {
        let kept = self.words.as_ref().map_or(0, VecDeque::capacity);
        Shape {
            depth,
            frontier: self.nodes.len() - self.opened,
            bytes: self.nodes.capacity() * size_of::<Node>()
                + kept * size_of::<Box<[u32]>>()
                + self.words_held * size_of::<u32>(),
        }
    }
}

fn encoded<S: System>(system: &S, state: &mut S::State) -> Vec<u32> {
    let mut vector = Vector::default();
    system.encode(state, &mut vector);
    vector.words()
}

/// A schedule from the start to a state. `state` is lost.
///
/// Decoding may rename what encoding forgets, so an action of the decoded parent need not be one of the state that a
/// replay is in. Therefore the words of all states on the way are found first, and then followed without decoding.
fn schedule_to<S: System, V: Visited + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    nodes: &[Node],
    to: u32,
    start: &[u32],
) -> Vec<S::Action> {
    let mut entries = Vec::new();
    let mut at = to;
    while at != 0 {
        let node = &nodes[at as usize];
        entries.push(node.entry);
        at = node.parent;
    }
    entries.reverse();
    let transitions = expansion.transitions();
    let actions = follow(expansion, state, &entries, start).unwrap_or_default();
    expansion.turn_away();
    expansion.set_transitions(transitions);
    actions
}

fn follow<S: System, V: Visited + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    entries: &[u32],
    start: &[u32],
) -> Result<Vec<S::Action>, Unsupported> {
    let system = expansion.system;
    let (mut choices, mut steps) = (Vec::new(), Vec::new());
    let mut way = vec![start.to_vec()];
    for &entry in entries {
        system.decode(state, &way[way.len() - 1])?;
        choices.clear();
        expansion.look(state, Schedule::default(), true, &mut choices);
        if let Some(choice) = choices.iter().find(|choice| choice.entry == entry) {
            retrace(expansion, state, choice, &mut steps)?;
        }
        way.push(encoded(system, state));
        steps.clear();
    }
    system.decode(state, start)?;
    for (&entry, goal) in entries.iter().zip(&way[1..]) {
        choices.clear();
        expansion.look(state, Schedule::default(), true, &mut choices);
        choices.sort_by_key(|choice| choice.entry != entry);
        let taken = steps.len();
        for choice in &choices {
            if retrace(expansion, state, choice, &mut steps).is_ok() && encoded(system, state) == *goal {
                break;
            }
            go_back(system, state, &mut steps, taken);
        }
    }
    Ok(steps.iter().map(|step| step.action).collect())
}

/// Takes a step again, and those after it for which there is nothing to choose.
fn retrace<S: System, V: Visited + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    choice: &Choice<S::Action>,
    steps: &mut Vec<Taken<S>>,
) -> Result<(), Unsupported> {
    match expansion.run(state, &mut Schedule::default(), choice, steps) {
        Err(Step::Failed(unsupported, _)) => Err(unsupported),
        _ => Ok(()),
    }
}
