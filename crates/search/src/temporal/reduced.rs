//! Which threads are enough at each state, where formulas are at stake: ample sets for formulas without `X`.
//!
//! C0 and C1 are the reduction's. C2: the steps that are enough change no proposition of the formula. C3, in its form for liveness: each cycle
//! has a state at which all threads are tried. A step of an ample set that leads to a state on the path is reason enough for that.
//!
//! SOUNDNESS: all of this is settled before any automaton runs, and is looked up by the state of the system alone. So what is left is a
//! graph that is the same to every state of the automaton, with an execution for each one of the whole graph that differs in repeated states
//! only (Clarke, Grumberg, Peled, Model Checking, 1999, theorem 12). If the search of the product chose, two states of the automaton might
//! choose differently, and executions would be lost (S. F. Siegel, What's Wrong with On-the-Fly Partial Order Reduction, CAV 2019).
//!
//! Whether an execution is fair depends on who can move in between, which such executions do not share. So there is no reduction with fairness.

use crate::monitor::Monitor;
use crate::{Options, Why};
use kernel::{End, Propositions, Reduction, StateVector, ThreadId, Transitions};
use store::{Inserter, StateId, StateSet, StateTable};

/// Threads that are enough, as a set; none for all.
type Threads = u64;

/// The states of a reduced graph, and which threads are tried at each.
pub(super) struct Decisions<'a> {
    inserter: Box<dyn Inserter + 'a>,
    enough: Vec<Threads>,
    vector: StateVector,
}

impl Decisions<'_> {
    /// The number of a state of the graph, and the threads that are enough there.
    pub fn look_up<S: Propositions>(&mut self, system: &S, state: &mut S::State) -> (StateId, Threads) {
        write(system, state, &mut self.vector);
        let id = self.inserter.find(&self.vector);
        // A step that is enough was taken before, and led to a state that was entered.
        let id = id.expect("a state of the reduced graph");
        (id, self.enough[id.index()])
    }
}

/// Whether a thread is in a set.
pub(super) fn includes(threads: Threads, thread: ThreadId) -> bool {
    threads == 0 || thread.0 < Threads::BITS && threads >> thread.0 & 1 == 1
}

fn write<S: Propositions>(system: &S, state: &mut S::State, vector: &mut StateVector) {
    vector.clear();
    system.encode(state, vector);
    vector.end_chunk();
}

/// A state on the path.
struct Frame<S: Propositions> {
    id: StateId,
    first: usize,
    next: usize,
    /// Whether one of the steps that are enough has led back to the path.
    is_due: bool,
    undo: Option<S::Undo>,
}

/// Explores what the threads that are enough can do, and so finds out where they are not.
pub(super) struct Deciding<'a, 'r, S: Propositions> {
    pub system: &'a S,
    pub propositions: &'a [S::Proposition],
    pub reduction: &'r mut dyn Reduction<S>,
    pub options: &'a Options,
    pub monitor: Monitor<'r>,
}

