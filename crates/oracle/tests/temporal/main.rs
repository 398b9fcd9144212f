//! Temporal formulas on random models, held against a plain reference.

mod broken;
mod known;
mod reference;
mod spin;
#[path = "../../../ltl/tests/support/mod.rs"]
mod support;

use kernel::{Assumptions, Instrumented, Propositions, Reduction, System};
use ltl::{Automaton, Formula, Lasso};
use model::syntax::{Command, Statement};
use model::{Model, Proposition};
use reduction::Combination;
use reference::{graph, letter, reference, steps, strong_reference, words};
use search::temporal::{Answer, Execution, Fairness, Question, find_execution};
use search::{Ending, Options, Silent};
use std::collections::BTreeSet;
use store::Exact;
use support::Draw;

/// What may be asked about every random model.
const ATOMS: &[&str] = &[
    "x == 0",
    "v == 1",
    "w == 0",
    "a[0] == a[1]",
    "owner(l) == 0",
    "owner(m[1]) == -1",
    "s > 0",
    "x + w > 1",
];

/// Follows an execution and sees that it is what it is said to be.
fn follow(
    model: &Model,
    execution: &Execution<model::Action>,
    atoms: &[Proposition],
    broken: &Formula,
    fairness: Fairness,
) {
    let word = Lasso {
        letters: execution.letters.clone(),
        loop_start: execution.loop_start,
    };
    assert!(word.satisfies(broken), "{execution:?}");
    assert_eq!(execution.steps.len(), execution.letters.len());
    let mut state = model.start();
    let (mut home, mut unfair): (_, Option<BTreeSet<u32>>) = (None, None);
    let (mut able, mut moved) = (BTreeSet::new(), BTreeSet::new());
    for (position, step) in execution.steps.iter().enumerate() {
        assert_eq!(letter(model, &mut state, atoms), execution.letters[position]);
        if position == execution.loop_start {
            home = Some(words(model, &mut state));
        }
        let (forced, steps) = steps(model, &mut state);
        assert!(steps.contains(step), "{step:?}");
        if home.is_some() {
            able.extend(forced.iter().copied());
            moved.extend(step.map(|step| step.thread));
            let put_off: BTreeSet<u32> = forced
                .into_iter()
                .filter(|&thread| step.map(|step| step.thread) != Some(thread))
                .collect();
            unfair = Some(unfair.map_or(put_off.clone(), |unfair| &unfair & &put_off));
        }
        if let Some(action) = step {
            model.apply(&mut state, *action).expect("a step");
        }
    }
    assert_eq!(Some(words(model, &mut state)), home, "the loop is closed");
    assert!(fairness != Fairness::Strong || able.is_subset(&moved), "{execution:?}");
    assert!(
        fairness == Fairness::None || unfair.is_some_and(|unfair| unfair.is_empty()),
        "{execution:?}"
    );
}

fn find(model: &Model, automaton: &Automaton, atoms: &[Proposition], fairness: Fairness) -> Answer<model::Action> {
    find_reduced(model, automaton, atoms, fairness, None)
}

fn find_reduced<S>(
    system: &S,
    automaton: &Automaton,
    atoms: &[Proposition],
    fairness: Fairness,
    reduction: Option<&mut dyn Reduction<S>>,
) -> Answer<model::Action>
where
    S: Propositions<State = model::State, Action = model::Action, Proposition = Proposition>,
{
    let question = Question {
        automaton: automaton.clone(),
        propositions: atoms.to_vec(),
        fairness,
    };
    let mut state = system.initial().expect("a state");
    let before = words(system, &mut state);
    let options = Options::default();
    let answer = find_execution(
        system,
        &mut state,
        &mut Exact::new(),
        &question,
        &options,
        reduction,
        &mut Silent,
    );
    assert_eq!(words(system, &mut state), before, "the state is as it was");
    answer
}

/// A random model; some threads of some of them never end.
fn random_model(seed: u64, every: bool) -> Model {
    let mut program = model::random(seed);
    for (number, thread) in program.threads.iter_mut().enumerate() {
        if seed >> number & 1 == 1 {
            let command = Command::Loop(std::mem::take(&mut thread.body));
            thread.body.push(Statement { at: thread.at, command });
        }
    }
    let mut model = Model::new(&program, every).expect("a model");
    model.spurious = seed.is_multiple_of(3);
    model
}

