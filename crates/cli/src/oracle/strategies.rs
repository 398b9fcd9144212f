//! The strategies that are compared. The first one is what the others are held against.

use oracle::compare::Strategy;
use reduction::Combination;
use search::{Options, Order};

/// Every instruction a step: so many times more states than with steps from access to access.
const FINER: u64 = 40;

/// The combinations of reductions, each searched depth-first and, every other time, breadth-first.
pub const COMBINATIONS: &[&str] = &[
    "final",
    "escape",
    "atomic",
    "escape,atomic",
    "selflock",
    "atomic,selflock",
    "escape,atomic,selflock",
    "selflock,dominated",
    "escape,atomic,selflock,dominated",
    "lockset",
    "escape,atomic,lockset",
    "auto",
];

/// All of them; none may enter many more than `states` states. `seed` is where shuffled ones take their numbers from. `blind` adds
/// one that leaves out schedules with more preemptions than that, and so must be caught.
pub fn all(states: u64, seed: u64, blind: Option<u32>) -> Vec<Strategy> {
    let strategy = |name: &str, order: Order, shuffle: bool| Strategy {
        name: match (order, shuffle) {
            (Order::Breadth, _) => format!("{name} bfs"),
            (_, true) => format!("{name} shuffled"),
            _ => name.to_owned(),
        },
        options: Options {
            order,
            shuffle,
            seed,
            all: true,
            states: Some(if name == "none" { states * FINER } else { states }),
            ..Options::default()
        },
        combination: Combination::named(name.split(',')).unwrap_or_else(|illegal| panic!("{name}: {illegal}")),
    };
    let mut all = vec![
        strategy("base", Order::Depth, false),
        strategy("base", Order::Breadth, false),
        strategy("base", Order::Depth, true),
        strategy("none", Order::Depth, false),
    ];
    for name in COMBINATIONS {
        all.push(strategy(name, Order::Depth, false));
        all.push(strategy(name, Order::Breadth, false));
    }
    all.extend(blind.map(|most| {
        let mut blind = strategy("base", Order::Depth, false);
        blind.name = "blind".to_owned();
        blind.options.preemptions = Some(most);
        blind
    }));
    all
}
