//! Temporal formulas on random models, held against a plain reference: the whole graph, the whole product, its components.

#[path = "../../ltl/tests/support/mod.rs"]
mod support;

use kernel::{Assumptions, End, Instrumented, Propositions, Reduction, StateVector, System, Transitions};
use ltl::{Automaton, Formula, Lasso, components};
use model::syntax::{Command, Statement};
use model::{Model, Proposition};
use reduction::Combination;
use search::temporal::{Answer, Execution, Fairness, Question, find_execution};
use search::{Ending, Options, Silent};
use std::collections::{BTreeSet, HashMap};
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

/// A state of the graph.
struct Node {
    letter: u64,
    /// The threads that can move, but for those that nobody can count on.
    forced: BTreeSet<u32>,
    /// Who moves, and where to; nobody if the state stays.
    steps: Vec<(Option<u32>, usize)>,
}

fn words(model: &Model, state: &mut model::State) -> Vec<u32> {
    let mut vector = StateVector::default();
    model.encode(state, &mut vector);
    vector.words()
}

/// Who can move, and the steps; `None` for a step by which the state stays.
fn steps(model: &Model, state: &mut model::State) -> (BTreeSet<u32>, Vec<Option<model::Action>>) {
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

fn letter(model: &Model, state: &mut model::State, atoms: &[Proposition]) -> u64 {
    let bits = atoms.iter().enumerate();
    bits.fold(0, |set, (bit, atom)| set | u64::from(model.holds(state, atom)) << bit)
}

/// All states; `None` if there are too many.
fn graph(model: &Model, atoms: &[Proposition]) -> Option<Vec<Node>> {
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
fn reference(graph: &[Node], automaton: &Automaton, fairness: Fairness) -> bool {
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
fn strong_reference(graph: &[Node], automaton: &Automaton) -> bool {
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

fn find_reduced(
    model: &Model,
    automaton: &Automaton,
    atoms: &[Proposition],
    fairness: Fairness,
    reduction: Option<&mut dyn Reduction<Model>>,
) -> Answer<model::Action> {
    let question = Question {
        automaton: automaton.clone(),
        propositions: atoms.to_vec(),
        fairness,
    };
    let mut state = model.start();
    let before = words(model, &mut state);
    let options = Options::default();
    let answer = find_execution(
        model,
        &mut state,
        &mut Exact::new(),
        &question,
        &options,
        reduction,
        &mut Silent,
    );
    assert_eq!(words(model, &mut state), before, "the state is as it was");
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
            .map(|text| model.proposition(&mut model.start(), text).expect("a proposition"))
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
            .map(|text| model.proposition(&mut model.start(), text).expect("a proposition"))
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

/// Whether a formula holds of a model, without fairness, with weak and with strong fairness.
fn check(text: &str, formula: &str, expected: [bool; 3]) {
    let model = Model::new(&model::parse(text).expect("a model"), true).expect("a model");
    let parsed = ltl::parse(formula).expect("a formula");
    let proposition = |text: &String| model.proposition(&mut model.start(), text).expect("a proposition");
    let atoms: Vec<Proposition> = parsed.atoms.texts().iter().map(proposition).collect();
    let broken = parsed.formula.negated();
    let automaton = ltl::translate(&broken).expect("a small formula");
    for (fairness, expected) in [Fairness::None, Fairness::Weak, Fairness::Strong]
        .into_iter()
        .zip(expected)
    {
        let answer = find(&model, &automaton, &atoms, fairness);
        assert_eq!(answer.execution.is_none(), expected, "{formula}: {fairness:?}");
        if let Some(execution) = &answer.execution {
            follow(&model, execution, &atoms, &broken, fairness);
        }
    }
}

#[test]
fn petersons_algorithm_starves_nobody_who_is_let_run() {
    let text = "volatile int want[2]; volatile int turn;\n\
        thread p(i) [2] { loop {\n\
            want[i] = 1;\n\
            turn = 1 - i;\n\
            await want[1 - i] == 0 || turn == i;\n\
            want[i] = 0;\n\
        } }";
    check(text, "G !(p[0].at(6) && p[1].at(6))", [true; 3]);
    // The other one cannot pass twice, so there is nobody else to run.
    check(text, "G (want[0] == 1 -> F p[0].at(6))", [true; 3]);
    check(text, "G F p[1].at(6)", [false, true, true]);
    check(text, "response(p[0].at(3), p[0].at(6))", [false, true, true]);
    check(text, "precedence(want[1] == 1, p[1].at(6))", [true; 3]);
    check(text, "F G p[0].at(6)", [false; 3]);
}

#[test]
fn a_lock_lets_a_contender_starve() {
    let text = "lock m; thread p [2] { loop {\n acquire m;\n skip;\n release m;\n } }";
    check(text, "G !(p[0].at(3) && p[1].at(3))", [true; 3]);
    check(text, "G F p[0].at(3)", [false, false, true]);
    check(text, "G F (p[0].at(3) || p[1].at(3))", [true; 3]);
}

#[test]
fn what_is_over_or_stuck_stays_as_it_is() {
    let text = "int x; lock a; lock b;\n\
        thread t { acquire a; acquire b; x = 1; release b; release a; }\n\
        thread u { acquire b; acquire a; x = 2; release a; release b; }";
    check(text, "F (x > 0)", [false; 3]);
    check(
        text,
        "F (done(t) && done(u) || owner(a) == t && owner(b) == u)",
        [true; 3],
    );
    check(text, "F G (x == 0) || F G (x > 0)", [true; 3]);
    check(text, "G F (owner(a) == t)", [false; 3]);
    check("int x; thread t { x = 1; }", "F G (x == 1)", [true; 3]);
    check("int x; thread t { x = 1; }", "G F (x == 0)", [false; 3]);
    check("int x; thread t { x = 1; }", "X (x == 1) && !X (x == 0)", [true; 3]);
}

#[test]
fn a_philosopher_may_starve_unless_fairness_is_strong() {
    // The last one takes the forks the other way round, so that nobody waits for ever for a circle.
    let text = "lock fork[3];\n\
        thread p(i) [2] { loop {\n\
            acquire fork[i];\n\
            acquire fork[i + 1];\n\
            skip;\n\
            release fork[i + 1];\n\
            release fork[i];\n\
        } }\n\
        thread last { loop {\n\
            acquire fork[0];\n\
            acquire fork[2];\n\
            skip;\n\
            release fork[2];\n\
            release fork[0];\n\
        } }";
    check(text, "G F p[0].at(5)", [false, false, true]);
    check(text, "G F last.at(12)", [false, false, true]);
    check(text, "G F (p[0].at(5) || p[1].at(5) || last.at(12))", [true; 3]);
    check(text, "G !(p[0].at(5) && p[1].at(5))", [true; 3]);
}
