//! Automata with one acceptance condition.

use crate::{Automaton, Edge};
use std::collections::HashMap;

impl Automaton {
    /// An automaton with at most one condition that accepts the same words.
    ///
    /// A state is one of the old ones and the condition that is waited for. An edge goes on past all conditions that it meets, in order;
    /// when the last one is met, the new condition is, and the first is waited for again, or the one after those that the edge meets beyond that.
    pub fn degeneralised(&self) -> Automaton {
        if self.conditions <= 1 {
            return self.clone();
        }
        let first = (self.initial, 0);
        let mut numbers = HashMap::from([(first, 0)]);
        let mut states = vec![first];
        let mut edges = Vec::new();
        while let Some(&(state, waited)) = states.get(edges.len()) {
            let mut leaving: Vec<Edge> = Vec::new();
            for edge in &self.edges[state as usize] {
                let meets = |condition: u32| edge.pending >> condition & 1 == 0;
                let beyond = |from: u32| {
                    (from..self.conditions)
                        .find(|&one| !meets(one))
                        .unwrap_or(self.conditions)
                };
                let mut level = beyond(waited);
                let is_accepting = level == self.conditions;
                if is_accepting {
                    level = beyond(0) % self.conditions;
                }
                let target = *numbers.entry((edge.target, level)).or_insert_with_key(|&next| {
                    states.push(next);
                    states.len() as u32 - 1
                });
                leaving.push(Edge {
                    target,
                    pending: u64::from(!is_accepting),
                    ..*edge
                });
            }
            edges.push(leaving);
        }
        let plain = Automaton {
            initial: 0,
            conditions: 1,
            edges,
        };
        plain.reduced()
    }
}
