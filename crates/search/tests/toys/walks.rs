//! Walks before a search: a violation that one of them meets is enough, and nothing else changes.

use crate::toy::{Action, Op, State, Table, Toy, assert_replays};
use kernel::{Property, Reduction, ThreadId, Transition, Transitions};
use search::{Ending, Figures, Observer, Options, Order, Outcome, Silent, Why, explore};
use std::time::Duration;

/// A reduction that leaves nothing out, or that relies on something wrong until it is refined: that the first thread is enough.
#[derive(Default)]
pub struct First {
    pub wrong: bool,
    /// How often it was told that the system takes other steps.
    pub renewed: u32,
}

impl Reduction<Toy> for First {
    fn ample(
        &mut self,
        _toy: &Toy,
        _state: &mut State,
        transitions: &Transitions<Action>,
        _last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    ) {
        let first = transitions
            .entries()
            .first()
            .filter(|entry| self.wrong && entry.enabled);
        enough.extend(first.map(|entry| entry.thread));
    }

    fn is_atomic(&self) -> bool {
        false
    }

    fn has_transactions(&self) -> bool {
        false
    }

    fn in_transaction(&self) -> bool {
        false
    }

    fn diverges(&mut self, _toy: &Toy, _state: &mut State, _thread: ThreadId) {}

    fn sleeps(&self) -> bool {
        false
    }

    fn commute(
        &mut self,
        _toy: &Toy,
        _state: &mut State,
        _transitions: &Transitions<Action>,
        _one: &Transition<Action>,
        _two: &Transition<Action>,
    ) -> bool {
        false
    }

    fn name(&self, _toy: &Toy, _state: &mut State, _action: Action) -> Option<u64> {
        None
    }

    fn keeps_preemptions(&self) -> bool {
        false
    }

    fn is_broken(&self) -> bool {
        self.wrong
    }

    fn refine(&mut self, _toy: &Toy, _state: &mut State) -> bool {
        std::mem::take(&mut self.wrong)
    }

    fn renew(&mut self) {
        self.renewed += 1;
    }
}

pub fn walking() -> Options {
    Options {
        trial: 10_000,
        random_walks: true,
        ..Options::default()
    }
}

fn walk(toy: &Toy, options: &Options, observer: &mut dyn Observer) -> Outcome<Action> {
    walk_with(toy, options, &mut First::default(), observer)
}

/// Searches, and checks that the state is back at the start and that what was found is there.
pub fn walk_with(toy: &Toy, options: &Options, reduction: &mut First, observer: &mut dyn Observer) -> Outcome<Action> {
    let (mut state, mut table) = (toy.start(), Table::new());
    let outcome = explore(toy, &mut state, &mut table, options, Some(reduction), observer).expect("legal options");
    assert_eq!(state, toy.start());
    outcome.found.iter().for_each(|found| assert_replays(toy, found));
    outcome
}

/// Two threads that take two locks, each in its own order.
pub fn crossed() -> Toy {
    let take = |one, two| {
        [
            Op::Mark(7),
            Op::Lock(one),
            Op::Lock(two),
            Op::Unlock(two),
            Op::Unlock(one),
        ]
    };
    Toy::new(2, &[&take(0, 1), &take(1, 0)])
}

#[test]
fn a_violation_on_a_walk_needs_no_search() {
    let outcome = walk(&crossed(), &walking(), &mut Silent);
    let properties: Vec<Property> = outcome.found.iter().map(|found| found.flaw.property).collect();
    assert_eq!(properties, [Property::DEADLOCK]);
    assert_eq!(outcome.ending, Ending::Stopped(Why::FirstViolation));
    assert!(outcome.by_walk && outcome.walked.walks > 0 && outcome.marks.contains(&7));
    let figures = outcome.figures;
    assert_eq!((figures.states, figures.threads), (0, 2));
    assert!(figures.transitions >= outcome.found[0].actions.len() as u64 && figures.max_depth <= 8);
    let again = walk(&crossed(), &walking(), &mut Silent);
    assert_eq!((again.found, again.walked), (outcome.found, outcome.walked));
}

#[test]
fn whoever_asks_for_more_gets_a_search() {
    let more = [
        Options { all: true, ..walking() },
        Options {
            order: Order::Breadth,
            ..walking()
        },
        Options {
            random_walks: false,
            ..walking()
        },
        Options { trial: 0, ..walking() },
        Options {
            time: Some(Duration::ZERO),
            ..walking()
        },
    ];
    for options in more {
        let outcome = walk(&crossed(), &options, &mut Silent);
        assert!(!outcome.by_walk && outcome.figures.states > 0, "{options:?}");
    }
}

