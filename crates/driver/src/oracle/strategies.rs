//! The strategies that are compared. The first one is what the others are held against.
//!
//! There are more than a thousand ways to search: every legal combination of reductions, depth-first and breadth-first where that is
//! possible. A program is searched with a few of them, its successor with the next few.

use crate::options::Oracle;
use kernel::Property;
use oracle::compare::Strategy;
use reduction::Combination;
use search::{Options, Order};
use std::sync::LazyLock;

/// Every instruction a step: so many times more states than with steps from access to access.
const FINER: u64 = 40;

/// The same for models.
const FINER_MODELS: u64 = 8;

/// The most states of a model.
const MODEL_STATES: u64 = 400;

/// How many of all ways to search are tried on one program, besides `base`, `auto` and one that leaves nothing out either.
const AT_ONCE: u64 = 4;

/// From one way to search to the one that is tried next: a prime, so that all have their turn and neighbours differ.
const STRIDE: u64 = 71;

static WAYS: LazyLock<Vec<(Combination, Order)>> = LazyLock::new(|| {
    let both = |combination: Combination| {
        let breadth = combination.keeps_with_states().is_none();
        let breadth = breadth.then(|| (combination.clone(), Order::Breadth));
        std::iter::once((combination, Order::Depth)).chain(breadth)
    };
    Combination::all().into_iter().flat_map(both).collect()
});

/// Combinations of reductions that know more of models than of programs, and so are tried more often there.
const FOR_MODELS: &[(&str, Order)] = &[
    ("sleep", Order::Depth),
    ("persistent", Order::Depth),
    ("persistent,sleep", Order::Depth),
    ("persistent", Order::Breadth),
    ("escape,sleep", Order::Depth),
    ("persistent,atomic", Order::Depth),
    ("persistent,sleep,atomic", Order::Depth),
    ("escape,persistent,sleep", Order::Depth),
    ("persistent,atomic", Order::Breadth),
    ("escape,sleep,atomic", Order::Depth),
];

/// Combinations that take many steps as one; breadth-first as well if nothing is combined.
static APART: LazyLock<Vec<(Combination, Order)>> = LazyLock::new(|| {
    let both = |combination: Combination| {
        let breadth = combination.names().len() == 1;
        let breadth = breadth.then(|| (combination.clone(), Order::Breadth));
        std::iter::once((combination, Order::Depth)).chain(breadth)
    };
    Combination::all_apart().into_iter().flat_map(both).collect()
});

/// How many of these are tried on one model, or program.
const MORE_AT_ONCE: usize = 3;

/// Those for a Java program; none may enter many more states than the options say. `seed` also is where shuffled ones take their
/// numbers from. The blind one leaves out schedules with more preemptions than that, and so must be caught.
pub fn for_programs(options: &Oracle, seed: u64) -> Vec<Strategy> {
    // What reductions do not keep is not compared.
    let left_out = [Property::LIVELOCK, Property::LOCK];
    chosen(options, seed, options.states, FINER, &[], &left_out)
}

/// The same for models, which have few states if they are worth while, and all of them soon.
pub fn for_models(options: &Oracle, seed: u64) -> Vec<Strategy> {
    chosen(
        options,
        seed,
        options.states.min(MODEL_STATES),
        FINER_MODELS,
        FOR_MODELS,
        &[Property::LIVELOCK],
    )
}

