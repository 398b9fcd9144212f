//! Merging by direct simulation: a state that another one can imitate, edge by edge and putting off no more, adds nothing to it.
//!
//! After F. Somenzi and R. Bloem, Efficient Büchi Automata from LTL Formulae, CAV 2000, section 4, with acceptance on edges.

use crate::{Automaton, Edge};

/// How many states may be compared with each other.
const MOST_STATES: usize = 400;

impl Automaton {
    /// A smaller automaton that accepts the same words: the best that is known here.
    pub(crate) fn reduced(&self) -> Automaton {
        let mut best = self.trimmed();
        loop {
            let next = best.merged().trimmed();
            if (next.states(), next.transitions()) >= (best.states(), best.transitions()) {
                return best;
            }
            best = next;
        }
    }

    /// Whether one state can imitate another one: `[one][another]`. The greatest such relation.
    fn simulation(&self) -> Vec<Vec<bool>> {
        let count = self.states();
        let mut imitates = vec![vec![true; count]; count];
        let mut changed = true;
        while changed {
            changed = false;
            for one in 0..count {
                for other in 0..count {
                    let covers = |edge: &Edge| {
                        let mut edges = self.edges[one].iter();
                        edges.any(|mine| mine.covers(edge, |mine, its| imitates[mine as usize][its as usize]))
                    };
                    if imitates[one][other] && !self.edges[other].iter().all(covers) {
                        imitates[one][other] = false;
                        changed = true;
                    }
                }
            }
        }
        imitates
    }

    /// States that imitate each other become one, and of two edges of a state of which one covers the other, that one stays.
    ///
    /// SOUNDNESS: direct simulation implies inclusion of languages, and merging states that simulate each other preserves the simulation. An
    /// edge that is left out is covered by one that stays: among merged states, covering is a partial order, and there are finitely many edges.
    fn merged(&self) -> Automaton {
        if self.states() > MOST_STATES {
            return self.clone();
        }
        let imitates = self.simulation();
        let same = |one: usize, other: usize| imitates[one][other] && imitates[other][one];
        let of = |state: usize| (0..=state).find(|&first| same(first, state)).unwrap_or(state);
        let mut merged = self.clone();
        merged.initial = of(self.initial as usize) as u32;
        for edges in &mut merged.edges {
            for edge in edges.iter_mut() {
                edge.target = of(edge.target as usize) as u32;
            }
            let mut kept: Vec<Edge> = Vec::new();
            let covers = |one: &Edge, other: &Edge| {
                one.covers(other, |target, its_target| {
                    imitates[target as usize][its_target as usize]
                })
            };
            for edge in edges.drain(..) {
                if !kept.iter().any(|other| covers(other, &edge)) {
                    kept.retain(|other| !covers(&edge, other));
                    kept.push(edge);
                }
            }
            *edges = kept;
        }
        merged
    }
}