#[test]
fn threads_that_could_meet_are_made_to() {
    let busy = |own: usize, times: usize| vec![Op::Inc(own, 2); times];
    let one = [busy(1, 90), vec![Op::Load(0)], busy(1, 90)].concat();
    let two = [busy(2, 20), vec![Op::Store(0)], busy(2, 160)].concat();
    let toy = Toy::new(3, &[&one, &two]);
    for seed in 0..20 {
        let outcome = walk(&toy, &Options { seed, ..walking() }, &mut Silent);
        assert!(outcome.by_walk, "{seed}");
        assert_eq!(outcome.found[0].flaw.property, Property::RACE);
    }
}

#[test]
fn only_what_is_wanted_counts() {
    let outcome = walk(
        &crossed(),
        &Options {
            properties: [Property::EXCEPTION, Property::REACHABLE].into(),
            ..walking()
        },
        &mut Silent,
    );
    assert_eq!((outcome.ending, outcome.by_walk), (Ending::Complete, false));
}

#[test]
fn walks_that_meet_nothing_say_nothing() {
    // What comes after an execution that is to be forgotten, or after a step that is not supported, is nobody's.
    let forgotten = Toy::new(1, &[&[Op::Ignore, Op::Fail(1)], &[Op::Inc(0, 2)]]);
    let outcome = walk(&forgotten, &walking(), &mut Silent);
    assert!(outcome.found.is_empty() && outcome.ending == Ending::Complete);
    let foreign = Toy::new(1, &[&[Op::Foreign, Op::Fail(1)], &[Op::Inc(0, 2)]]);
    let outcome = walk(&foreign, &walking(), &mut Silent);
    assert!(outcome.found.is_empty());
    assert!(matches!(outcome.ending, Ending::Stopped(Why::Unsupported(_))));
    let endless = Toy::new(1, &[&[Op::Inc(0, 2), Op::Goto(0)], &[Op::Inc(0, 2), Op::Goto(0)]]);
    let outcome = walk(&endless, &walking(), &mut Silent);
    assert_eq!((outcome.ending, outcome.by_walk), (Ending::Complete, false));
    // All steps that there are for walks were taken.
    let walked = outcome.walked;
    assert!(
        walked.walks > 12 && (110_000..116_000).contains(&walked.steps),
        "{walked:?}"
    );
    // Where there is nothing to choose, one is as good as none.
    let alone = Toy::new(1, &[&[Op::Inc(0, 2), Op::Inc(0, 2)]]);
    let walked = walk(&alone, &walking(), &mut Silent).walked;
    assert!(walked.walks == 0 && walked.steps <= 4, "{walked:?}");
}

#[test]
fn one_who_must_come_right_after_the_first_of_many_does() {
    for setters in [5, 10, 20] {
        let (set, test) = (
            [Op::Set(0, 1), Op::Set(1, 1)],
            [Op::While(0, 0, 3), Op::While(1, 1, 3), Op::Fail(1)],
        );
        let mut threads = vec![&set[..]; setters];
        threads.push(&test);
        let toy = Toy::new(2, &threads);
        for seed in 0..20 {
            let outcome = walk(&toy, &Options { seed, ..walking() }, &mut Silent);
            assert!(outcome.by_walk, "{setters} {seed}");
        }
    }
}

#[test]
fn a_walk_before_a_search_starts_over_counts_as_well() {
    // Only who comes before the first thread fails.
    let toy = Toy::new(1, &[&[Op::Set(0, 1)], &[Op::While(0, 1, 2), Op::Fail(1)]]);
    let by_walk = (0..20).filter(|&seed| {
        let options = Options {
            trial: 0,
            seed,
            ..walking()
        };
        let outcome = walk_with(
            &toy,
            &options,
            &mut First {
                wrong: true,
                ..First::default()
            },
            &mut Silent,
        );
        assert_eq!(outcome.found.len(), 1, "{seed}");
        assert_eq!(outcome.ending, Ending::Stopped(Why::FirstViolation));
        let walked = outcome.by_walk;
        assert_eq!(walked, outcome.figures.states == 0);
        assert_eq!(walked, outcome.restarts == 0);
        walked
    });
    assert!((1..20).contains(&by_walk.count()));
}

/// Ends everything as soon as it hears of it.
struct Impatient;

impl Observer for Impatient {
    fn progress(&mut self, _figures: &Figures) -> bool {
        false
    }
}

#[test]
fn walks_can_be_interrupted() {
    let endless = Toy::new(
        2,
        &[
            &[Op::Inc(0, u32::MAX), Op::Goto(0)],
            &[Op::Inc(1, u32::MAX), Op::Goto(0)],
        ],
    );
    let outcome = walk(&endless, &walking(), &mut Impatient);
    assert_eq!(outcome.ending, Ending::Stopped(Why::Interrupted));
}
