//! Systems that are wrong on purpose.

use crate::reference::{graph, reference};
use crate::support::Draw;
use crate::{ATOMS, find_reduced, random_model};
use kernel::{Assumptions, End, Propositions, System, Transition, Transitions, Wrapper};
use model::{Model, Proposition};
use reduction::Combination;
use search::temporal::Fairness;

/// A model that says of every step that no formula can see it.
struct Blind(Model);

impl Wrapper for Blind {
    type Inner = Model;

    fn inner(&self) -> &Model {
        &self.0
    }
}

impl Propositions for Blind {
    type Proposition = Proposition;

    fn holds(&self, state: &mut model::State, proposition: &Proposition) -> bool {
        self.0.holds(state, proposition)
    }

    fn may_change(
        &self,
        _state: &mut model::State,
        _transitions: &Transitions<model::Action>,
        _step: &Transition<model::Action>,
        _proposition: &Proposition,
    ) -> bool {
        false
    }
}

/// A model whose executions are forgotten where they end.
struct Endless(Model);

impl Wrapper for Endless {
    type Inner = Model;

    fn inner(&self) -> &Model {
        &self.0
    }

    fn transitions(&self, state: &mut model::State, transitions: &mut Transitions<model::Action>) {
        self.0.transitions(state, transitions);
        if transitions.end == End::Over {
            transitions.end = End::Ignored;
        }
    }
}

impl Propositions for Endless {
    type Proposition = Proposition;

    fn holds(&self, state: &mut model::State, proposition: &Proposition) -> bool {
        self.0.holds(state, proposition)
    }

    fn may_change(
        &self,
        state: &mut model::State,
        transitions: &Transitions<model::Action>,
        step: &Transition<model::Action>,
        proposition: &Proposition,
    ) -> bool {
        self.0.may_change(state, transitions, step, proposition)
    }
}

/// These tests can fail: what is wrong on purpose differs from the reference somewhere.
#[test]
fn broken_variants_are_caught() {
    let (mut blind, mut endless) = (0, 0);
    for seed in 0..300 {
        let mut draw = Draw::new(seed + 77);
        let model = random_model(seed, true);
        let atoms: Vec<Proposition> = (0..2)
            .map(|_| ATOMS[draw.below(ATOMS.len())])
            .map(|text| model.proposition(text).expect("a proposition"))
            .collect();
        let Some(graph) = graph(&model, &atoms) else {
            continue;
        };
        let (sees_nothing, forgets) = (Blind(model.clone()), Endless(model.clone()));
        for _ in 0..4 {
            let size = 2 + draw.below(7);
            let automaton = ltl::translate(&draw.formula(size, 2, false)).expect("a small formula");
            let expected = reference(&graph, &automaton, Fairness::None);
            let combination = Combination::named(["persistent"]).expect("a legal combination");
            let mut ample = combination.make::<Blind>(Assumptions::default()).expect("a reduction");
            let answer = find_reduced(&sees_nothing, &automaton, &atoms, Fairness::None, Some(&mut ample));
            blind += usize::from(answer.execution.is_some() != expected);
            let answer = find_reduced(&forgets, &automaton, &atoms, Fairness::None, None);
            endless += usize::from(answer.execution.is_some() != expected);
        }
    }
    assert!(blind > 0 && endless > 0, "{blind} {endless}");
}
