//! Livelocks on toys.

use crate::toy::*;
use kernel::Property;
use search::{Ending, Options, Why};
use std::collections::BTreeSet;

fn check(toy: &Toy, livelocks: usize) {
    for seed in 0..20 {
        let options = Options {
            properties: BTreeSet::from([Property::LIVELOCK]),
            shuffle: seed > 0,
            seed,
            ..all()
        };
        let outcome = run(toy, &options);
        assert_eq!(outcome.found.len(), livelocks, "{toy:?} {outcome:?}");
        assert_eq!(outcome.ending, Ending::Complete);
        assert!(outcome.found.iter().all(|found| found.loop_start.is_some()));
    }
}

#[test]
fn waiting_for_what_nobody_does_is_a_livelock() {
    check(&Toy::new(2, &[&[Op::While(0, 0, 0)], &[Op::Set(1, 1)]]), 1);
    // A loop of two steps, and two who wait: one component, one livelock.
    check(
        &Toy::new(1, &[&[Op::While(0, 0, 1), Op::Goto(0)], &[Op::While(0, 0, 0)]]),
        1,
    );
    // Nothing is touched at all.
    check(&Toy::new(0, &[&[Op::Goto(0)]]), 1);
    // Two places to be caught in.
    check(
        &Toy::new(0, &[&[Op::Choose(2), Op::If(1, 3), Op::Goto(2), Op::Goto(3)]]),
        2,
    );
}

#[test]
fn waiting_for_what_somebody_does_is_none() {
    check(&Toy::new(1, &[&[Op::While(0, 0, 0)], &[Op::Set(0, 1)]]), 0);
}

#[test]
fn a_loop_that_changes_something_is_none() {
    // One looks for what another changes again and again.
    check(
        &Toy::new(1, &[&[Op::While(0, 0, 0), Op::Goto(0)], &[Op::Inc(0, 3), Op::Goto(0)]]),
        0,
    );
    check(
        &Toy::new(1, &[&[Op::Inc(0, 3), Op::Goto(0)], &[Op::Inc(0, 3), Op::Goto(0)]]),
        0,
    );
}

#[test]
fn a_loop_that_changes_what_nobody_looks_at_is_one() {
    check(&Toy::new(1, &[&[Op::Inc(0, 3), Op::Goto(0)]]), 1);
    // One waits, another goes on changing other things.
    check(&Toy::new(2, &[&[Op::While(0, 0, 0)], &[Op::Inc(1, 3), Op::Goto(0)]]), 1);
    // Nothing but a lock that is taken and given back.
    check(&Toy::new(1, &[&[Op::Lock(0), Op::Unlock(0), Op::Goto(0)]]), 1);
    let turns: &[Op] = &[Op::Lock(0), Op::Unlock(0), Op::Goto(0)];
    check(&Toy::new(1, &[turns, turns]), 1);
}

#[test]
fn interchangeable_threads_are_two() {
    // Whoever has the lock changes what the other one will look at, but only one of them was seen to do so.
    let turns: &[Op] = &[Op::Lock(0), Op::Inc(1, 2), Op::Unlock(0), Op::Goto(0)];
    let mut toy = Toy::new(2, &[turns, turns]);
    toy.symmetric = true;
    check(&toy, 0);
    let turns: &[Op] = &[Op::Lock(0), Op::Unlock(0), Op::Goto(0)];
    let mut toy = Toy::new(1, &[turns, turns]);
    toy.symmetric = true;
    check(&toy, 1);
}

#[test]
fn an_execution_without_an_end_is_noticed_by_default() {
    let noticed = |toy: &Toy| {
        let outcome = run(toy, &Options::default());
        assert!(outcome.found.is_empty(), "{toy:?}");
        let endless = outcome.endless?;
        assert_replays(toy, &endless);
        endless.actions.last().map(|action| action.0)
    };
    // The second ends, the first waits for ever.
    assert_eq!(
        noticed(&Toy::new(2, &[&[Op::While(0, 0, 0)], &[Op::Set(1, 1)]])),
        Some(0)
    );
    // It may come too late.
    assert_eq!(
        noticed(&Toy::new(1, &[&[Op::While(0, 0, 0)], &[Op::Set(0, 1), Op::Set(0, 0)]])),
        Some(0)
    );
    assert_eq!(noticed(&Toy::new(1, &[&[Op::While(0, 0, 0)], &[Op::Set(0, 1)]])), None);
    assert_eq!(noticed(&Toy::new(1, &[&[Op::Set(0, 1)]])), None);
}

