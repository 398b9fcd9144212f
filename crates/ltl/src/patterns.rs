//! Specification patterns as templates: what people mean most of the time, within a scope.
//!
//! After M. B. Dwyer, G. S. Avrunin and J. C. Corbett, Patterns in Property Specifications for Finite-State Verification, ICSE 1999.
//! `response(p, s, between(q, r))`: between `q` and `r`, each `p` is followed by an `s`.

use crate::{Binary, Formula, Unary};

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `absence(p)`: never `p`.
    Absence,
    /// `existence(p)`: at some time `p`.
    Existence,
    /// `universality(p)`: always `p`.
    Universality,
    /// `precedence(s, p)`: no `p` before the first `s`.
    Precedence,
    /// `response(p, s)`: after each `p` an `s`.
    Response,
}

/// For which part of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Up to the first `r`, if there is one.
    Before,
    /// From the first `q` on.
    After,
    /// From each `q` to the next `r`, if there is one.
    Between,
    /// The same, whether or not there is one.
    AfterUntil,
}

fn not(inner: &Formula) -> Formula {
    inner.negated()
}

fn always(inner: Formula) -> Formula {
    Formula::unary(Unary::Always, inner)
}

fn eventually(inner: &Formula) -> Formula {
    Formula::unary(Unary::Eventually, inner.clone())
}

fn both(left: &Formula, right: Formula) -> Formula {
    Formula::binary(Binary::And, left.clone(), right)
}

fn either(left: &Formula, right: &Formula) -> Formula {
    Formula::binary(Binary::Or, left.clone(), right.clone())
}

fn implies(left: Formula, right: Formula) -> Formula {
    Formula::binary(Binary::Implies, left, right)
}

impl Pattern {
    pub fn named(word: &str) -> Option<Pattern> {
        Some(match word {
            "absence" => Pattern::Absence,
            "existence" => Pattern::Existence,
            "universality" => Pattern::Universality,
            "precedence" => Pattern::Precedence,
            "response" => Pattern::Response,
            _ => return None,
        })
    }

    pub fn scope(word: &str) -> Option<Scope> {
        Some(match word {
            "before" => Scope::Before,
            "after" => Scope::After,
            "between" => Scope::Between,
            "after_until" => Scope::AfterUntil,
            _ => return None,
        })
    }

    /// How many formulas it is about, besides those of its scope.
    pub fn operands(self) -> usize {
        match self {
            Pattern::Absence | Pattern::Existence | Pattern::Universality => 1,
            Pattern::Precedence | Pattern::Response => 2,
        }
    }

    /// What it says of a whole execution.
    fn everywhere(self, operands: &[Formula]) -> Formula {
        match (self, operands) {
            (Pattern::Absence, [p, ..]) => always(not(p)),
            (Pattern::Existence, [p, ..]) => eventually(p),
            (Pattern::Universality, [p, ..]) => always(p.clone()),
            (Pattern::Precedence, [s, p, ..]) => Formula::binary(Binary::WeakUntil, not(p), s.clone()),
            (Pattern::Response, [p, s, ..]) => always(implies(p.clone(), eventually(s))),
            _ => Formula::Constant(true),
        }
    }

    /// What it says from now up to the next `r`, with the operator that says whether there is one.
    fn up_to(self, operands: &[Formula], r: &Formula, until: Binary) -> Formula {
        let within = |inner: Formula| Formula::binary(until, inner, r.clone());
        match (self, operands) {
            (Pattern::Absence, [p, ..]) => within(not(p)),
            (Pattern::Universality, [p, ..]) => within(p.clone()),
            (Pattern::Existence, [p, ..]) => {
                // Where an `r` must not come without a `p`, and where it must be shown that a `p` comes.
                let operator = match until {
                    Binary::Until => Binary::WeakUntil,
                    _ => Binary::Until,
                };
                Formula::binary(operator, not(r), both(p, not(r)))
            }
            (Pattern::Precedence, [s, p, ..]) => Formula::binary(until, not(p), either(s, r)),
            (Pattern::Response, [p, s, ..]) => {
                let answered = Formula::binary(Binary::Until, not(r), both(s, not(r)));
                within(implies(p.clone(), answered))
            }
            _ => Formula::Constant(true),
        }
    }

    /// The formula that it stands for.
    pub fn formula(self, operands: Vec<Formula>, scope: Option<Scope>, bounds: Vec<Formula>) -> Formula {
        match (scope, &bounds[..]) {
            (Some(Scope::Before), [r, ..]) => implies(eventually(r), self.up_to(&operands, r, Binary::Until)),
            (Some(Scope::After), [q, ..]) => {
                // It matters from the first `q` on. What is said of a whole execution and holds there holds from any later `q` on, but
                // for what has happened by then.
                let first = both(q, self.everywhere(&operands));
                Formula::binary(Binary::WeakUntil, not(q), first)
            }
            (Some(Scope::Between), [q, r, ..]) => {
                let inside = both(q, both(&not(r), eventually(r)));
                always(implies(inside, self.up_to(&operands, r, Binary::Until)))
            }
            (Some(Scope::AfterUntil), [q, r, ..]) => {
                let inside = both(q, not(r));
                always(implies(inside, self.up_to(&operands, r, Binary::WeakUntil)))
            }
            _ => self.everywhere(&operands),
        }
    }
}

impl Scope {
    /// How many formulas bound it.
    pub fn bounds(self) -> usize {
        match self {
            Scope::Before | Scope::After => 1,
            Scope::Between | Scope::AfterUntil => 2,
        }
    }
}
