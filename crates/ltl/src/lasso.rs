//! Words that come back: what a formula means, evaluated directly, and what an automaton accepts.

use crate::components::components;
use crate::{Automaton, Binary, Formula, Unary};

/// A word that ends in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// The letters: sets of the atoms that hold.
    pub letters: Vec<u64>,
    /// Where the loop begins: the last letter is followed by this one.
    pub loop_start: usize,
}

impl Lasso {
    fn next(&self, position: usize) -> usize {
        match position + 1 == self.letters.len() {
            true => self.loop_start,
            false => position + 1,
        }
    }

    /// Whether a formula holds of the word. A lasso has at least one letter, and its loop too.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.values(formula)[0]
    }

    /// Whether a formula holds, from each of the letters on.
    pub fn values(&self, formula: &Formula) -> Vec<bool> {
        match formula {
            Formula::Constant(value) => vec![*value; self.letters.len()],
            Formula::Atom(atom) => self.letters.iter().map(|letter| letter >> atom.0 & 1 == 1).collect(),
            Formula::Unary(operator, inner) => {
                let inner = self.values(inner);
                match operator {
                    Unary::Not => inner.iter().map(|value| !value).collect(),
                    Unary::Next => (0..inner.len()).map(|position| inner[self.next(position)]).collect(),
                    Unary::Always => self.fixpoint(true, |position, later| inner[position] && later),
                    Unary::Eventually => self.fixpoint(false, |position, later| inner[position] || later),
                }
            }
            Formula::Binary(operator, left, right) => {
                let (left, right) = (self.values(left), self.values(right));
                let by_letter = |holds: fn(bool, bool) -> bool| {
                    left.iter()
                        .zip(&right)
                        .map(|(left, right)| holds(*left, *right))
                        .collect()
                };
                let until = |start| self.fixpoint(start, |position, later| right[position] || left[position] && later);
                let release =
                    |start| self.fixpoint(start, |position, later| right[position] && (left[position] || later));
                match operator {
                    Binary::And => by_letter(|left, right| left && right),
                    Binary::Or => by_letter(|left, right| left || right),
                    Binary::Implies => by_letter(|left, right| !left || right),
                    Binary::Iff => by_letter(|left, right| left == right),
                    Binary::Until => until(false),
                    Binary::WeakUntil => until(true),
                    Binary::Release => release(true),
                    Binary::StrongRelease => release(false),
                }
            }
        }
    }

    /// What comes of applying a rule from the back until nothing changes. Twice round is enough: the second time, the start of the loop is known.
    fn fixpoint(&self, start: bool, rule: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.letters.len()];
        for _ in 0..2 {
            for position in (0..values.len()).rev() {
                values[position] = rule(position, values[self.next(position)]);
            }
        }
        values
    }
}

impl Automaton {
    /// Whether it accepts a word.
    pub fn accepts(&self, word: &Lasso) -> bool {
        let length = word.letters.len();
        let node = |state: usize, position: usize| state * length + position;
        let edges = |node: usize| {
            let (state, position) = (node / length, node % length);
            let admitted = self.edges[state]
                .iter()
                .filter(move |edge| edge.label.admits(word.letters[position]));
            admitted.map(move |edge| (edge.target as usize * length + word.next(position), edge.pending))
        };
        let first = node(self.initial as usize, 0);
        let found = components(self.states() * length, [first], |node| {
            edges(node).map(|(target, _)| target)
        });
        let mut pending = vec![None; found.count];
        for node in 0..self.states() * length {
            for (target, put_off) in edges(node).filter(|&(target, _)| found.together(node, target)) {
                if let Some(number) = found.of[target] {
                    pending[number] = Some(pending[number].unwrap_or(u64::MAX) & put_off);
                }
            }
        }
        pending.contains(&Some(0))
    }
}