impl<'a, S: Propositions> Deciding<'a, '_, S> {
    /// The reduced graph, from `state`, which is the same afterwards; or why there is none.
    pub fn decide<V: StateTable + ?Sized>(mut self, state: &mut S::State, table: &'a V) -> Result<Decisions<'a>, Why> {
        let mut graph = Graph {
            decisions: Decisions {
                inserter: table.inserter(),
                enough: Vec::new(),
                vector: StateVector::default(),
            },
            transitions: Transitions::default(),
            on_path: StateSet::default(),
            choices: Vec::new(),
            frames: Vec::new(),
        };
        let explored = self.explore(state, &mut graph);
        while let Some(frame) = graph.frames.pop() {
            frame.undo.into_iter().for_each(|undo| self.system.undo(state, undo));
        }
        explored.map(|()| graph.decisions)
    }

    fn explore(&mut self, state: &mut S::State, graph: &mut Graph<'_, S>) -> Result<(), Why> {
        self.enter(state, graph, None, None)?;
        while let Some(frame) = graph.frames.last_mut() {
            let Some(&(thread, action)) = graph.choices.get(frame.next) else {
                if std::mem::take(&mut frame.is_due) {
                    self.reopen(state, graph);
                    continue;
                }
                graph.choices.truncate(frame.first);
                graph.on_path.set(frame.id, false);
                let undo = frame.undo.take();
                undo.into_iter().for_each(|undo| self.system.undo(state, undo));
                graph.frames.pop();
                continue;
            };
            frame.next += 1;
            self.look_around(graph)?;
            // Where a step is not supported, the search of the product says so.
            if let Ok(undo) = self.system.apply(state, action) {
                self.enter(state, graph, Some(thread), Some(undo))?;
            }
        }
        Ok(())
    }

    /// Comes to a state by a step, which is undone if the state is known.
    fn enter(
        &mut self,
        state: &mut S::State,
        graph: &mut Graph<'_, S>,
        last: Option<ThreadId>,
        undo: Option<S::Undo>,
    ) -> Result<(), Why> {
        let id = match self.insert(state, &mut graph.decisions) {
            Ok((id, true)) => id,
            other => {
                undo.into_iter().for_each(|undo| self.system.undo(state, undo));
                let is_back = graph.on_path.contains(other?.0);
                if let Some(frame) = graph.frames.last_mut() {
                    frame.is_due |= is_back && graph.decisions.enough[frame.id.index()] != 0;
                }
                return Ok(());
            }
        };
        graph.transitions.clear();
        self.system.transitions(state, &mut graph.transitions);
        let enough = self.choose(state, &graph.transitions, last);
        graph.decisions.enough.push(enough);
        graph.on_path.set(id, true);
        let first = graph.choices.len();
        graph.open(|thread| includes(enough, thread));
        graph.frames.push(Frame {
            id,
            first,
            next: first,
            is_due: false,
            undo,
        });
        Ok(())
    }

    /// Enters a state into the table; whether it is new.
    fn insert(&self, state: &mut S::State, decisions: &mut Decisions<'_>) -> Result<(StateId, bool), Why> {
        write(self.system, state, &mut decisions.vector);
        let seen = decisions.inserter.insert(&decisions.vector).ok_or(Why::Full)?;
        let states = decisions.enough.len() as u64;
        match seen.new && self.options.states.is_some_and(|most| states >= most) {
            true => Err(Why::States),
            false => Ok((seen.id.ok_or(Why::Inexact)?, seen.new)),
        }
    }

    /// The threads that are enough at a state, if their steps change nothing that the formula sees.
    fn choose(
        &mut self,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
    ) -> Threads {
        let is_enabled = transitions.entries().iter().any(|entry| entry.enabled);
        if transitions.end != End::Open || !is_enabled {
            return 0;
        }
        let mut enough = Vec::new();
        self.reduction.ample(self.system, state, transitions, last, &mut enough);
        let mut threads = 0;
        for thread in enough {
            // Threads that may have other numbers in an equal state cannot be told by them.
            if thread.0 >= Threads::BITS || self.system.canonical_id(state, thread) != Some(thread) {
                return 0;
            }
            threads |= 1 << thread.0;
        }
        let mut tried = transitions.entries().iter().filter(|entry| entry.enabled);
        let is_visible = tried.any(|entry| {
            let mut seen = self.propositions.iter();
            threads != 0
                && includes(threads, entry.thread)
                && seen.any(|one| self.system.may_change(state, transitions, entry, one))
        });
        if is_visible { 0 } else { threads }
    }

    /// All threads are tried at the end of the path after all.
    fn reopen(&mut self, state: &mut S::State, graph: &mut Graph<'_, S>) {
        let Some(frame) = graph.frames.last() else {
            return;
        };
        let index = frame.id.index();
        let enough = std::mem::take(&mut graph.decisions.enough[index]);
        graph.transitions.clear();
        self.system.transitions(state, &mut graph.transitions);
        graph.open(|thread| !includes(enough, thread));
    }

    fn look_around(&mut self, graph: &Graph<'_, S>) -> Result<(), Why> {
        if !self.monitor.timer.is_due() {
            return Ok(());
        }
        let mut figures = crate::Figures {
            states: graph.decisions.enough.len() as u64,
            depth: graph.frames.len() as u64,
            ..crate::Figures::default()
        };
        self.monitor.look(&mut figures, self.options).map_or(Ok(()), Err)
    }
}

/// What was explored so far.
struct Graph<'a, S: Propositions> {
    decisions: Decisions<'a>,
    transitions: Transitions<S::Action>,
    on_path: StateSet,
    choices: Vec<(ThreadId, S::Action)>,
    frames: Vec<Frame<S>>,
}

impl<S: Propositions> Graph<'_, S> {
    /// Appends the steps of some threads at the state that was looked at last.
    fn open(&mut self, is_tried: impl Fn(ThreadId) -> bool) {
        if self.transitions.end == End::Open {
            let entries = self.transitions.entries().iter();
            let tried = entries.filter(|entry| entry.enabled && is_tried(entry.thread));
            self.choices.extend(tried.map(|entry| (entry.thread, entry.action)));
        }
    }
}
