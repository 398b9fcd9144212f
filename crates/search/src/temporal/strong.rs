//! Strong fairness within a component: a thread that can move again and again, moves again and again.
//!
//! A part of a component is fair if each thread that can move somewhere in it does move in it. A thread that never moves in the component must not
//! be able to anywhere on the loop, so states where it can are taken away; what is left falls apart into smaller components, which are looked at
//! in the same way (E. A. Emerson and C.-L. Lei, Modalities for Model Checking, 1987).

use kernel::ThreadId;
use ltl::components;
use std::collections::{HashMap, HashSet};
use store::StateId;

/// A step within a component.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub from: StateId,
    pub to: StateId,
    /// The conditions of the automaton that it does not meet.
    pub pending: u64,
    pub mover: Option<ThreadId>,
}

/// The part of a component that a fair and accepting loop may go through, and the threads that must move in it, if there is one. `can_move` has the
/// threads that can move in each state, as sets.
pub(super) fn fair_part(
    states: Vec<StateId>,
    edges: &[Edge],
    can_move: &HashMap<StateId, u128>,
    condition: impl Fn(ThreadId) -> u128,
) -> Option<(HashSet<StateId>, u128)> {
    let mut parts = vec![states];
    while let Some(states) = parts.pop() {
        let numbers: HashMap<StateId, usize> = states.iter().copied().zip(0..).collect();
        let mut targets = vec![Vec::new(); states.len()];
        let inner: Vec<(usize, usize, &Edge)> = edges
            .iter()
            .filter_map(|edge| Some((*numbers.get(&edge.from)?, *numbers.get(&edge.to)?, edge)))
            .collect();
        for &(from, to, _) in &inner {
            targets[from].push(to);
        }
        let found = components(states.len(), 0..states.len(), |state| targets[state].iter().copied());
        // For each component what no step within it meets, who moves, and who can.
        let mut seen = vec![(None, 0, 0); found.count];
        for (from, _, edge) in inner.into_iter().filter(|&(from, to, _)| found.together(from, to)) {
            let (pending, moved, _) = &mut seen[found.of[from].unwrap_or_default()];
            *pending = Some(pending.unwrap_or(u64::MAX) & edge.pending);
            *moved |= edge.mover.map_or(0, &condition);
        }
        let mut members = vec![Vec::new(); found.count];
        for (state, id) in states.iter().enumerate() {
            let number = found.of[state].unwrap_or_default();
            seen[number].2 |= can_move[id];
            members[number].push(*id);
        }
        for ((pending, moved, able), mut members) in seen.into_iter().zip(members) {
            let put_off = able & !moved;
            match pending {
                Some(0) if put_off == 0 => return Some((members.into_iter().collect(), able)),
                Some(0) => {
                    members.retain(|id| can_move[id] & put_off == 0);
                    parts.push(members);
                }
                // Fewer steps meet no more conditions.
                _ => {}
            }
        }
    }
    None
}
