//! The searches on toys whose states can be counted by hand.

use crate::toy::*;
use kernel::{Flaw, Property};
use search::{Conflict, Ending, Figures, Observer, Options, Order, Why, explore};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use store::StateTable;

/// States, transitions, ends, deadlocks, and how it ended.
type Counts = (u64, u64, u64, u64, Ending);

fn check(toy: &Toy, expected: Counts, expected_flaws: &[(Property, u64)]) {
    let expected_flaws: BTreeSet<_> = expected_flaws
        .iter()
        .map(|&(property, key)| Flaw { property, key })
        .collect();
    for order in [Order::Depth, Order::Breadth] {
        let seeds = std::iter::once(None).chain((0..20).map(Some));
        for seed in seeds {
            let options = Options {
                order,
                shuffle: seed.is_some(),
                seed: seed.unwrap_or(0),
                ..all()
            };
            for table in [Table::new(), Table::forgetful()] {
                let outcome = run_with(toy, &options, table);
                let figures = outcome.figures;
                let counts = (
                    figures.states,
                    figures.transitions,
                    outcome.finals,
                    outcome.deadlocks,
                    outcome.ending.clone(),
                );
                assert_eq!(counts, expected, "{order:?} {seed:?}");
                assert_eq!(flaws(&outcome), expected_flaws, "{order:?} {seed:?}");
                assert_eq!(outcome.found.len(), expected_flaws.len());
            }
        }
    }
}

#[test]
fn independent_threads_make_a_grid() {
    // Program counters 0..=3 each: 4 * 4 states, 2 * 3 * 4 steps.
    let ops = |variable| [Op::Set(variable, 1), Op::Set(variable, 2), Op::Set(variable, 3)];
    let toy = Toy::new(2, &[&ops(0), &ops(1)]);
    check(&toy, (16, 24, 1, 0, Ending::Complete), &[]);
}

#[test]
fn a_lost_update_is_found() {
    // By program counters: 00, 10, 01, 11, 20 and 02 are one state each. 21 and 12 are two each, since the load saw 0 or
    // 1; so is 22, with 1 or 2 as the result. Steps: 2 from each of the first four, 1 from each of the next six.
    let racy = [(Property::EXCEPTION, 1000), (Property::RACE, 0)];
    check(&lost_update(2), (12, 14, 2, 0, Ending::Complete), &racy);
}

#[test]
fn philosophers_deadlock() {
    // Program counters 0 to 4: holding nothing, own, both, own, nothing. Out of 25 pairs, 22, 21, 12, 23 and 32 would
    // share a fork, and 33 is out of reach: to let go of the second fork, one must have had both. That leaves 19, with
    // 8 steps from 0*, 4 from 1*, 2 from 2*, 4 from 3* and 4 from 4*.
    let key = (7 * 31 + 1) * 31 + 1;
    check(
        &philosophers(2, 1),
        (19, 22, 1, 1, Ending::Complete),
        &[(Property::DEADLOCK, key)],
    );
}

#[test]
fn an_endless_program_ends() {
    // Two instructions and five values.
    let toy = Toy::new(1, &[&[Op::Inc(0, 5), Op::Goto(0)]]);
    check(&toy, (10, 10, 0, 0, Ending::Complete), &[]);
}

#[test]
fn every_choice_is_made() {
    // Start; 3 registers at the first test, of which 1 goes on and 2 fall through to a Goto past the end; then the
    // failing state, and three ends by register.
    let toy = Toy::new(0, &[&[Op::Choose(3), Op::If(1, 3), Op::Goto(4), Op::Fail(5)]]);
    check(
        &toy,
        (1 + 3 + 1 + 2 + 3, 3 + 3 + 3, 3, 0, Ending::Complete),
        &[(Property::EXCEPTION, 5)],
    );
}

#[test]
fn ignored_executions_are_not_followed() {
    // Start; registers 0 and 1; for 0 the ignored state, in which the flaw of the other thread does not count.
    let toy = Toy::new(0, &[&[Op::Choose(2), Op::If(1, 3), Op::Ignore]]);
    check(&toy, (5, 4, 1, 0, Ending::Complete), &[]);
    assert_eq!(run(&toy, &all()).ignored, 1);
    let failing = Toy::new(0, &[&[Op::Ignore], &[Op::Fail(1)]]);
    check(&failing, (1, 0, 0, 0, Ending::Complete), &[]);
}

