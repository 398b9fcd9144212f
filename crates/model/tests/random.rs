//! Random models: the two granularities agree, the two orders of search agree, going back goes back.

use kernel::{End, Flaw, Property, StateVector, System, Transitions};
use model::{Action, Model, Program, parse, random};
use search::{Ending, Options, Order, Outcome, Silent, explore};
use std::collections::BTreeSet;
use store::Exact;

/// Models with more states are left out.
const MOST_STATES: u64 = 20_000;

fn options(order: Order) -> Options {
    Options {
        order,
        properties: Property::ALL
            .iter()
            .copied()
            .filter(|one| *one != Property::LIVELOCK)
            .collect(),
        all: true,
        states: Some(MOST_STATES),
        ..Options::default()
    }
}

fn run(model: &Model, order: Order) -> Outcome<Action> {
    let mut state = model.start();
    let outcome =
        explore(model, &mut state, &mut Exact::new(), &options(order), None, &mut Silent).expect("legal options");
    assert_eq!(state, model.start());
    outcome
}

type Seen = (BTreeSet<Flaw>, BTreeSet<u128>);

fn seen(outcome: &Outcome<Action>) -> Seen {
    let flaws = outcome.found.iter().map(|found| found.flaw).collect();
    (flaws, outcome.marks.iter().copied().collect())
}

fn model(program: &Program, every: bool) -> Model {
    Model::new(program, every).expect("a random model is one")
}

#[test]
fn both_granularities_see_the_same() {
    let (mut explored, mut counts) = (0, [0; 5]);
    for seed in 0..300 {
        let program = random(seed);
        let (none, base) = (model(&program, true), model(&program, false));
        let (all, few) = (run(&none, Order::Depth), run(&base, Order::Depth));
        if all.ending != Ending::Complete || few.ending != Ending::Complete {
            continue;
        }
        explored += 1;
        assert_eq!(seen(&all), seen(&few), "seed {seed}\n{program}");
        assert!(few.figures.states <= all.figures.states, "seed {seed}\n{program}");
        assert_eq!(all.finals > 0, few.finals > 0, "seed {seed}\n{program}");
        let has = |property| all.found.iter().any(|found| found.flaw.property == property);
        let kinds = [Property::DEADLOCK, Property::EXCEPTION, Property::RACE, Property::LOCK];
        for (count, property) in counts.iter_mut().zip(kinds) {
            *count += usize::from(has(property));
        }
        counts[4] += usize::from(all.marks.len() > 1);
    }
    eprintln!("{explored} models; deadlocks, failures, races, locks left, observations: {counts:?}");
    assert!(explored > 270, "{explored} of 300 are small enough");
    assert!(counts.iter().all(|&count| count > 30 && count < 270), "{counts:?}");
}

#[test]
fn both_orders_see_the_same() {
    for seed in 300..450 {
        let program = random(seed);
        for every in [true, false] {
            let model = model(&program, every);
            let (depth, breadth) = (run(&model, Order::Depth), run(&model, Order::Breadth));
            if depth.ending != Ending::Complete {
                continue;
            }
            assert_eq!(seen(&depth), seen(&breadth), "seed {seed}\n{program}");
            let figures = |outcome: &Outcome<Action>| {
                (
                    outcome.figures.states,
                    outcome.figures.transitions,
                    outcome.finals,
                    outcome.deadlocks,
                )
            };
            assert_eq!(figures(&depth), figures(&breadth), "seed {seed}\n{program}");
        }
    }
}

/// Random walks: each step can be undone, each state can be written and read, and no look changes anything.
#[test]
fn going_back_goes_back() {
    let mut word = 1u64;
    for seed in 450..650 {
        let program = random(seed);
        for every in [true, false] {
            let mut model = model(&program, every);
            model.spurious = seed % 3 == 0;
            let mut state = model.start();
            let mut path = Vec::new();
            let mut transitions = Transitions::default();
            for _ in 0..60 {
                let before = state.clone();
                transitions.clear();
                model.transitions(&mut state, &mut transitions);
                model.stuck(&mut state);
                assert_eq!(state, before);
                let mut vector = StateVector::default();
                model.encode(&mut state, &mut vector);
                let mut other = model.start();
                model.decode(&mut other, &vector.words()).expect("a state's own words");
                assert_eq!(state, other);
                let enabled: Vec<_> = transitions.entries().iter().filter(|entry| entry.enabled).collect();
                if transitions.end != End::Open || enabled.is_empty() {
                    break;
                }
                word = word
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let action = enabled[(word >> 33) as usize % enabled.len()].action;
                path.push((before, model.apply(&mut state, action).expect("a step")));
            }
            for (before, undo) in path.into_iter().rev() {
                model.undo(&mut state, undo);
                assert_eq!(state, before);
            }
        }
    }
}

