//! Random formulas and words, and products of automata.
#![allow(dead_code)] // each test file uses its part

use ltl::{Atom, Automaton, Binary, Edge, Formula, Lasso, Unary};
use std::collections::HashMap;

/// Random numbers, the same for the same seed.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A formula with so many operators and atoms at most.
    pub fn formula(&mut self, size: usize, atoms: usize, with_next: bool) -> Formula {
        if size <= 1 {
            return match self.below(20) {
                0 => Formula::Constant(self.below(2) == 0),
                _ => Formula::Atom(Atom(self.below(atoms) as u32)),
            };
        }
        if size == 2 || self.below(3) == 0 {
            let operators = [Unary::Not, Unary::Always, Unary::Eventually, Unary::Next];
            let operator = self.one_of(&operators[..if with_next { 4 } else { 3 }]);
            return Formula::unary(operator, self.formula(size - 1, atoms, with_next));
        }
        let operator = self.one_of(&[
            Binary::And,
            Binary::Or,
            Binary::Implies,
            Binary::Iff,
            Binary::Until,
            Binary::Release,
            Binary::WeakUntil,
            Binary::StrongRelease,
        ]);
        let left = 1 + self.below(size - 2);
        let right = self.formula(size - 1 - left, atoms, with_next);
        Formula::binary(operator, self.formula(left, atoms, with_next), right)
    }

    /// A word over so many atoms, with few letters.
    pub fn lasso(&mut self, atoms: usize) -> Lasso {
        let length = 1 + self.below(7);
        Lasso {
            letters: (0..length).map(|_| self.below(1 << atoms) as u64).collect(),
            loop_start: self.below(length),
        }
    }
}

/// Every word over so many atoms with at most so many letters.
pub fn all_lassos(atoms: usize, longest: usize) -> Vec<Lasso> {
    let mut all = Vec::new();
    for length in 1..=longest {
        for number in 0..1_u64 << (atoms * length) {
            let letter = |position: usize| number >> (atoms * position) & ((1 << atoms) - 1);
            let letters: Vec<u64> = (0..length).map(letter).collect();
            all.extend((0..length).map(|loop_start| Lasso {
                letters: letters.clone(),
                loop_start,
            }));
        }
    }
    all
}

/// The automaton that accepts what both do.
pub fn intersection(one: &Automaton, other: &Automaton) -> Automaton {
    let first = (one.initial, other.initial);
    let mut numbers = HashMap::from([(first, 0)]);
    let mut states = vec![first];
    let mut edges = Vec::new();
    while let Some(&(left, right)) = states.get(edges.len()) {
        let mut leaving = Vec::new();
        for mine in &one.edges[left as usize] {
            for its in &other.edges[right as usize] {
                let Some(label) = mine.label.and(its.label) else {
                    continue;
                };
                let target = *numbers.entry((mine.target, its.target)).or_insert_with_key(|&next| {
                    states.push(next);
                    states.len() as u32 - 1
                });
                leaving.push(Edge {
                    label,
                    pending: mine.pending | its.pending << one.conditions,
                    target,
                });
            }
        }
        edges.push(leaving);
    }
    Automaton {
        initial: 0,
        conditions: one.conditions + other.conditions,
        edges,
    }
}

/// A formula over `p0`, `p1` and so on, for messages and for other tools.
pub fn show(formula: &Formula) -> String {
    let names: Vec<String> = (0..8).map(|number| format!("p{number}")).collect();
    let atoms = ltl::parse(&names.join(" && ")).expect("a formula").atoms;
    formula.show(&atoms).to_string()
}
