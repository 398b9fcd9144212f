//! Properties of one's own beside the built-in ones: each is defined here, and no other file knows of it.

use kernel::{
    AccessKind, Definition, Flaw, Inspected, Kind, Property, Propositions, System, Transitions, View, Visible, Wrapper,
};
use model::{Model, parse, random};
use search::{Conflict, Effort, Options, Outcome, Silent, explore, meets, minimise, replay, rewind};
use std::collections::BTreeSet;
use store::Exact;

/// Two threads want one lock.
static CONTENDED: Definition = Definition {
    name: "contended",
    summary: "two threads are about to take one lock",
    is_default: false,
    kind: Kind::State(Some(find_contention)),
    visible: Visible::EveryStep,
};

fn find_contention(state: &mut dyn Inspected, keys: &mut Vec<u64>) {
    let mut wanted = BTreeSet::new();
    let mut position = 0;
    while let Some(step) = state.next_step(position) {
        let locks = step
            .footprint
            .iter()
            .filter(|touch| touch.access == AccessKind::Acquire);
        for lock in locks
            .filter(|_| step.enabled)
            .map(|touch| u64::from(touch.location.object))
        {
            if !wanted.insert(lock) {
                keys.push(lock);
            }
        }
        position += 1;
    }
}

/// Something holds in every state. The system that is watched notices where it does not.
static INVARIANT: Definition = Definition {
    name: "invariant",
    summary: "a state in which something does not hold",
    is_default: false,
    kind: Kind::State(None),
    visible: Visible::EveryStep,
};

/// A system with propositions that are meant to hold in every state.
struct Watched<S: Propositions> {
    system: S,
    invariants: Vec<S::Proposition>,
}

impl<S: Propositions + View> Wrapper for Watched<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.system
    }

    fn transitions(&self, state: &mut S::State, transitions: &mut Transitions<S::Action>) {
        self.system.transitions(state, transitions);
        for (key, one) in (0..).zip(&self.invariants) {
            if !Propositions::holds(&self.system, state, one) {
                let property = Property::new(&INVARIANT);
                transitions.flaws.push(Flaw { property, key });
            }
        }
    }
}

const BANK: &str = "int money = 2; int paid; lock m, n;
    thread pays { acquire m; acquire n; money = money - 1; paid = paid + 1; release n; release m; }
    thread earns { acquire n; acquire m; money = money + 1; release m; release n; }";

fn model(text: &str, every: bool) -> Model {
    Model::new(&parse(text).expect("a model"), every).expect("a model")
}

fn options(own: &'static Definition) -> Options {
    Options {
        properties: Property::defaults().chain([Property::new(own)]).collect(),
        all: true,
        ..Options::default()
    }
}

fn search<S: System>(system: &S, options: &Options) -> Outcome<S::Action> {
    let mut state = system.initial().expect("a first state");
    explore(system, &mut state, &mut Exact::new(), options, None, &mut Silent).expect("legal options")
}

/// The names of what was found, and that every schedule leads there, the shorter one too.
fn found<S: System>(system: &S, outcome: &Outcome<S::Action>) -> BTreeSet<(&'static str, u64)> {
    let mut state = system.initial().expect("a first state");
    let mut names = BTreeSet::new();
    for found in &outcome.found {
        let short = minimise(system, &mut state, found, &Effort::default());
        assert!(short.actions.len() <= found.actions.len());
        let mut met = false;
        let undos = replay(system, &mut state, &short.actions, |state, transitions, next| {
            met |= next.is_none() && meets(system, state, transitions, found.flaw);
        });
        rewind(system, &mut state, undos.expect("a schedule that can be followed"));
        assert!(met, "{:?}", found.flaw);
        let key = if found.flaw.property == Property::new(&INVARIANT) {
            found.flaw.key
        } else {
            0
        };
        names.insert((found.flaw.property.name(), key));
    }
    names
}

#[test]
fn a_property_of_ones_own_is_found_beside_the_others() {
    let model = model(BANK, false);
    let with = search(&model, &options(&CONTENDED));
    assert_eq!(
        found(&model, &with),
        BTreeSet::from([("deadlock", 0), ("contended", 0)])
    );
    let without = search(
        &model,
        &Options {
            all: true,
            ..Options::default()
        },
    );
    assert_eq!(found(&model, &without), BTreeSet::from([("deadlock", 0)]));
    assert_eq!(with.figures.states, without.figures.states);
}