#[test]
fn formulas_hold_of_random_models_just_as_the_reference_says() {
    let (mut held, mut violated, mut differs, mut differs_strong) = (0, 0, 0, 0);
    for seed in 0..1000 {
        let mut draw = Draw::new(seed + 31);
        let model = random_model(seed, true);
        let texts: Vec<&str> = (0..3).map(|_| ATOMS[draw.below(ATOMS.len())]).collect();
        let atoms: Vec<Proposition> = texts
            .iter()
            .map(|text| model.proposition(text).expect("a proposition"))
            .collect();
        let Some(graph) = graph(&model, &atoms) else {
            continue;
        };
        for _ in 0..6 {
            let size = 2 + draw.below(8);
            let formula = draw.formula(size, 3, seed % 4 == 0);
            let broken = formula.negated();
            let automaton = ltl::translate(&broken).expect("a small formula");
            let mut verdicts = Vec::new();
            for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                let expected = match fairness {
                    Fairness::Strong => strong_reference(&graph, &automaton),
                    _ => reference(&graph, &automaton, fairness),
                };
                let answer = find(&model, &automaton, &atoms, fairness);
                let message = format!("seed {seed}, {fairness:?}: {} with {texts:?}", support::show(&formula));
                assert_eq!(answer.execution.is_some(), expected, "{message}");
                assert!(
                    expected || answer.ending == Ending::Complete,
                    "{message}: {:?}",
                    answer.ending
                );
                if let Some(execution) = &answer.execution {
                    follow(&model, execution, &atoms, &broken, fairness);
                }
                verdicts.push(expected);
                *(if expected { &mut violated } else { &mut held }) += 1;
            }
            differs += usize::from(verdicts[0] != verdicts[1]);
            differs_strong += usize::from(verdicts[1] != verdicts[2]);
        }
    }
    println!(
        "{held} formulas held, {violated} were violated; fairness mattered for {differs}, strong fairness for {differs_strong}"
    );
    assert!(
        held > 500 && violated > 500 && differs > 20,
        "{held} {violated} {differs}"
    );
}

/// Combinations that choose threads.
const REDUCTIONS: [&str; 6] = [
    "persistent",
    "lockset",
    "final,persistent",
    "lockset,final,own,persistent",
    "auto",
    "selflock,dominated,lockset,final,own,persistent",
];

#[test]
fn reductions_lose_no_execution() {
    let (mut held, mut violated) = (0, 0);
    let (mut states, mut reduced_states) = (0, 0);
    for seed in 0..1500 {
        let mut draw = Draw::new(seed + 77);
        let mut model = random_model(seed, true);
        let texts: Vec<&str> = (0..2).map(|_| ATOMS[draw.below(ATOMS.len())]).collect();
        let atoms: Vec<Proposition> = texts
            .iter()
            .map(|text| model.proposition(text).expect("a proposition"))
            .collect();
        let Some(graph) = graph(&model, &atoms) else {
            continue;
        };
        for round in 0..4 {
            let size = 2 + draw.below(7);
            let formula = draw.formula(size, 2, false);
            let broken = formula.negated();
            let automaton = ltl::translate(&broken).expect("a small formula");
            let expected = reference(&graph, &automaton, Fairness::None);
            let names = REDUCTIONS[(seed as usize + round) % REDUCTIONS.len()];
            let combination = Combination::named(names.split(',')).expect("a legal combination");
            // What reductions need is recorded, and every statement is a step all the same.
            model.instrument(combination.instrumentation());
            model.every = true;
            let mut ample = combination.make::<Model>(Assumptions::default()).expect("a reduction");
            let full = find(&model, &automaton, &atoms, Fairness::None);
            let answer = find_reduced(&model, &automaton, &atoms, Fairness::None, Some(&mut ample));
            let message = format!("seed {seed}, {names}: {} with {texts:?}", support::show(&formula));
            assert_eq!(answer.execution.is_some(), expected, "{message}");
            assert!(
                expected || answer.ending == Ending::Complete,
                "{message}: {:?}",
                answer.ending
            );
            if let Some(execution) = &answer.execution {
                follow(&model, execution, &atoms, &broken, Fairness::None);
            } else {
                states += full.figures.states;
                reduced_states += answer.figures.states;
            }
            *(if expected { &mut violated } else { &mut held }) += 1;
        }
    }
    println!("{held} formulas held, with {reduced_states} states instead of {states}; {violated} were violated");
    assert!(held > 500 && violated > 500 && reduced_states < states);
}
