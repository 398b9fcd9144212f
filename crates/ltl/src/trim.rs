//! Automata without what no accepting run needs: states, and acceptance conditions.

use crate::Automaton;
use crate::components::{Components, components};

impl Automaton {
    fn components(&self) -> Components {
        components(self.states(), [self.initial as usize], |state| self.targets(state))
    }

    /// For each component whether a run may stay there and be accepting: it has an edge, and no condition is put off by all of them.
    fn accepting(&self, components: &Components) -> Vec<bool> {
        let mut pending = vec![None; components.count];
        for (state, edges) in self.edges.iter().enumerate() {
            let Some(number) = components.of[state] else {
                continue;
            };
            for edge in edges {
                if components.together(state, edge.target as usize) {
                    let before = pending[number].unwrap_or(u64::MAX);
                    pending[number] = Some(before & edge.pending);
                }
            }
        }
        pending.into_iter().map(|pending| pending == Some(0)).collect()
    }

    /// Whether it accepts nothing.
    pub fn is_empty(&self) -> bool {
        let components = self.components();
        !self.accepting(&components).contains(&true)
    }

    /// Without states that are not reached or from which no run is accepting, and with conditions only where they matter.
    pub(crate) fn trimmed(&self) -> Automaton {
        let components = self.components();
        let accepting = self.accepting(&components);
        // Components are numbered from the ends, so what comes after a component is known before it.
        let mut is_useful = accepting.clone();
        let mut by_number: Vec<Vec<usize>> = vec![Vec::new(); components.count];
        for state in 0..self.states() {
            if let Some(number) = components.of[state] {
                by_number[number].push(state);
            }
        }
        for (number, states) in by_number.iter().enumerate() {
            let mut targets = states.iter().flat_map(|&state| self.targets(state));
            let leads_on = targets.any(|target| components.of[target].is_some_and(|target| is_useful[target]));
            is_useful[number] |= leads_on;
        }
        let useful = |state: usize| components.of[state].is_some_and(|number| is_useful[number]);
        if !useful(self.initial as usize) {
            return Automaton::nothing();
        }
        let mut trimmed = self.clone();
        // What is not in an accepting component is passed, at most, finitely often: it may put off what it likes.
        for (state, edges) in trimmed.edges.iter_mut().enumerate() {
            for edge in edges {
                let stays = components.together(state, edge.target as usize);
                if !stays || components.of[state].is_some_and(|number| !accepting[number]) {
                    edge.pending = if stays { self.all_conditions() } else { 0 };
                }
            }
        }
        let is_kept: Vec<bool> = (0..self.states()).map(useful).collect();
        trimmed.restricted(&is_kept).with_few_conditions()
    }

    /// Without conditions that are met whenever another one is, within components.
    fn with_few_conditions(mut self) -> Automaton {
        let components = self.components();
        let mut inner = Vec::new();
        for (state, edges) in self.edges.iter().enumerate() {
            let stays = edges
                .iter()
                .filter(|edge| components.together(state, edge.target as usize));
            inner.extend(stays.map(|edge| edge.pending));
        }
        let has = |set: u64, condition: u32| set >> condition & 1 == 1;
        let mut kept: Vec<u32> = (0..self.conditions).collect();
        for one in 0..self.conditions {
            let never = !inner.iter().any(|&set| has(set, one));
            let follows = |&other: &u32| other != one && inner.iter().all(|&set| !has(set, one) || has(set, other));
            if never || kept.iter().any(follows) {
                kept.retain(|&condition| condition != one);
            }
        }
        for edge in self.edges.iter_mut().flatten() {
            let bits = kept.iter().enumerate();
            edge.pending = bits.fold(0, |set, (bit, &condition)| set | (edge.pending >> condition & 1) << bit);
        }
        self.conditions = kept.len() as u32;
        self
    }
}
