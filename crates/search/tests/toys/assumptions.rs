//! What the steps of a system rest on: if it is wrong it is dropped, and all is explored again.

use crate::toy::{Op, Table, Toy};
use crate::walks::{First, crossed, walk_with, walking};
use search::{Ending, Options, Order, Silent, Why, explore};

/// Two threads that are taken for each other until one wants its number. Only the second of them counts up.
fn numbered(symmetric: bool) -> Toy {
    let count = [Op::Number, Op::If(0, 4), Op::Inc(0, 3), Op::Inc(0, 3)];
    Toy {
        symmetric,
        ..Toy::new(1, &[&count, &count])
    }
}

#[test]
fn what_is_wrong_is_dropped_and_the_search_starts_over() {
    for order in [Order::Depth, Order::Breadth] {
        let options = Options {
            order,
            ..Options::default()
        };
        let search = |toy: &Toy| {
            let mut state = toy.start();
            let outcome = explore(toy, &mut state, &mut Table::new(), &options, None, &mut Silent);
            assert_eq!(state, toy.start());
            outcome.expect("legal options")
        };
        let (assumed, known) = (search(&numbered(true)), search(&numbered(false)));
        assert_eq!((assumed.restarts, known.restarts), (1, 0));
        assert_eq!((&assumed.ending, &known.ending), (&Ending::Complete, &Ending::Complete));
        assert_eq!(assumed.figures.states, known.figures.states);
        assert_eq!((assumed.unsupported.len(), assumed.finals), (0, known.finals));
    }
}

#[test]
fn a_reduction_is_new_for_other_steps() {
    let toy = numbered(true);
    let mut reduction = First::default();
    let outcome = walk_with(&toy, &walking(), &mut reduction, &mut Silent);
    assert_eq!((outcome.ending, outcome.restarts), (Ending::Complete, 1));
    assert_eq!(reduction.renewed, 1);
    // The walks are those of the search that counts.
    let known = walk_with(&numbered(false), &walking(), &mut First::default(), &mut Silent);
    assert_eq!(outcome.walked, known.walked);
}

#[test]
fn both_may_be_wrong() {
    let mut reduction = First {
        wrong: true,
        ..First::default()
    };
    let options = Options { trial: 0, ..walking() };
    let outcome = walk_with(&numbered(true), &options, &mut reduction, &mut Silent);
    let known = walk_with(&numbered(false), &options, &mut First::default(), &mut Silent);
    assert_eq!((outcome.ending, reduction.renewed), (Ending::Complete, 1));
    assert_eq!(outcome.figures.states, known.figures.states);
}

#[test]
fn a_violation_is_one_whatever_is_wrong() {
    let toy = crossed();
    toy.wanted.set(true);
    let outcome = walk_with(&toy, &walking(), &mut First::default(), &mut Silent);
    assert_eq!(outcome.ending, Ending::Stopped(Why::FirstViolation));
    assert_eq!(outcome.restarts, 0);
}

#[test]
fn what_cannot_be_dropped_leaves_the_search_incomplete() {
    let toy = numbered(false);
    toy.wanted.set(true);
    let outcome = walk_with(&toy, &walking(), &mut First::default(), &mut Silent);
    assert_eq!(outcome.ending, Ending::Stopped(Why::Broken));
}