fn chosen(
    options: &Oracle,
    seed: u64,
    states: u64,
    finer: u64,
    more: &[(&str, Order)],
    left_out: &[Property],
) -> Vec<Strategy> {
    let strategy = |combination: Combination, order: Order, shuffle: bool| {
        let every = combination.is_finest();
        let name = combination.names().join(",");
        Strategy {
            name: match (order, shuffle) {
                (Order::Breadth, _) => format!("{name} bfs"),
                (_, true) => format!("{name} shuffled"),
                _ => name,
            },
            options: Options {
                order,
                shuffle,
                seed,
                all: true,
                properties: Property::ALL
                    .iter()
                    .copied()
                    .filter(|property| !left_out.contains(property))
                    .collect(),
                states: Some(if every { states * finer } else { states }),
                ..Options::default()
            },
            combination,
            commute: options.commute,
            at_once: options.operations,
        }
    };
    let named = |name: &str| Combination::named([name]).unwrap_or_else(|illegal| panic!("{name}: {illegal}"));
    let mut all = vec![
        strategy(named("base"), Order::Depth, false),
        strategy(named("auto"), Order::Depth, false),
        match seed % 8 {
            0..4 if !options.operations => strategy(named("none"), Order::Depth, false),
            4..6 => strategy(named("base"), Order::Breadth, false),
            _ => strategy(named("base"), Order::Depth, true),
        },
    ];
    let ways = WAYS.len() as u64;
    let first = seed.wrapping_mul(AT_ONCE);
    for number in 0..if options.every { ways } else { AT_ONCE } {
        let way = first.wrapping_add(number).wrapping_mul(STRIDE) % ways;
        let (combination, order) = WAYS[way as usize].clone();
        all.push(strategy(combination, order, false));
    }
    let named_all = |names: &str| {
        let combination = Combination::named(names.split(','));
        combination.unwrap_or_else(|illegal| panic!("{names}: {illegal}"))
    };
    let more = more.iter().map(|&(names, order)| (named_all(names), order));
    let more: Vec<(Combination, Order)> = more.chain(APART.iter().cloned()).collect();
    let first = seed as usize % more.len().max(1) * MORE_AT_ONCE;
    for number in 0..more.len().min(if options.every { usize::MAX } else { MORE_AT_ONCE }) {
        let (combination, order) = more[(first + number) % more.len()].clone();
        all.push(strategy(combination, order, false));
    }
    all.extend(options.blind.map(|most| {
        let mut blind = strategy(named("base"), Order::Depth, false);
        blind.name = "blind".to_owned();
        blind.options.preemptions = Some(most);
        blind
    }));
    if options.operations {
        // What is too large for this one has been compared by then.
        all.push(Strategy {
            name: "base, inside of operations".to_owned(),
            at_once: false,
            ..strategy(named("base"), Order::Depth, false)
        });
    }
    if let Some(most) = options.preemptions {
        all.retain_mut(|one| {
            one.options.preemptions = Some(most);
            let Ok(bounded) = one.combination.bounded() else {
                return false;
            };
            one.combination = bounded;
            // A bound counts steps, so those must be about the same.
            !one.combination.is_finest()
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use reduction::{Description, Goes, REDUCTIONS};
    use std::collections::BTreeSet;

    #[test]
    fn every_way_to_search_has_its_turn() {
        let options = |every: bool| Oracle {
            seed: 0,
            count: 1,
            size: 1,
            blind: None,
            preemptions: None,
            states: 1,
            java: false,
            concurrent: false,
            models: false,
            every,
            commute: false,
            operations: false,
            jdk: None,
        };
        let names = |strategies: Vec<Strategy>| strategies.into_iter().map(|one| one.name);
        let ways: BTreeSet<String> = names(for_programs(&options(true), 7)).collect();
        // Those that go with anything, and of two of which one needs the other both, one, or none; the same with sleep sets,
        // depth-first only; `auto`; `base`, and that shuffled.
        let count = |is_counted: fn(&Description) -> bool| {
            let counted = REDUCTIONS.iter().filter(|one| !one.is_full && is_counted(one));
            counted.count() as u32
        };
        let pairs = count(|one| matches!(one.goes, Goes::Needs(_)));
        let free = count(|one| one.goes == Goes::WithAll && !one.keeps_with_states) - pairs;
        let awake = 2_usize.pow(free) * 3_usize.pow(pairs);
        assert_eq!(count(|one| one.keeps_with_states), 1);
        assert_eq!(ways.len(), (awake - 1) * 2 + awake + 2 + 2 + APART.len());
        for made in [for_programs, for_models] {
            let tried: BTreeSet<String> = (1000..1300)
                .flat_map(|seed| names(made(&options(false), seed)))
                .collect();
            let every: BTreeSet<String> = names(made(&options(true), 7)).chain(ways.clone()).collect();
            assert_eq!(tried.len(), every.len() + 2, "`none` and `base` breadth-first as well");
        }
    }
}
