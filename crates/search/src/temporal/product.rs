//! The product of a system and an automaton, on the fly: the automaton reads each state when it is left.

use super::reduced::{Decisions, includes};
use super::{Fairness, Question};
use kernel::{End, Obstacle, Propositions, StateVector, ThreadId, Transition, Transitions, Unsupported};
use ltl::Edge;

/// How many conditions there are room for: those of the automaton, then one for each thread.
const MOST_CONDITIONS: u32 = u128::BITS;

/// A step of the product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<A> {
    /// What the system does; `None` if it stays as it is.
    pub action: Option<A>,
    /// Who does it.
    pub mover: Option<ThreadId>,
    /// Where the automaton goes.
    pub target: u32,
    /// The conditions that the step does not meet, as a set.
    pub pending: u128,
}

/// A state of the product is one of the system and one of the automaton.
pub(super) struct Product<'a, S: Propositions> {
    pub system: &'a S,
    pub question: &'a Question<S::Proposition>,
    /// Which threads are enough at each state, if not all are tried.
    decisions: Option<Decisions<'a>>,
    /// The conditions of threads that must move whether or not they can in a state: for strong fairness, when these are known.
    pub must_move: u128,
    /// The conditions of threads that can move in the state that was looked at last, if fairness is asked for.
    pub can_move: u128,
    transitions: Transitions<S::Action>,
    vector: StateVector,
    edges: Vec<Edge>,
}

impl<'a, S: Propositions> Product<'a, S> {
    pub fn new(system: &'a S, question: &'a Question<S::Proposition>, decisions: Option<Decisions<'a>>) -> Self {
        Product {
            system,
            question,
            decisions,
            must_move: 0,
            can_move: 0,
            transitions: Transitions::default(),
            vector: StateVector::default(),
            edges: Vec::new(),
        }
    }

    /// The propositions that hold in a state.
    pub fn letter(&self, state: &mut S::State) -> u64 {
        let propositions = self.question.propositions.iter().enumerate();
        let holds = propositions.map(|(atom, one)| u64::from(self.system.holds(state, one)) << atom);
        holds.fold(0, |letter, bit| letter | bit)
    }

    /// Writes a state down.
    pub fn encode(&mut self, state: &mut S::State, location: u32) -> &StateVector {
        self.vector.clear();
        match &mut self.decisions {
            Some(decisions) => {
                let number = decisions.look_up(self.system, state).0.number();
                self.vector.extend(&[number as u32, (number >> 32) as u32]);
            }
            None => self.system.encode(state, &mut self.vector),
        }
        self.vector.end_chunk();
        self.vector.push(location);
        self.vector.end_chunk();
        &self.vector
    }

    /// How many threads there are in the state that was looked at last.
    pub fn threads(&self) -> u32 {
        crate::expand::count_threads(&self.transitions)
    }

    /// Appends the steps from a state to `choices`.
    pub fn choices(
        &mut self,
        state: &mut S::State,
        location: u32,
        choices: &mut Vec<Choice<S::Action>>,
    ) -> Result<(), Unsupported> {
        self.transitions.clear();
        self.system.transitions(state, &mut self.transitions);
        let letter = self.letter(state);
        self.admit(location, letter);
        let decisions = self.decisions.as_mut();
        let enough = decisions.map_or(0, |decisions| decisions.look_up(self.system, state).1);
        let entries = self.transitions.entries();
        let is_open = self.transitions.end == End::Open;
        let (mut forced, mut stays) = (0, self.transitions.end == End::Over);
        if is_open {
            stays = !entries.iter().any(|entry| entry.enabled && !entry.spurious);
            for entry in entries {
                let is_forced = entry.enabled && !entry.spurious && !entry.wakeup;
                if self.question.fairness != Fairness::None && is_forced {
                    // SOUNDNESS: who moves is told by number, so a thread must have the same one in all states with the same vector.
                    if self.system.canonical_id(state, entry.thread) != Some(entry.thread) {
                        return Err(unfair("fairness among threads that are taken for each other"));
                    }
                    forced |= self.condition(entry.thread)?;
                }
            }
        }
        self.can_move = forced;
        let put_off = match self.question.fairness {
            Fairness::Weak => forced,
            _ => self.must_move,
        };
        let is_tried = |entry: &&Transition<S::Action>| is_open && entry.enabled && includes(enough, entry.thread);
        for entry in entries.iter().filter(is_tried) {
            let own = match put_off {
                0 => 0,
                _ => self.condition(entry.thread)?,
            };
            choices.extend(self.edges.iter().map(|edge| Choice {
                action: Some(entry.action),
                mover: Some(entry.thread),
                target: edge.target,
                pending: u128::from(edge.pending) | put_off & !own,
            }));
        }
        if stays {
            choices.extend(self.edges.iter().map(|edge| Choice {
                action: None,
                mover: None,
                target: edge.target,
                pending: u128::from(edge.pending) | put_off,
            }));
        }
        Ok(())
    }

    /// The condition that a thread moves again and again, as a set.
    pub fn condition(&self, thread: ThreadId) -> Result<u128, Unsupported> {
        let number = thread.0.saturating_add(self.question.automaton.conditions);
        match number < MOST_CONDITIONS {
            true => Ok(1 << number),
            false => Err(unfair("fairness among so many threads")),
        }
    }

    /// Finds the edges by which the automaton reads a letter, without those that another one makes superfluous.
    fn admit(&mut self, location: u32, letter: u64) {
        self.edges.clear();
        let edges = &self.question.automaton.edges[location as usize];
        for edge in edges.iter().filter(|edge| edge.label.admits(letter)) {
            let covers = |one: &Edge, other: &Edge| one.target == other.target && one.pending & !other.pending == 0;
            if !self.edges.iter().any(|other| covers(other, edge)) {
                self.edges.retain(|other| !covers(edge, other));
                self.edges.push(*edge);
            }
        }
    }
}

/// Why there is nothing to say about fair executions.
fn unfair(what: &str) -> Unsupported {
    Unsupported {
        what: what.to_owned(),
        place: String::new(),
        obstacle: Obstacle::Feature,
    }
}
