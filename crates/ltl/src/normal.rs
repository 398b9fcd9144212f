//! Formulas in negation normal form, each kept once: negation at atoms only, and of the temporal operators `X`, `U` and `R`.
//!
//! Every formula is entered together with its negation. So what is a rule for `||` and `U` is one for `&&` and `R` too (`rewrite`).

use crate::{Binary, Formula, Unary};
use std::collections::HashMap;

/// A formula of a [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    pub const TRUE: Id = Id(0);
    pub const FALSE: Id = Id(1);
}

/// What a formula is made of. The parts of `And` and `Or` are in order, each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    /// An atom, or its negation if `false`.
    Literal(u32, bool),
    And(Vec<Id>),
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// Formulas, and what is known of them.
pub(crate) struct Forest {
    nodes: Vec<Node>,
    ids: HashMap<Node, Id>,
    pub implied: HashMap<(Id, Id), bool>,
}

impl Forest {
    pub fn new() -> Forest {
        let mut forest = Forest {
            nodes: Vec::new(),
            ids: HashMap::new(),
            implied: HashMap::new(),
        };
        forest.enter(Node::True, Node::False);
        forest
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The negation of a formula: its neighbour.
    pub fn not(&self, id: Id) -> Id {
        Id(id.0 ^ 1)
    }

    fn enter(&mut self, node: Node, negation: Node) -> Id {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let id = Id(self.nodes.len() as u32);
        self.ids.insert(node.clone(), id);
        self.ids.insert(negation.clone(), self.not(id));
        self.nodes.extend([node, negation]);
        id
    }

    fn all_not(&self, parts: &[Id]) -> Vec<Id> {
        let mut negated: Vec<Id> = parts.iter().map(|&part| self.not(part)).collect();
        negated.sort();
        negated
    }

    pub fn literal(&mut self, atom: u32, positive: bool) -> Id {
        self.enter(Node::Literal(atom, positive), Node::Literal(atom, !positive))
    }

    /// A disjunction as it is, of at least two parts in order.
    pub fn plain_or(&mut self, parts: Vec<Id>) -> Id {
        let negation = Node::And(self.all_not(&parts));
        self.enter(Node::Or(parts), negation)
    }

    pub fn plain_until(&mut self, left: Id, right: Id) -> Id {
        let negation = Node::Release(self.not(left), self.not(right));
        self.enter(Node::Until(left, right), negation)
    }

    pub fn plain_next(&mut self, inner: Id) -> Id {
        let negation = Node::Next(self.not(inner));
        self.enter(Node::Next(inner), negation)
    }

    /// A formula in this form.
    pub fn make(&mut self, formula: &Formula) -> Id {
        match formula {
            Formula::Constant(true) => Id::TRUE,
            Formula::Constant(false) => Id::FALSE,
            Formula::Atom(atom) => self.literal(atom.0, true),
            Formula::Unary(operator, inner) => {
                let inner = self.make(inner);
                match operator {
                    Unary::Not => self.not(inner),
                    Unary::Next => self.next(inner),
                    Unary::Always => self.release(Id::FALSE, inner),
                    Unary::Eventually => self.until(Id::TRUE, inner),
                }
            }
            Formula::Binary(operator, left, right) => {
                let (left, right) = (self.make(left), self.make(right));
                match operator {
                    Binary::And => self.and(vec![left, right]),
                    Binary::Or => self.or(vec![left, right]),
                    Binary::Implies => self.or(vec![self.not(left), right]),
                    Binary::Iff => {
                        let both = self.and(vec![left, right]);
                        let none = self.and(vec![self.not(left), self.not(right)]);
                        self.or(vec![both, none])
                    }
                    Binary::Until => self.until(left, right),
                    Binary::Release => self.release(left, right),
                    Binary::WeakUntil => {
                        let one = self.or(vec![left, right]);
                        self.release(right, one)
                    }
                    Binary::StrongRelease => {
                        let both = self.and(vec![left, right]);
                        self.until(right, both)
                    }
                }
            }
        }
    }

    /// A formula in the form in which it can be shown.
    pub fn formula(&self, id: Id) -> Formula {
        let chain = |operator: Binary, parts: &[Id]| {
            let parts = parts.iter().map(|&part| self.formula(part));
            let joined = parts.reduce(|left, right| Formula::binary(operator, left, right));
            joined.unwrap_or(Formula::Constant(operator == Binary::And))
        };
        match self.node(id) {
            Node::True => Formula::Constant(true),
            Node::False => Formula::Constant(false),
            Node::Literal(atom, true) => Formula::Atom(crate::Atom(*atom)),
            Node::Literal(atom, false) => Formula::unary(Unary::Not, Formula::Atom(crate::Atom(*atom))),
            Node::And(parts) => chain(Binary::And, parts),
            Node::Or(parts) => chain(Binary::Or, parts),
            Node::Next(inner) => Formula::unary(Unary::Next, self.formula(*inner)),
            Node::Until(Id::TRUE, right) => Formula::unary(Unary::Eventually, self.formula(*right)),
            Node::Release(Id::FALSE, right) => Formula::unary(Unary::Always, self.formula(*right)),
            Node::Until(left, right) => Formula::binary(Binary::Until, self.formula(*left), self.formula(*right)),
            Node::Release(left, right) => Formula::binary(Binary::Release, self.formula(*left), self.formula(*right)),
        }
    }
}
