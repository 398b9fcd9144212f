//! Traces made easier to read, against the best there are.

use crate::toy::*;
use kernel::{Flaw, Property, System, Transitions};
use search::{Effort, Options, Order, meets, minimise};
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// Searches with many seeds and minimises what is found; every result replays and none is worse.
fn minimised(toy: &Toy, properties: &[Property], effort: &Effort) -> Vec<(Flaw, usize, usize)> {
    let mut results = Vec::new();
    for seed in 0..5 {
        let options = Options {
            properties: properties.iter().copied().collect(),
            shuffle: seed > 0,
            seed,
            ..all()
        };
        for found in run(toy, &options).found {
            let mut state = toy.start();
            let better = minimise(toy, &mut state, &found, effort);
            assert_eq!(state, toy.start());
            assert_eq!(better.flaw, found.flaw);
            assert_replays(toy, &better);
            let cost = |actions: &[Action]| (switches(actions), actions.len());
            assert!(cost(&better.actions) <= cost(&found.actions) || better.loop_start.is_some());
            results.push((better.flaw, switches(&better.actions), better.actions.len()));
        }
    }
    results
}

fn check(toy: &Toy, properties: &[Property], switches: usize, steps: usize) {
    let results = minimised(toy, properties, &Effort::default());
    assert!(!results.is_empty());
    for (flaw, found_switches, found_steps) in results {
        assert_eq!((found_switches, found_steps), (switches, steps), "{flaw:?}");
    }
}

#[test]
fn known_minima_are_found() {
    // Load, the other thread as a whole, store.
    check(&lost_update(2), &[Property::EXCEPTION], 2, 4);
    // Load, both other threads, store.
    check(&lost_update(3), &[Property::EXCEPTION], 3, 6);
    // One fork each.
    check(&philosophers(2, 1), &[Property::DEADLOCK], 1, 2);
    let three = minimised(&philosophers(3, 2), &[Property::DEADLOCK], &Effort::default());
    assert!(three.iter().any(|&(_, switches, steps)| (switches, steps) == (2, 3)));
    // The flag must be set and the reader must have passed its first test: one switch, and noise of a third thread.
    let noise = vec![Op::Inc(1, 7); 6];
    let toy = Toy::new(2, &[&[Op::While(0, 0, 0), Op::Fail(1)], &[Op::Set(0, 1)], &noise]);
    check(&toy, &[Property::EXCEPTION], 1, 2);
}

#[test]
fn a_livelock_keeps_its_loop() {
    // All of the noise is needed, since as long as it lasts something changes: 1 switch, and 1 more into the loop.
    let noise = vec![Op::Inc(1, 7); 3];
    let toy = Toy::new(3, &[&[Op::Set(2, 1), Op::While(0, 0, 1)], &noise]);
    let results = minimised(&toy, &[Property::LIVELOCK], &Effort::default());
    assert!(!results.is_empty());
    for (_, switches, steps) in results {
        assert!(switches <= 2 && steps == 1 + 3 + 1, "{switches} {steps}");
    }
}

#[test]
fn little_effort_is_kept_to() {
    let deep = 300_000;
    let toy = Toy::new(
        2,
        &[&[Op::Count(0, deep), Op::Fail(1)], &[Op::Inc(1, 2), Op::Inc(1, 2)]],
    );
    let options = Options {
        order: Order::Depth,
        all: false,
        ..all()
    };
    let found = run(&toy, &options).found.remove(0);
    let effort = Effort {
        stopped: || false,
        states: u64::MAX,
        time: Duration::from_millis(300),
    };
    let start = Instant::now();
    let better = minimise(&toy, &mut toy.start(), &found, &effort);
    // However busy the machine is: without the limit this takes hours.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert_replays(&toy, &better);
}

/// The fewest switches, by trying all states with 0 switches, then 1, and so on.
fn fewest_switches(toy: &Toy, flaw: Flaw) -> usize {
    let mut met = HashSet::new();
    let mut level = vec![(toy.start(), None)];
    for switches in 0.. {
        let mut next = Vec::new();
        while let Some((mut state, last)) = level.pop() {
            if !met.insert((state.clone(), last)) {
                continue;
            }
            let mut transitions = Transitions::default();
            toy.transitions(&mut state, &mut transitions);
            if meets(toy, &mut state, &transitions, flaw) {
                return switches;
            }
            if transitions.end != kernel::End::Open {
                continue;
            }
            for entry in transitions.entries().iter().filter(|entry| entry.enabled) {
                let undo = toy.apply(&mut state, entry.action).unwrap();
                let to = if last.is_none_or(|thread| thread == entry.thread) {
                    &mut level
                } else {
                    &mut next
                };
                to.push((state.clone(), Some(entry.thread)));
                toy.undo(&mut state, undo);
            }
        }
        assert!(!next.is_empty(), "a flaw out of reach");
        level = next;
    }
    unreachable!()
}

#[test]
fn any_program_gets_its_fewest_switches() {
    let mut flaws = BTreeSet::new();
    for seed in 0..150 {
        let toy = any_toy(seed);
        let limited = Options {
            states: Some(3_000),
            ..all()
        };
        if run(&toy, &limited).ending != search::Ending::Complete {
            continue;
        }
        let properties = [Property::DEADLOCK, Property::EXCEPTION, Property::RACE];
        for (flaw, switches, _) in minimised(&toy, &properties, &Effort::default()) {
            assert_eq!(switches, fewest_switches(&toy, flaw), "{seed} {flaw:?} {toy:?}");
            flaws.insert((seed, flaw));
        }
    }
    assert!(flaws.len() > 100, "{}", flaws.len());
}
