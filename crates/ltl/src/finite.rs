//! Finite automata, for formulas that hold of a word because of how it begins. The negation of a safety formula is one.

use crate::Automaton;
use std::collections::HashMap;

/// A deterministic finite automaton, made while it reads. Its states are sets of states of a Büchi automaton.
#[derive(Clone, Debug)]
pub struct Finite {
    automaton: Automaton,
    /// States from which every word is accepted.
    accepts_all: Vec<bool>,
    sets: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
    known: HashMap<(u32, u64), Reading>,
}

/// What is known after a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Nothing yet; this is the state.
    Open(u32),
    /// The word is accepted, whatever follows.
    Accepted,
    /// It is not, whatever follows.
    Rejected,
}

impl Automaton {
    /// The finite automaton that accepts the beginnings by which this one accepts; `None` unless every accepting run comes to a state in which
    /// everything is accepted.
    pub fn finite(&self) -> Option<Finite> {
        let accepts_all: Vec<bool> = (0..self.states()).map(|state| self.accepts_all(state)).collect();
        // Without these states, no run must be accepting.
        let mut others = self.clone();
        for (edges, _) in others.edges.iter_mut().zip(&accepts_all).filter(|(_, all)| **all) {
            edges.clear();
        }
        others.is_empty().then(|| {
            let first = vec![self.initial];
            Finite {
                automaton: self.clone(),
                accepts_all,
                sets: vec![first.clone()],
                numbers: HashMap::from([(first, 0)]),
                known: HashMap::new(),
            }
        })
    }

    /// Whether a state goes back to itself by every letter and puts nothing off.
    fn accepts_all(&self, state: usize) -> bool {
        let mut edges = self.edges[state].iter();
        edges.any(|edge| edge.target as usize == state && edge.label.is_true() && edge.pending == 0)
    }
}

impl Finite {
    /// What is known before the first letter.
    pub fn start(&self) -> Reading {
        match self.accepts_all[self.automaton.initial as usize] {
            true => Reading::Accepted,
            false => Reading::Open(0),
        }
    }

    /// What is known after one more letter.
    pub fn read(&mut self, state: u32, letter: u64) -> Reading {
        if let Some(&known) = self.known.get(&(state, letter)) {
            return known;
        }
        let states = self.sets[state as usize].iter();
        let edges = states.flat_map(|&state| &self.automaton.edges[state as usize]);
        let admitted = edges.filter(|edge| edge.label.admits(letter));
        let mut next: Vec<u32> = admitted.map(|edge| edge.target).collect();
        next.sort();
        next.dedup();
        let reading = match &next[..] {
            [] => Reading::Rejected,
            next if next.iter().any(|&state| self.accepts_all[state as usize]) => Reading::Accepted,
            _ => Reading::Open(*self.numbers.entry(next).or_insert_with_key(|next| {
                self.sets.push(next.clone());
                self.sets.len() as u32 - 1
            })),
        };
        self.known.insert((state, letter), reading);
        reading
    }
}
