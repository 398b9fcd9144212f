//! Alias sets (Dwyer et al., appendix A; Ruf): classes of references that may be equal, merged by unification, with an edge
//! for each field.
//!
//! Of the papers' attributes one is left: whether the objects of a set may be reached by another thread or by code that is
//! not looked into, and why. Everything that such a set leads to is so too, so it needs no edges of its own and leads to
//! itself.

use program::world::{ClassId, MethodId};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// What leads from one set to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Edge {
    /// A field, by the class that declares it and its offset.
    Field(ClassId, u32),
    /// The elements of an array.
    Element,
    /// A value that a lambda has captured, by its position.
    Captured(u32),
    /// What a thread was made with.
    Kept,
    /// Argument of a method that may be called on an object whose class is not known. It counts only if the object comes
    /// from outside: then so does whatever is passed to it.
    Passed(MethodId, u32),
    /// The result of such a call.
    Returned(MethodId),
}

/// Why a set is shared: a number of a reason. 0 is for sets that are not.
pub(crate) type Cause = u32;

/// All sets.
#[derive(Default)]
pub(crate) struct Sets {
    parents: Vec<u32>,
    edges: Vec<Vec<(Edge, u32)>>,
    causes: Vec<Cause>,
}

/// The sets that a method's callers can see, cut out to be used again: the method's context.
#[derive(Default)]
pub(crate) struct Context {
    nodes: Vec<(Cause, Vec<(Edge, u32)>)>,
    /// Parameters, result, exception.
    pub roots: Vec<u32>,
}

/// Sets that a context may have; deeper ones are merged with what leads to them.
const MOST_NODES: usize = 120;

impl Sets {
    /// A new set.
    pub fn fresh(&mut self) -> u32 {
        let id = self.parents.len() as u32;
        self.parents.push(id);
        self.edges.push(Vec::new());
        self.causes.push(0);
        id
    }

    /// How many sets were ever made.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The set that stands for a merged one.
    pub fn find(&mut self, mut id: u32) -> u32 {
        while self.parents[id as usize] != id {
            let above = self.parents[self.parents[id as usize] as usize];
            self.parents[id as usize] = above;
            id = above;
        }
        id
    }

    /// Why a set is shared, or 0.
    pub fn cause(&mut self, id: u32) -> Cause {
        let id = self.find(id);
        self.causes[id as usize]
    }

    /// What an edge leads to; it is made if it is not there.
    pub fn follow(&mut self, id: u32, edge: Edge) -> u32 {
        let id = self.find(id);
        if self.causes[id as usize] != 0 {
            return id;
        }
        match self.edges[id as usize].binary_search_by_key(&edge, |entry| entry.0) {
            Ok(position) => self.edges[id as usize][position].1,
            Err(position) => {
                let to = self.fresh();
                self.edges[id as usize].insert(position, (edge, to));
                to
            }
        }
    }

