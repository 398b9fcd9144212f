//! The plain reference: the whole graph, the whole product, its components.

use kernel::{End, Propositions, StateVector, System, Transitions};
use ltl::{Automaton, components};
use model::{Model, Proposition};
use search::temporal::Fairness;
use std::collections::{BTreeSet, HashMap};

/// A state of the graph.
pub struct Node {
    pub letter: u64,
    /// The threads that can move, but for those that nobody can count on.
    pub forced: BTreeSet<u32>,
    /// Who moves, and where to; nobody if the state stays.
    pub steps: Vec<(Option<u32>, usize)>,
}

pub fn words<S: System>(model: &S, state: &mut S::State) -> Vec<u32> {
    let mut vector = StateVector::default();
    model.encode(state, &mut vector);
    vector.words()
}

/// Who can move, and the steps; `None` for a step by which the state stays.
pub fn steps(model: &Model, state: &mut model::State) -> (BTreeSet<u32>, Vec<Option<model::Action>>) {
    let mut transitions = Transitions::default();
    model.transitions(state, &mut transitions);
    match transitions.end {
        End::Over => return (BTreeSet::new(), vec![None]),
        End::Ignored => return (BTreeSet::new(), Vec::new()),
        End::Open => {}
    }
    let enabled = || transitions.entries().iter().filter(|entry| entry.enabled);
    let counts = enabled().filter(|entry| !entry.spurious);
    let forced: BTreeSet<u32> = counts.map(|entry| entry.thread.0).collect();
    let mut steps: Vec<_> = enabled().map(|entry| Some(entry.action)).collect();
    if forced.is_empty() {
        steps.push(None);
    }
    (forced, steps)
}

pub fn letter(model: &Model, state: &mut model::State, atoms: &[Proposition]) -> u64 {
    let bits = atoms.iter().enumerate();
    bits.fold(0, |set, (bit, atom)| set | u64::from(model.holds(state, atom)) << bit)
}

/// All states; `None` if there are too many.
pub fn graph(model: &Model, atoms: &[Proposition]) -> Option<Vec<Node>> {
    let first = model.start();
    let mut numbers = HashMap::from([(words(model, &mut first.clone()), 0)]);
    let mut states = vec![first];
    let mut nodes = Vec::new();
    while let Some(mut state) = states.get(nodes.len()).cloned() {
        let (forced, steps) = steps(model, &mut state);
        let mut targets = Vec::new();
        for step in steps {
            let mut next = state.clone();
            if let Some(action) = step {
                model.apply(&mut next, action).expect("a step");
            }
            let number = *numbers.entry(words(model, &mut next)).or_insert_with(|| {
                states.push(next);
                states.len() - 1
            });
            targets.push((step.map(|action| action.thread), number));
        }
        nodes.push(Node {
            letter: letter(model, &mut state, atoms),
            forced,
            steps: targets,
        });
        if states.len() > 3000 {
            return None;
        }
    }
    Some(nodes)
}

/// Whether the product has an accepting component that is fair.
pub fn reference(graph: &[Node], automaton: &Automaton, fairness: Fairness) -> bool {
    let locations = automaton.states();
    let steps = |node: usize| {
        let (state, location) = (node / locations, node % locations);
        let edges = automaton.edges[location].iter();
        edges
            .filter(move |edge| edge.label.admits(graph[state].letter))
            .flat_map(move |edge| {
                let steps = graph[state].steps.iter();
                steps.map(move |&(thread, to)| (thread, edge.pending, to * locations + edge.target as usize))
            })
    };
    let found = components(graph.len() * locations, [automaton.initial as usize], |node| {
        steps(node).map(|(_, _, to)| to)
    });
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); found.count];
    for node in 0..graph.len() * locations {
        if let Some(number) = found.of[node] {
            members[number].push(node);
        }
    }
    members.iter().any(|members| {
        let mut inner = Vec::new();
        for &node in members {
            inner.extend(steps(node).filter(|&(_, _, to)| found.together(node, to)));
        }
        let is_accepting =
            (0..automaton.conditions).all(|bit| inner.iter().any(|(_, pending, _)| pending >> bit & 1 == 0));
        let forced = |node: &usize| &graph[node / locations].forced;
        let threads: BTreeSet<u32> = members.iter().flat_map(forced).copied().collect();
        let is_fair = threads.into_iter().all(|thread| {
            inner.iter().any(|(mover, _, _)| *mover == Some(thread))
                || members.iter().any(|node| !forced(node).contains(&thread))
        });
        !inner.is_empty() && is_accepting && (fairness == Fairness::None || is_fair)
    })
}

/// The same for strong fairness, for each set of threads that do not move for ever: these must not be able to, and the others do.
pub fn strong_reference(graph: &[Node], automaton: &Automaton) -> bool {
    let threads: BTreeSet<u32> = graph.iter().flat_map(|node| &node.forced).copied().collect();
    let threads: Vec<u32> = threads.into_iter().collect();
    (0..1_u32 << threads.len()).any(|chosen| {
        let (still, moving): (Vec<_>, Vec<_>) = threads.iter().enumerate().partition(|(bit, _)| chosen >> bit & 1 == 1);
        let is_kept = |state: usize| !still.iter().any(|(_, thread)| graph[state].forced.contains(thread));
        // A part of the graph may be reached by way of the rest, so runs may begin anywhere that is reached at all.
        let locations = automaton.states();
        let steps = |node: usize| {
            let (state, location) = (node / locations, node % locations);
            let edges = automaton.edges[location].iter();
            edges
                .filter(move |edge| edge.label.admits(graph[state].letter))
                .flat_map(move |edge| {
                    let steps = graph[state].steps.iter();
                    steps.map(move |&(thread, to)| (thread, edge.pending, to * locations + edge.target as usize))
                })
        };
        let all = graph.len() * locations;
        let reached = components(all, [automaton.initial as usize], |node| {
            steps(node).map(|(_, _, to)| to)
        });
        let kept = |node: usize| reached.of[node].is_some() && is_kept(node / locations);
        let found = components(all, (0..all).filter(|&node| kept(node)), |node| {
            steps(node)
                .map(|(_, _, to)| to)
                .filter(|&to| kept(to))
                .collect::<Vec<_>>()
                .into_iter()
        });
        (0..found.count).any(|number| {
            let mut inner = Vec::new();
            for node in (0..all).filter(|&node| found.of[node] == Some(number)) {
                inner.extend(steps(node).filter(|&(_, _, to)| found.together(node, to)));
            }
            let meets = |bit| inner.iter().any(|(_, pending, _)| pending >> bit & 1 == 0);
            let moves = |thread| inner.iter().any(|(mover, _, _)| *mover == Some(thread));
            !inner.is_empty()
                && (0..automaton.conditions).all(meets)
                && moving.iter().all(|&(_, &thread)| moves(thread))
        })
    })
}
