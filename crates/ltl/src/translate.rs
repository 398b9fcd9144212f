//! From formulas to automata.
//!
//! A state is a set of formulas, all of which must hold of what is still to be read. Each formula is unfolded into what must hold now and
//! what remains to hold from the next letter on: `a U b` is `b || a && X (a U b)`. An edge that takes the second part puts the until off. A
//! run is accepting if it puts no until off for ever.
//!
//! SOUNDNESS: an until that is put off is in the next state, where it is unfolded again. So if it is not put off there, it is fulfilled there.
//! If it never is, it is put off on every edge from then on, and the run is not accepting. Conversely, a word of which all formulas hold has a
//! run that fulfils each until at the first opportunity, and so puts none off for ever.
//!
//! This is the tableau of J.-M. Couvreur, On-the-Fly Verification of Linear Temporal Logic, FM 1999, with sets in the place of decision
//! diagrams; P. Gastin and D. Oddoux, Fast LTL to Büchi Automata Translation, CAV 2001, come to much the same by alternating automata.

use crate::normal::{Forest, Id, Node};
use crate::{Automaton, Edge, Formula, Label, TooLarge};
use std::collections::HashMap;

/// How many states an automaton may have before it is made smaller, and how many ways there may be to unfold a formula.
const MOST_STATES: usize = 4096;
const MOST_TERMS: usize = 4096;

/// How many untils there may be: sets of them are words.
const MOST_UNTILS: usize = 64;

/// One way for formulas to hold.
#[derive(Clone, PartialEq, Eq)]
struct Term {
    /// What must hold now.
    label: Label,
    /// The untils that are put off.
    pending: u64,
    /// What must hold from the next letter on, in order.
    next: Vec<Id>,
}

impl Term {
    const TRUE: Term = Term {
        label: Label {
            positive: 0,
            negative: 0,
        },
        pending: 0,
        next: Vec::new(),
    };

    fn and(&self, other: &Term) -> Option<Term> {
        let mut next = [&self.next[..], &other.next[..]].concat();
        next.sort();
        next.dedup();
        Some(Term {
            label: self.label.and(other.label)?,
            pending: self.pending | other.pending,
            next,
        })
    }

    /// Whether it demands nothing that the other one does not.
    fn covers(&self, other: &Term) -> bool {
        self.label.covers(other.label)
            && self.pending & !other.pending == 0
            && self
                .next
                .iter()
                .all(|formula| other.next.binary_search(formula).is_ok())
    }
}

/// The formula, rewritten: it means the same.
pub fn simplify(formula: &Formula) -> Formula {
    let mut forest = Forest::new();
    let id = forest.make(formula);
    forest.formula(id)
}

/// The automaton that accepts just the words of which a formula holds.
pub fn translate(formula: &Formula) -> Result<Automaton, TooLarge> {
    let mut forest = Forest::new();
    let id = forest.make(formula);
    Ok(tableau(forest, id)?.reduced())
}

/// The automaton as it is unfolded.
fn tableau(forest: Forest, formula: Id) -> Result<Automaton, TooLarge> {
    let mut unfolding = Unfolding {
        forest,
        untils: Vec::new(),
        terms: HashMap::new(),
    };
    let first = unfolding.conjuncts(formula);
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let mut states = vec![first];
    let mut edges = Vec::new();
    while let Some(state) = states.get(edges.len()).cloned() {
        let mut terms = vec![Term::TRUE];
        for formula in state {
            terms = both(&terms, &unfolding.unfold(formula)?)?;
        }
        let mut leaving = Vec::new();
        for term in terms {
            let target = *numbers.entry(term.next).or_insert_with_key(|next| {
                states.push(next.clone());
                states.len() as u32 - 1
            });
            leaving.push(Edge {
                label: term.label,
                pending: term.pending,
                target,
            });
        }
        edges.push(leaving);
        if states.len() > MOST_STATES {
            return Err(TooLarge);
        }
    }
    Ok(Automaton {
        initial: 0,
        conditions: unfolding.untils.len() as u32,
        edges,
    })
}

struct Unfolding {
    forest: Forest,
    /// The untils, by the numbers of their conditions.
    untils: Vec<Id>,
    terms: HashMap<Id, Vec<Term>>,
}

impl Unfolding {
    /// The formulas of which one is a conjunction.
    fn conjuncts(&self, formula: Id) -> Vec<Id> {
        match self.forest.node(formula) {
            Node::True => Vec::new(),
            Node::And(parts) => parts.clone(),
            _ => vec![formula],
        }
    }

    /// Later the formula, and now no more.
    fn later(&self, formula: Id) -> Term {
        Term {
            next: self.conjuncts(formula),
            ..Term::TRUE
        }
    }

    /// The ways for a formula to hold.
    fn unfold(&mut self, formula: Id) -> Result<Vec<Term>, TooLarge> {
        if let Some(known) = self.terms.get(&formula) {
            return Ok(known.clone());
        }
        let terms = match self.forest.node(formula).clone() {
            Node::True => vec![Term::TRUE],
            Node::False => Vec::new(),
            Node::Literal(atom, positive) => {
                let (yes, no) = if positive { (1 << atom, 0) } else { (0, 1 << atom) };
                vec![Term {
                    label: Label {
                        positive: yes,
                        negative: no,
                    },
                    ..Term::TRUE
                }]
            }
            Node::And(parts) => {
                let mut terms = vec![Term::TRUE];
                for part in parts {
                    terms = both(&terms, &self.unfold(part)?)?;
                }
                terms
            }
            Node::Or(parts) => {
                let mut terms = Vec::new();
                for part in parts {
                    terms.extend(self.unfold(part)?);
                }
                terms
            }
            Node::Next(Id::FALSE) => Vec::new(),
            Node::Next(inner) => vec![self.later(inner)],
            Node::Until(left, right) => {
                let off = Term {
                    pending: self.condition(formula)?,
                    ..self.later(formula)
                };
                let waiting = both(&self.unfold(left)?, &[off])?;
                [self.unfold(right)?, waiting].concat()
            }
            Node::Release(left, right) => {
                let mut released = self.unfold(left)?;
                released.push(self.later(formula));
                both(&released, &self.unfold(right)?)?
            }
        };
        let terms = fewer(terms);
        if terms.len() > MOST_TERMS {
            return Err(TooLarge);
        }
        self.terms.insert(formula, terms.clone());
        Ok(terms)
    }

    /// The condition of an until, as a set.
    fn condition(&mut self, until: Id) -> Result<u64, TooLarge> {
        let known = self.untils.iter().position(|known| *known == until);
        let position = known.unwrap_or(self.untils.len());
        if known.is_none() {
            self.untils.push(until);
        }
        match position < MOST_UNTILS {
            true => Ok(1 << position),
            false => Err(TooLarge),
        }
    }
}

/// One of the first and one of the second.
fn both(first: &[Term], second: &[Term]) -> Result<Vec<Term>, TooLarge> {
    if first.len() * second.len() > MOST_TERMS {
        return Err(TooLarge);
    }
    let pairs = first
        .iter()
        .flat_map(|one| second.iter().filter_map(|other| one.and(other)));
    Ok(fewer(pairs.collect()))
}

/// Without terms that demand no less than another one. Of equal ones, the first stays.
///
/// SOUNDNESS: a state with fewer formulas can do whatever one with more can, and puts off no more (direct simulation).
fn fewer(terms: Vec<Term>) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for term in terms {
        if kept.iter().any(|other| other.covers(&term)) {
            continue;
        }
        kept.retain(|other| !term.covers(other));
        kept.push(term);
    }
    kept
}