    /// Marks a set, and all that it leads to, as shared. The first cause stays.
    pub fn share(&mut self, id: u32, cause: Cause) {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            let id = self.find(id) as usize;
            if self.causes[id] == 0 {
                self.causes[id] = cause;
                todo.extend(std::mem::take(&mut self.edges[id]).into_iter().map(|(_, to)| to));
            }
        }
    }

    /// Merges two sets, and what the same edges of both lead to.
    pub fn unify(&mut self, a: u32, b: u32) {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            let (mut a, mut b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            match (self.causes[a as usize], self.causes[b as usize]) {
                (0, cause) if cause != 0 => self.share(a, cause),
                (cause, 0) if cause != 0 => self.share(b, cause),
                _ => {}
            }
            (a, b) = (self.find(a), self.find(b));
            if self.edges[a as usize].len() < self.edges[b as usize].len() {
                (a, b) = (b, a);
            }
            self.parents[b as usize] = a;
            for (edge, to) in std::mem::take(&mut self.edges[b as usize]) {
                let edges = &mut self.edges[a as usize];
                match edges.binary_search_by_key(&edge, |entry| entry.0) {
                    Ok(position) => todo.push((edges[position].1, to)),
                    Err(position) => edges.insert(position, (edge, to)),
                }
            }
        }
    }

    /// Cuts out what these sets lead to.
    pub fn cut(&mut self, roots: &[u32]) -> Context {
        loop {
            let mut order: Vec<u32> = Vec::new();
            let mut parents: Vec<u32> = Vec::new();
            let mut numbers = HashMap::new();
            for &root in roots {
                let root = self.find(root);
                if let Entry::Vacant(free) = numbers.entry(root) {
                    free.insert(order.len() as u32);
                    order.push(root);
                    parents.push(root);
                }
            }
            let first = order.len();
            let mut at = 0;
            while at < order.len() {
                let id = order[at];
                for position in 0..self.edges[id as usize].len() {
                    let to = self.edges[id as usize][position].1;
                    let to = self.find(to);
                    if let Entry::Vacant(free) = numbers.entry(to) {
                        free.insert(order.len() as u32);
                        order.push(to);
                        parents.push(id);
                    }
                }
                at += 1;
            }
            let most = MOST_NODES.max(first);
            if order.len() > most {
                // SOUNDNESS: merging only makes sets larger, and it is done to the method's own sets, so that they and
                // all copies keep the same shape.
                for at in most..order.len() {
                    self.unify(order[at], parents[at]);
                }
                continue;
            }
            let nodes = order
                .iter()
                .map(|&id| {
                    let edges = self.edges[id as usize].clone();
                    let edges = edges.into_iter().map(|(edge, to)| (edge, numbers[&self.find(to)]));
                    let edges: Vec<_> = edges.collect();
                    (self.causes[id as usize], edges)
                })
                .collect();
            let roots = roots.iter().map(|&root| numbers[&self.find(root)]).collect();
            return Context { nodes, roots };
        }
    }

    /// Makes the sets of a context anew; `rename` says what a cause is called here. Gives the roots.
    pub fn paste(&mut self, context: &Context, mut rename: impl FnMut(Cause) -> Cause) -> Vec<u32> {
        let base = self.len() as u32;
        for (position, (cause, edges)) in (0..).zip(&context.nodes) {
            self.parents.push(base + position);
            self.edges
                .push(edges.iter().map(|&(edge, to)| (edge, base + to)).collect());
            self.causes.push(if *cause == 0 { 0 } else { rename(*cause) });
        }
        context.roots.iter().map(|&root| base + root).collect()
    }

    /// Carries what is shared over from a caller's sets to those of a callee: wherever the same edges lead from `from`
    /// and `to`.
    pub fn carry(&mut self, from: u32, to: u32, seen: &mut HashSet<(u32, u32)>) {
        let mut todo = vec![(from, to)];
        while let Some((from, to)) = todo.pop() {
            let (from, to) = (self.find(from), self.find(to));
            if !seen.insert((from, to)) || self.causes[to as usize] != 0 {
                continue;
            }
            let cause = self.causes[from as usize];
            if cause != 0 {
                self.share(to, cause);
                continue;
            }
            let edges = &self.edges[from as usize];
            for &(edge, inner) in &self.edges[to as usize] {
                if let Ok(position) = edges.binary_search_by_key(&edge, |entry| entry.0) {
                    todo.push((edges[position].1, inner));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shared_set_leads_to_is_shared_in_whatever_order() {
        let mut sets = Sets::default();
        let (a, b, c) = (sets.fresh(), sets.fresh(), sets.fresh());
        let of_a = sets.follow(a, Edge::Element);
        sets.unify(of_a, b);
        sets.share(a, 7);
        assert_eq!(sets.cause(b), 7);
        let of_b = sets.follow(b, Edge::Kept);
        sets.unify(of_b, c);
        assert_eq!(sets.cause(c), 7);
    }

    #[test]
    fn unifying_follows_common_edges() {
        let mut sets = Sets::default();
        let (a, b) = (sets.fresh(), sets.fresh());
        let (of_a, of_b) = (sets.follow(a, Edge::Element), sets.follow(b, Edge::Element));
        sets.unify(a, b);
        assert_eq!(sets.find(of_a), sets.find(of_b));
        let own = sets.follow(a, Edge::Element);
        sets.unify(own, a);
        assert_eq!(sets.find(of_b), sets.find(b));
    }

    #[test]
    fn a_context_keeps_its_shape_and_its_copies_are_apart() {
        let mut sets = Sets::default();
        let (list, item) = (sets.fresh(), sets.fresh());
        let element = sets.follow(list, Edge::Element);
        sets.unify(element, item);
        let context = sets.cut(&[list, item]);
        let (one, two) = (sets.paste(&context, |cause| cause), sets.paste(&context, |cause| cause));
        sets.share(one[0], 3);
        assert_eq!([sets.cause(one[1]), sets.cause(two[1]), sets.cause(item)], [3, 0, 0]);
        sets.carry(one[0], list, &mut Default::default());
        assert_eq!(sets.cause(item), 3);
    }

    #[test]
    fn a_deep_context_is_cut_short_by_merging() {
        let mut sets = Sets::default();
        let root = sets.fresh();
        let mut at = root;
        for depth in 0..1000 {
            at = sets.follow(at, Edge::Captured(depth));
        }
        let context = sets.cut(&[root]);
        assert!(context.nodes.len() <= MOST_NODES);
        sets.share(root, 1);
        assert_eq!(sets.cause(at), 1);
    }
}