#[test]
fn an_unsupported_step_leaves_the_others() {
    let toy = Toy::new(1, &[&[Op::Foreign], &[Op::Set(0, 1), Op::Set(0, 2)]]);
    for order in [Order::Depth, Order::Breadth, Order::Random] {
        let options = Options {
            order,
            states: Some(1000),
            ..all()
        };
        let outcome = run(&toy, &options);
        assert_eq!((outcome.figures.states, outcome.unsupported.len()), (3, 1), "{order:?}");
        if order != Order::Random {
            let Ending::Stopped(Why::Unsupported(what)) = &outcome.ending else {
                panic!("{:?}", outcome.ending)
            };
            assert_eq!((what.what.as_str(), outcome.figures.transitions), ("foreign 0", 2));
        }
    }
}

#[test]
fn marks_and_threads_are_collected() {
    let toy = Toy::new(1, &[&[Op::Mark(3), Op::While(0, 0, 3), Op::Mark(4)], &[Op::Mark(5)]]);
    let outcome = run(&toy, &all());
    assert_eq!(outcome.marks, [3, 5].into());
    assert_eq!(outcome.figures.threads, 2);
}

#[test]
fn only_what_is_asked_for_is_reported() {
    for property in [Property::EXCEPTION, Property::RACE, Property::DEADLOCK] {
        let options = Options {
            properties: BTreeSet::from([property]),
            ..all()
        };
        let found = run(&lost_update(2), &options).found;
        assert!(found.iter().all(|found| found.flaw.property == property));
        assert_eq!(found.len(), usize::from(property != Property::DEADLOCK));
    }
}

#[test]
fn the_first_violation_ends_the_search() {
    for order in [Order::Depth, Order::Breadth, Order::Random] {
        let options = Options {
            order,
            all: false,
            ..all()
        };
        let outcome = run(&philosophers(3, 2), &options);
        assert_eq!(outcome.ending, Ending::Stopped(Why::FirstViolation), "{order:?}");
        assert_eq!(outcome.found.len(), 1);
    }
}

#[test]
fn breadth_first_traces_are_shortest() {
    let options = Options {
        order: Order::Breadth,
        ..all()
    };
    let outcome = run(&philosophers(4, 3), &options);
    let shortest = outcome.found.iter().map(|found| found.actions.len()).min();
    assert_eq!(shortest, Some(4));
}

#[test]
fn limits_stop_the_search() {
    let endless = Toy::new(1, &[&[Op::Count(0, u32::MAX)], &[Op::Goto(1)]]);
    for order in [Order::Depth, Order::Breadth, Order::Random] {
        let base = Options { order, ..all() };
        let time = Duration::from_millis(50);
        let cases = [
            (
                Options {
                    states: Some(10),
                    ..base.clone()
                },
                Why::States,
            ),
            (
                Options {
                    time: Some(time),
                    ..base.clone()
                },
                Why::Time,
            ),
        ];
        for (options, why) in cases {
            let start = Instant::now();
            let outcome = run(&endless, &options);
            assert_eq!(outcome.ending, Ending::Stopped(why.clone()), "{order:?}");
            if why == Why::States {
                assert_eq!(outcome.figures.states, 10);
            }
            if why == Why::Time {
                assert!(
                    start.elapsed() < Duration::from_secs(60),
                    "{order:?} {:?}",
                    start.elapsed()
                );
            }
        }
    }
}

#[test]
fn the_observer_says_when_there_is_no_memory() {
    struct Small(std::cell::Cell<u32>);
    impl Observer for Small {
        fn progress(&mut self, _: &Figures) -> bool {
            true
        }
        fn has_room(&self) -> bool {
            self.0.set(self.0.get() + 1);
            self.0.get() < 10
        }
    }
    let endless = Toy::new(1, &[&[Op::Count(0, u32::MAX)], &[Op::Goto(1)]]);
    for order in [Order::Depth, Order::Breadth, Order::Random] {
        let (mut state, mut visited) = (endless.start(), Table::new());
        let options = Options { order, ..all() };
        let mut observer = Small(std::cell::Cell::default());
        let outcome = explore(&endless, &mut state, &mut visited, &options, None, &mut observer).unwrap();
        assert_eq!(outcome.ending, Ending::Stopped(Why::Memory), "{order:?}");
    }
}