#[test]
fn a_property_of_ones_own_comes_last_and_has_a_name() {
    let contended = Property::new(&CONTENDED);
    let all: BTreeSet<Property> = [contended].into_iter().chain(Property::ALL.iter().copied()).collect();
    assert_eq!(all.last(), Some(&contended));
    assert!(contended != Property::DEADLOCK && contended == Property::new(&CONTENDED));
    assert_eq!(
        contended.violated(),
        "contended: two threads are about to take one lock"
    );
    let mut state = model(BANK, false).start();
    let flaw = Flaw {
        property: contended,
        key: 0,
    };
    let told = model(BANK, false).explain(&mut state, &Transitions::default(), flaw);
    assert_eq!(told.message, contended.violated());
}

#[test]
fn what_sees_every_step_is_not_looked_for_with_a_reduction() {
    let refused = options(&CONTENDED).check_reduced(false);
    assert_eq!(refused, Err(Conflict::EveryStep(Property::new(&CONTENDED))));
    assert_eq!(Options::default().check_reduced(false), Ok(()));
}

/// Something about executions as a whole that no search knows.
static FAIR: Definition = Definition {
    name: "fair",
    summary: "every thread has its turn",
    is_default: false,
    kind: Kind::Endless,
    visible: Visible::EveryStep,
};

#[test]
fn what_no_search_decides_is_refused() {
    let refused = options(&FAIR).check();
    assert_eq!(refused, Err(Conflict::Undecided(Property::new(&FAIR))));
}

#[test]
fn invariants_are_checked_in_every_state() {
    for every in [false, true] {
        let model = model(BANK, every);
        let texts = [
            "money >= 1",
            "money <= 2",
            "paid <= 1 and (owner(m) != earns or owner(n) == earns)",
            "!(done(pays) and paid == 0)",
            "not pays.at(2)",
        ];
        let invariants = texts.map(|text| model.proposition(text).expect(text));
        let watched = Watched {
            system: model,
            invariants: invariants.to_vec(),
        };
        let outcome = search(&watched, &options(&INVARIANT));
        // The second is broken if he earns first; the last one at the start.
        assert_eq!(
            found(&watched, &outcome),
            BTreeSet::from([("deadlock", 0), ("invariant", 1), ("invariant", 4)]),
            "every: {every}"
        );
    }
}

/// Whatever a step changes, it was said that it may.
#[test]
fn steps_that_change_a_proposition_are_visible() {
    let (mut changed, mut invisible) = (0, 0);
    for seed in 0..400 {
        for every in [false, true] {
            let model = Model::new(&random(seed), every).expect("a random model is one");
            let mut state = model.start();
            let names: Vec<String> = (0..model.threads())
                .map(|thread| model.thread_name(thread).to_owned())
                .collect();
            let done = names.iter().map(|name| format!("done({name})"));
            let lines = (1..40).map(|line| format!("{}.at({line})", names[0]));
            let data = model
                .plain_variables()
                .flat_map(|name| [format!("{name} == 1"), format!("{name}[0] > 0")]);
            let propositions: Vec<_> = done
                .chain(lines)
                .chain(data)
                .filter_map(|text| model.proposition(&text).ok())
                .collect();
            let (mut transitions, mut word) = (Transitions::default(), seed | 1);
            for _ in 0..60 {
                transitions.clear();
                model.transitions(&mut state, &mut transitions);
                let enabled: Vec<_> = transitions.entries().iter().filter(|entry| entry.enabled).collect();
                word ^= word << 13;
                word ^= word >> 7;
                word ^= word << 17;
                let Some(step) = enabled.get((word >> 20) as usize % enabled.len().max(1)) else {
                    break;
                };
                let before: Vec<bool> = propositions.iter().map(|one| model.holds(&mut state, one)).collect();
                let visible: Vec<bool> = propositions
                    .iter()
                    .map(|one| model.may_change(&mut state, &transitions, step, one))
                    .collect();
                model.apply(&mut state, step.action).expect("a step");
                for (position, one) in propositions.iter().enumerate() {
                    let changes = model.holds(&mut state, one) != before[position];
                    assert!(!changes || visible[position], "seed {seed}: {one:?} by {step:?}");
                    changed += usize::from(changes);
                    invisible += usize::from(!visible[position]);
                }
            }
        }
    }
    assert!(changed > 1000 && invisible > 1000, "{changed} {invisible}");
}
