//! Formulas that mean the same and are smaller.
//!
//! After F. Somenzi and R. Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000, and K. Etessami and G. J. Holzmann, Optimizing Büchi
//! Automata, CONCUR 2000. A rule stands here for `||` and `U`; by negation it is one for `&&` and `R`.

use crate::normal::{Forest, Id, Node};

impl Forest {
    /// All of them.
    pub fn and(&mut self, parts: Vec<Id>) -> Id {
        let negated = parts.iter().map(|&part| self.not(part)).collect();
        let negation = self.or(negated);
        self.not(negation)
    }

    pub fn release(&mut self, left: Id, right: Id) -> Id {
        let negation = self.until(self.not(left), self.not(right));
        self.not(negation)
    }

    /// One of them.
    pub fn or(&mut self, parts: Vec<Id>) -> Id {
        let mut parts = self.flat(parts);
        loop {
            parts.sort();
            parts.dedup();
            parts.retain(|&part| part != Id::FALSE);
            let is_true = |&part: &Id| part == Id::TRUE || parts.contains(&self.not(part));
            if parts.iter().any(is_true) {
                return Id::TRUE;
            }
            if let Some(position) = self.implied_part(&parts) {
                parts.remove(position);
            } else if let Some((one, other, merged)) = self.merged_parts(&parts) {
                parts.remove(other);
                parts.remove(one);
                parts.push(merged);
                parts = self.flat(parts);
            } else {
                break;
            }
        }
        match parts[..] {
            [] => Id::FALSE,
            [only] => only,
            _ => self.plain_or(parts),
        }
    }

    /// The parts, and those of disjunctions among them instead.
    fn flat(&self, parts: Vec<Id>) -> Vec<Id> {
        let inner = |part: Id| match self.node(part) {
            Node::Or(inner) => inner.clone(),
            _ => vec![part],
        };
        parts.into_iter().flat_map(inner).collect()
    }

    /// A part that another one makes superfluous. Of two that imply each other, one stays.
    fn implied_part(&mut self, parts: &[Id]) -> Option<usize> {
        let others = |one: usize| (0..parts.len()).filter(move |&other| other != one);
        (0..parts.len()).find(|&one| others(one).any(|other| self.implies(parts[one], parts[other])))
    }

    /// Two parts that are one: `(a U b) || (a U c)`, `(a R c) || (b R c)`, `G F a || G F b`.
    fn merged_parts(&mut self, parts: &[Id]) -> Option<(usize, usize, Id)> {
        for (one, &left) in parts.iter().enumerate() {
            for (other, &right) in parts.iter().enumerate().skip(one + 1) {
                let merged = match (self.node(left).clone(), self.node(right).clone()) {
                    (Node::Until(a, b), Node::Until(x, c)) if a == x => {
                        let either = self.or(vec![b, c]);
                        self.until(a, either)
                    }
                    (Node::Release(a, c), Node::Release(b, x)) if c == x => {
                        let either = self.or(vec![a, b]);
                        self.release(either, c)
                    }
                    (Node::Release(Id::FALSE, a), Node::Release(Id::FALSE, b)) => {
                        let (&Node::Until(Id::TRUE, a), &Node::Until(Id::TRUE, b)) = (self.node(a), self.node(b))
                        else {
                            continue;
                        };
                        let either = self.or(vec![a, b]);
                        let eventually = self.until(Id::TRUE, either);
                        self.release(Id::FALSE, eventually)
                    }
                    _ => continue,
                };
                return Some((one, other, merged));
            }
        }
        None
    }

    /// The right one will hold, and the left one until then.
    pub fn until(&mut self, left: Id, right: Id) -> Id {
        // Either there is nothing to wait for, or the right one holds earlier if it holds later.
        if left == Id::FALSE || [Id::TRUE, Id::FALSE].contains(&right) || self.implies(left, right) {
            return right;
        }
        if self.is_eventuality(right) {
            return right;
        }
        // The left one holds wherever the right one does not.
        if left != Id::TRUE && self.implies(self.not(right), left) {
            return self.until(Id::TRUE, right);
        }
        match self.node(right).clone() {
            // a U (b U c) is b U c if a implies b.
            Node::Until(inner, _) if self.implies(left, inner) => return right,
            // F (b U c) is F c.
            Node::Until(_, last) if left == Id::TRUE => return self.until(left, last),
            // F (a && b) is F a && b if it does not matter when b is asked.
            Node::And(parts) if left == Id::TRUE => {
                let (whenever, now): (Vec<Id>, Vec<Id>) =
                    parts.into_iter().partition(|&part| self.is_suspendable(part));
                if !whenever.is_empty() {
                    let now = self.and(now);
                    let eventually = self.until(left, now);
                    return self.and([whenever, vec![eventually]].concat());
                }
            }
            _ => {}
        }
        match *self.node(left) {
            // (a U b) U b is a U b.
            Node::Until(_, last) if last == right => left,
            _ => self.plain_until(left, right),
        }
    }

    /// It holds in the next state.
    pub fn next(&mut self, inner: Id) -> Id {
        match inner == Id::TRUE || inner == Id::FALSE || self.is_suspendable(inner) {
            true => inner,
            false => self.plain_next(inner),
        }
    }

    /// Whether it holds earlier if it holds later.
    fn is_eventuality(&self, id: Id) -> bool {
        match self.node(id) {
            Node::True | Node::False => true,
            Node::Literal(..) => false,
            Node::And(parts) | Node::Or(parts) => parts.iter().all(|&part| self.is_eventuality(part)),
            Node::Next(inner) => self.is_eventuality(*inner),
            Node::Until(left, right) => *left == Id::TRUE || self.is_eventuality(*right),
            Node::Release(left, right) => self.is_eventuality(*left) && self.is_eventuality(*right),
        }
    }

    /// Whether it holds later if it holds earlier, and the other way round.
    fn is_suspendable(&self, id: Id) -> bool {
        self.is_eventuality(id) && self.is_eventuality(self.not(id))
    }
}