#[test]
fn a_limit_that_is_just_enough_does_not_stop() {
    let options = Options {
        states: Some(12),
        ..all()
    };
    assert_eq!(run(&lost_update(2), &options).ending, Ending::Complete);
}

#[test]
fn the_observer_can_end_it() {
    struct Impatient(u32);
    impl Observer for Impatient {
        fn progress(&mut self, figures: &Figures) -> bool {
            assert!(figures.states > 0 && figures.store_bytes > 0);
            self.0 += 1;
            self.0 < 2
        }
    }
    let endless = Toy::new(1, &[&[Op::Count(0, u32::MAX)]]);
    let mut observer = Impatient(0);
    let outcome = explore(
        &endless,
        &mut endless.start(),
        &mut Table::new(),
        &all(),
        None,
        &mut observer,
    )
    .unwrap();
    assert_eq!((outcome.ending, observer.0), (Ending::Stopped(Why::Interrupted), 2));
}

#[test]
fn preemption_bounds_cut_what_they_should() {
    // The update is lost by one preemption, between load and store. At most two are possible at all.
    for order in [Order::Depth, Order::Breadth] {
        let cases = [(0, false, false), (1, true, false), (2, true, true)];
        for (bound, lost, complete) in cases {
            let options = Options {
                order,
                preemptions: Some(bound),
                properties: BTreeSet::from([Property::EXCEPTION]),
                ..all()
            };
            let outcome = run(&lost_update(2), &options);
            assert_eq!(!outcome.found.is_empty(), lost, "{order:?} {bound}");
            let ending = if complete {
                Ending::Complete
            } else {
                Ending::Stopped(Why::Preemptions)
            };
            assert_eq!(outcome.ending, ending, "{order:?} {bound}");
        }
        // One philosopher is interrupted with one fork; then his left neighbour takes one and is blocked, and so on.
        for (bound, dead) in [(0, false), (1, true)] {
            let options = Options {
                order,
                preemptions: Some(bound),
                ..all()
            };
            let outcome = run(&philosophers(3, 1), &options);
            assert_eq!(!outcome.found.is_empty(), dead, "{order:?} {bound}");
        }
        // Nobody to preempt, not even in a cycle.
        let alone = Toy::new(1, &[&[Op::Inc(0, 5), Op::Goto(0)]]);
        let options = Options {
            order,
            preemptions: Some(0),
            ..all()
        };
        assert_eq!(run(&alone, &options).ending, Ending::Complete);
    }
}

#[test]
fn random_walks_find_easy_bugs_and_prove_nothing() {
    for seed in 0..10 {
        let options = Options {
            order: Order::Random,
            all: false,
            seed,
            ..all()
        };
        assert_eq!(run(&philosophers(2, 1), &options).found.len(), 1);
    }
    let options = Options {
        order: Order::Random,
        states: Some(1000),
        ..all()
    };
    let grid = Toy::new(2, &[&[Op::Set(0, 1)], &[Op::Set(1, 1)]]);
    let outcome = run(&grid, &options);
    assert_eq!(outcome.ending, Ending::Stopped(Why::States));
    assert_eq!((outcome.figures.states, outcome.finals), (4, 1));
    let straight = Toy::new(1, &[&[Op::Set(0, 1), Op::Set(0, 2)]]);
    assert_eq!(run(&straight, &options).ending, Ending::Complete);
}

#[test]
fn a_lossy_store_proves_nothing() {
    for order in [Order::Depth, Order::Breadth] {
        let options = Options { order, ..all() };
        let outcome = run_with(&lost_update(2), &options, Table::bits());
        assert_eq!(outcome.ending, Ending::Stopped(Why::Inexact));
        assert_eq!((outcome.figures.states, outcome.found.len()), (12, 2));
    }
}