/// A step touches what its footprint says: two enabled steps without a conflict give the same in either order.
#[test]
fn steps_without_a_conflict_commute() {
    for seed in 650..800 {
        let program = random(seed);
        let mut model = model(&program, seed % 2 == 0);
        model.spurious = seed % 5 == 0;
        let mut state = model.start();
        let mut todo = vec![state.clone()];
        let mut known = BTreeSet::new();
        while let Some(next) = todo.pop() {
            let mut vector = StateVector::default();
            state = next;
            model.encode(&mut state, &mut vector);
            if !known.insert(vector.words()) || known.len() > 2000 {
                continue;
            }
            let mut transitions = Transitions::default();
            model.transitions(&mut state, &mut transitions);
            let enabled: Vec<_> = transitions.entries().iter().filter(|entry| entry.enabled).collect();
            for one in &enabled {
                for two in &enabled {
                    let apart = one.thread != two.thread
                        && !kernel::conflict(transitions.footprint(one), transitions.footprint(two));
                    if apart {
                        let mut ends = [[one, two], [two, one]].map(|order| {
                            let mut state = state.clone();
                            for entry in order {
                                let mut transitions = Transitions::default();
                                model.transitions(&mut state, &mut transitions);
                                let offered = transitions
                                    .entries()
                                    .iter()
                                    .any(|other| other.enabled && other.action == entry.action);
                                assert!(offered, "seed {seed}: {:?} is switched off\n{program}", entry.action);
                                model.apply(&mut state, entry.action).expect("a step");
                            }
                            state
                        });
                        let [first, second] = &mut ends;
                        assert_eq!(first, second, "seed {seed}\n{program}");
                    }
                }
                let mut after = state.clone();
                model.apply(&mut after, one.action).expect("a step");
                todo.push(after);
            }
        }
    }
}

/// Texts that are almost models: whatever they are, nothing panics.
#[test]
fn broken_texts_are_refused_or_run() {
    let mut word = 7u64;
    let mut below = |end: usize| {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        (word >> 20) as usize % end
    };
    let parts = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        "=",
        "==",
        "-",
        "/",
        "0",
        "1",
        "2147483648",
        "x",
        "a",
        "m",
        "s",
        "i",
        "lock",
        "wait",
        "int",
        "thread",
        "when",
        "await",
        "atomic",
        "choose",
        "or",
        "..",
        "..",
        "%",
        "é",
        "\0",
        "//",
        "/*",
        "\n",
        "loop",
    ];
    let mut fine = 0;
    for round in 0..3000 {
        let mut text = random(round % 60).to_string();
        for _ in 0..1 + below(3) {
            let mut at = below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let letter = text[at..].chars().next().expect("a text is not empty");
            // Every other text has only other numbers and other names of one letter, and may well be a model.
            let name_or_number = (letter.is_ascii_digit() || letter.is_ascii_lowercase())
                && !text[..at].ends_with(char::is_alphanumeric)
                && !text[at + 1..].starts_with(char::is_alphanumeric);
            let part = match (round % 2, name_or_number) {
                (0, true) => ["0", "1", "7", "x", "v", "y", "2147483647"][below(7)],
                (0, false) => continue,
                _ => parts[below(parts.len())],
            };
            text.replace_range(at..at + letter.len_utf8(), part);
        }
        let tried = parse(&text).and_then(|program| Model::new(&program, round % 2 == 0));
        match tried {
            Err(error) => assert!(error.show("x.rad", &text).contains('^')),
            Ok(model) => {
                fine += 1;
                let mut state = model.start();
                let options = Options {
                    states: Some(200),
                    ..options(Order::Depth)
                };
                let outcome =
                    explore(&model, &mut state, &mut Exact::new(), &options, None, &mut Silent).expect("legal");
                for found in &outcome.found {
                    search::replay(
                        &model,
                        &mut state,
                        &found.actions,
                        |state, transitions, action| match action {
                            Some(action) => drop(model.events(state, action)),
                            None => drop(model.explain(state, transitions, found.flaw)),
                        },
                    )
                    .map(|undos| search::rewind(&model, &mut state, undos))
                    .expect("a trace that replays");
                }
            }
        }
    }
    assert!(fine > 100, "{fine} of 3000 were still models");
}
