//! Implications that can be seen from how formulas are built.
//!
//! After F. Somenzi and R. Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000, section 2.

use crate::normal::{Forest, Id, Node};

impl Forest {
    /// Whether it is known that the right one holds wherever the left one does. Each question is answered by those about smaller parts.
    pub fn implies(&mut self, left: Id, right: Id) -> bool {
        if left == right || left == Id::FALSE || right == Id::TRUE {
            return true;
        }
        if left == Id::TRUE || right == Id::FALSE {
            return false;
        }
        if let Some(&known) = self.implied.get(&(left, right)) {
            return known;
        }
        let holds = self.follows(left, right);
        self.implied.insert((left, right), holds);
        holds
    }

    fn follows(&mut self, left: Id, right: Id) -> bool {
        let (from, to) = (self.node(left).clone(), self.node(right).clone());
        match (&from, &to) {
            (Node::Or(parts), _) => return parts.iter().all(|&part| self.implies(part, right)),
            (_, Node::And(parts)) => return parts.iter().all(|&part| self.implies(left, part)),
            _ => {}
        }
        let by_parts = match (&from, &to) {
            (Node::Next(one), Node::Next(other)) => self.implies(*one, *other),
            (Node::Until(a, b), Node::Until(c, d)) | (Node::Release(a, b), Node::Release(c, d)) => {
                self.implies(*a, *c) && self.implies(*b, *d)
            }
            _ => false,
        };
        by_parts || self.follows_from(&from, left, right) || self.leads_to(&to, left)
    }

    /// Whether what the left one says of now or later is enough.
    fn follows_from(&mut self, from: &Node, left: Id, right: Id) -> bool {
        match (from, self.node(right).clone()) {
            (Node::And(parts), _) => parts.iter().any(|&part| self.implies(part, right)),
            // What holds then makes the right one hold earlier.
            (Node::Until(_, last), Node::Until(Id::TRUE, _)) if self.implies(*last, right) => true,
            (Node::Until(first, last), _) => self.implies(*first, right) && self.implies(*last, right),
            // It goes on holding, and what it implies with it.
            (Node::Release(Id::FALSE, _), Node::Release(_, last)) if self.implies(left, last) => true,
            (Node::Release(_, last), _) => self.implies(*last, right),
            _ => false,
        }
    }

    /// Whether the left one is enough for the right one to hold now.
    fn leads_to(&mut self, to: &Node, left: Id) -> bool {
        match to {
            Node::Or(parts) => parts.iter().any(|&part| self.implies(left, part)),
            Node::Until(_, last) => self.implies(left, *last),
            Node::Release(first, last) => self.implies(left, *first) && self.implies(left, *last),
            _ => false,
        }
    }
}
