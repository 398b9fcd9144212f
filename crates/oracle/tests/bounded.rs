//! Searches with a bound on preemptions find the same with reductions as without.

use kernel::{Assumptions, Property, Reduction};
use model::Model;
use oracle::compare::{Strategy, Summary, search, search_with};
use reduction::Combination;
use search::Options;

/// Random models, and the bounds that each is searched with.
const SEEDS: u64 = 600;
const BOUNDS: [u32; 4] = [0, 1, 2, 3];

/// What goes with a bound, alone and together.
const COMBINATIONS: [&str; 6] = [
    "auto",
    "escape",
    "atomic",
    "escape,atomic",
    "selflock,dominated,lockset",
    "escape,final,own,lockset",
];

fn strategy(names: &str, most: u32) -> Strategy {
    let combination = Combination::named(names.split(',')).expect("a legal combination");
    Strategy {
        name: names.to_owned(),
        options: Options {
            all: true,
            preemptions: Some(most),
            states: Some(4000),
            properties: Property::ALL
                .iter()
                .copied()
                .filter(|property| !property.is_endless())
                .collect(),
            ..Options::default()
        },
        combination: combination.bounded().expect("goes with a bound"),
        commute: false,
        at_once: false,
    }
}

fn random(seed: u64) -> Model {
    Model::new(&model::random(seed), !seed.is_multiple_of(3)).expect("a model")
}

#[test]
fn a_bounded_search_finds_the_same_with_reductions_as_without() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..SEEDS {
        let model = random(seed);
        for most in BOUNDS {
            let run = |names: &str| {
                let ran = search(&model, &mut model.start(), &strategy(names, most)).expect("legal options");
                Summary::new(&ran)
            };
            let base = run("base");
            if base.stopped.is_some() {
                continue;
            }
            let names = COMBINATIONS[seed as usize % COMBINATIONS.len()];
            for names in ["auto", names] {
                let reduced = run(names);
                assert_eq!(
                    (&base.findings, &base.stopped),
                    (&reduced.findings, &reduced.stopped),
                    "model {seed}, {names}, at most {most}"
                );
                compared += 1;
                smaller += u32::from(reduced.states < base.states);
            }
        }
    }
    assert!(
        compared > 1500 && smaller > 150,
        "{compared} compared, {smaller} smaller"
    );
}

/// A reduction that says that it goes with a bound.
struct Claims<R>(R);

impl<R: Reduction<Model>> Reduction<Model> for Claims<R> {
    kernel::forward_reduction!(
        Model, 0: ample, is_atomic, has_transactions, in_transaction, diverges, sleeps, commute, name, is_broken, refine, renew
    );

    fn keeps_preemptions(&self) -> bool {
        true
    }
}

/// Ample sets as they are without a bound lose schedules with few preemptions, and the comparison above would show it.
#[test]
fn reductions_that_do_not_go_with_a_bound_are_caught() {
    let mut caught = 0;
    for seed in 0..SEEDS {
        let (model, all) = (random(seed), strategy("base", 1));
        let base = Summary::new(&search(&model, &mut model.start(), &all).expect("legal options"));
        let unbounded = Combination::named(["escape", "persistent"]).expect("a legal combination");
        let mut claims = Claims(unbounded.make::<Model>(Assumptions::default()).expect("a reduction"));
        let ran = search_with(&model, &mut model.start(), &all, Some(&mut claims)).expect("legal options");
        caught += u32::from(base.stopped.is_none() && base.findings != Summary::new(&ran).findings);
    }
    assert!(caught > 0);
}

#[test]
fn what_may_leave_out_schedules_with_few_preemptions_is_refused() {
    for name in ["persistent", "sleep", "optimistic"] {
        let combination = Combination::named([name]).expect("a legal combination");
        assert!(combination.bounded().is_err(), "{name}");
        let mut made = combination.make::<Model>(Assumptions::default());
        let reduction = made.as_mut().map(|made| made as &mut dyn Reduction<Model>);
        let (model, bounded) = (random(1), strategy("base", 1));
        assert!(
            search_with(&model, &mut model.start(), &bounded, reduction).is_err(),
            "{name}"
        );
    }
}