#[test]
fn real_stores_count_the_same() {
    for seed in 0..100 {
        let toy = any_toy(seed);
        for order in [Order::Depth, Order::Breadth] {
            for preemptions in [None, Some(1)] {
                let options = Options {
                    order,
                    preemptions,
                    states: Some(3_000),
                    ..all()
                };
                let expected = run(&toy, &options);
                let stores: [Box<dyn StateTable>; 3] = [
                    Box::new(store::Exact::new()),
                    Box::new(store::Fingerprint::new()),
                    Box::new(store::Bits::new(1 << 20)),
                ];
                for mut visited in stores {
                    let mut state = toy.start();
                    let outcome =
                        explore(&toy, &mut state, &mut *visited, &options, None, &mut search::Silent).unwrap();
                    assert_eq!(outcome.figures.states, expected.figures.states, "{seed} {order:?}");
                    assert_eq!(flaws(&outcome), flaws(&expected), "{seed} {order:?}");
                    outcome.found.iter().for_each(|found| assert_replays(&toy, found));
                }
            }
        }
    }
}

#[test]
fn traces_survive_renaming() {
    for threads in [2, 3, 4] {
        let toy = Toy {
            symmetric: true,
            ..lost_update(threads)
        };
        for order in [Order::Depth, Order::Breadth] {
            for seed in 0..20 {
                let options = Options {
                    order,
                    shuffle: true,
                    seed,
                    ..all()
                };
                assert_eq!(run(&toy, &options).found.len(), 2);
            }
        }
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let base = Options {
        properties: BTreeSet::from([Property::LIVELOCK]),
        ..all()
    };
    let cases = [
        (
            Options {
                order: Order::Breadth,
                ..base.clone()
            },
            Conflict::LivelockOrder,
        ),
        (
            Options {
                order: Order::Random,
                ..base.clone()
            },
            Conflict::LivelockOrder,
        ),
        (
            Options {
                preemptions: Some(1),
                ..base.clone()
            },
            Conflict::LivelockBound,
        ),
    ];
    let toy = lost_update(2);
    for (options, conflict) in cases {
        let refused = explore(
            &toy,
            &mut toy.start(),
            &mut Table::new(),
            &options,
            None,
            &mut search::Silent,
        );
        assert_eq!(refused.map(|_| ()), Err(conflict));
    }
    assert_eq!(base.check(), Ok(()));
}

#[test]
fn deep_paths_need_no_stack() {
    let deep = 1_000_000;
    let toy = Toy::new(1, &[&[Op::Count(0, deep), Op::Fail(1)]]);
    for order in [Order::Depth, Order::Breadth] {
        let outcome = run(&toy, &Options { order, ..all() });
        assert_eq!(outcome.figures.states, u64::from(deep) + 2);
        assert_eq!(outcome.figures.max_depth, u64::from(deep) + 1);
        assert_eq!(outcome.found[0].actions.len(), deep as usize);
    }
}

#[test]
fn orders_agree_on_any_program() {
    let mut compared = 0;
    for seed in 0..400 {
        let toy = any_toy(seed);
        let base = Options {
            states: Some(20_000),
            ..all()
        };
        let depth = run(&toy, &base);
        if depth.ending != Ending::Complete {
            continue;
        }
        let others = [
            Options {
                order: Order::Breadth,
                ..base.clone()
            },
            Options {
                shuffle: true,
                seed,
                ..base.clone()
            },
            Options {
                order: Order::Breadth,
                shuffle: true,
                seed,
                ..base.clone()
            },
        ];
        for options in others {
            let other = run(&toy, &options);
            let counts = |one: &search::Outcome<Action>| {
                let figures = one.figures;
                (
                    figures.states,
                    figures.transitions,
                    figures.threads,
                    one.finals,
                    one.deadlocks,
                    one.ignored,
                )
            };
            assert_eq!(counts(&depth), counts(&other), "{seed} {toy:?}");
            assert_eq!(flaws(&depth), flaws(&other), "{seed} {toy:?}");
            assert_eq!(depth.marks, other.marks);
        }
        compared += 1;
    }
    assert!(compared > 300, "{compared}");
}