#[test]
fn ends_and_deadlocks_are_none() {
    check(&Toy::new(1, &[&[Op::Set(0, 1)]]), 0);
    check(&philosophers(3, 1), 0);
    check(&Toy::new(0, &[&[Op::Ignore]]), 0);
}

#[test]
fn a_step_that_may_lead_out_leaves_doubt() {
    let toy = Toy::new(1, &[&[Op::While(0, 0, 0)], &[Op::Foreign]]);
    let options = Options {
        properties: BTreeSet::from([Property::LIVELOCK]),
        ..all()
    };
    assert!(run(&toy, &options).found.is_empty());
}

#[test]
fn a_store_without_numbers_says_nothing() {
    let toy = Toy::new(1, &[&[Op::While(0, 0, 0)]]);
    let options = Options {
        properties: BTreeSet::from([Property::LIVELOCK]),
        ..all()
    };
    let outcome = run_with(&toy, &options, Table::bits());
    assert_eq!(
        (outcome.found.len(), outcome.ending),
        (0, Ending::Stopped(Why::Inexact))
    );
}

/// Terminal components by brute force: a state is in one iff it is reachable from all that it reaches.
#[test]
fn any_program_agrees_with_reachability() {
    use kernel::{AccessKind, System, Transition, Transitions};
    use std::collections::{BTreeMap, HashMap};
    let mut livelocks = 0;
    for seed in 0..600 {
        let toy = any_toy(seed);
        let mut numbers = HashMap::from([(toy.start(), 0)]);
        let mut states = vec![toy.start()];
        let mut edges: Vec<Vec<usize>> = Vec::new();
        let mut touched = Vec::new();
        while edges.len() < states.len() && states.len() < 400 {
            let mut state = states[edges.len()].clone();
            let mut transitions = Transitions::default();
            toy.transitions(&mut state, &mut transitions);
            let enabled: Vec<_> = transitions.entries().iter().filter(|entry| entry.enabled).collect();
            let touches = |entry: &&Transition<Action>| {
                let counted = transitions.footprint(entry).iter().copied();
                let counted =
                    counted.filter(|touch| !matches!(touch.access, AccessKind::Acquire | AccessKind::Release));
                counted.map(|touch| (entry.thread, touch)).collect::<Vec<_>>()
            };
            touched.push(enabled.iter().flat_map(touches).collect::<Vec<_>>());
            let mut to = Vec::new();
            for entry in enabled {
                let undo = toy.apply(&mut state, entry.action).unwrap();
                let next = numbers.len();
                to.push(*numbers.entry(state.clone()).or_insert(next));
                if numbers.len() > states.len() {
                    states.push(state.clone());
                }
                toy.undo(&mut state, undo);
            }
            edges.push(to);
        }
        if edges.len() < states.len() {
            continue;
        }
        let reach = |from: usize| {
            let (mut met, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(edges[at].iter().filter(|&&to| met.insert(to)));
            }
            met
        };
        let reached: Vec<_> = (0..states.len()).map(reach).collect();
        let mut keys = BTreeMap::new();
        for (at, met) in reached.iter().enumerate() {
            let all = || met.iter().flat_map(|&member| &touched[member]);
            let meet = || all().any(|one| all().any(|two| one.0 != two.0 && one.1.conflicts(two.1)));
            if met.contains(&at) && met.iter().all(|&other| reached[other].contains(&at)) && !meet() {
                let key = met.iter().map(|&member| toy.stuck(&mut states[member].clone())).min();
                keys.insert(key, ());
            }
        }
        livelocks += keys.len();
        check(&toy, keys.len());
        let noticed = run(&toy, &all()).endless.is_some();
        assert_eq!(noticed, !keys.is_empty(), "{toy:?}");
    }
    assert!(livelocks > 20, "{livelocks}");
}
