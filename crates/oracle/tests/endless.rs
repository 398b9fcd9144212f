//! Executions that never end and get nowhere are noticed with every reduction, and only where the search for livelocks finds one.

use kernel::Property;
use model::Model;
use oracle::compare::{Strategy, search};
use reduction::Combination;
use search::{Ending, Options};
use std::collections::BTreeSet;

const SEEDS: u64 = 1500;

/// Reductions, and whether what is asleep may hide a cycle.
const REDUCTIONS: [(&str, bool); 6] = [
    ("base", false),
    ("persistent", false),
    ("persistent,atomic", false),
    ("lockset,final,persistent,atomic", false),
    ("sleep", true),
    ("auto", true),
];

fn strategy(names: &str, properties: BTreeSet<Property>) -> Strategy {
    Strategy {
        name: names.to_owned(),
        options: Options {
            all: true,
            properties,
            ..Options::default()
        },
        combination: Combination::named(names.split(',')).expect("a legal combination"),
        commute: false,
        at_once: false,
    }
}

#[test]
fn what_never_ends_is_noticed_with_every_reduction() {
    let (mut endless, mut hidden, mut compared) = (0, 0, 0);
    for seed in 0..SEEDS {
        let program = model::random(seed);
        let model = Model::new(&program, seed % 2 == 0).expect("a model");
        let run = |names: &str, properties: BTreeSet<Property>| {
            let ran = search(&model, &mut model.start(), &strategy(names, properties)).expect("legal options");
            ran.outcome
        };
        let truth = run("base", BTreeSet::from([Property::LIVELOCK]));
        if truth.ending != Ending::Complete {
            continue;
        }
        let exists = !truth.found.is_empty();
        endless += u32::from(exists);
        for (names, sleeps) in REDUCTIONS {
            let outcome = run(names, Options::default().properties);
            let noticed = outcome.endless.is_some();
            assert!(!noticed || exists, "seed {seed}, {names}: there is none\n{program}");
            assert!(noticed || !exists || sleeps, "seed {seed}, {names}: missed\n{program}");
            hidden += u32::from(exists && !noticed);
            compared += u32::from(exists && sleeps);
        }
    }
    assert!(endless > 20, "{endless}");
    assert!(hidden * 10 <= compared, "{hidden} of {compared}");
}
