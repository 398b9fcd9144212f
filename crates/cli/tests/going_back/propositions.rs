//! Propositions about Java programs, in all states of a small one.

use crate::{common, compile_sources, vector};
use kernel::{Propositions, System, Transitions};
use machine::system::Java;
use machine::{Machine, Proposition, Start, StepSemantics};
use std::collections::HashSet;

const TEXT: &str = "public class Props {
    static int x;
    static volatile boolean ready;
    static long wide = 1L << 40;
    static double real;
    static Thread worker;
    static class Inner { static byte small; }
    public static void main(String[] a) throws Exception {
        worker = new Thread(() -> { x = 1; ready = true; Inner.small = -3; });
        worker.start();
        wide = -wide;
        worker.join();
        x = 2;
    }
}";

/// Each with whether it must be seen to be false as well.
const PROPOSITIONS: [(&str, bool); 9] = [
    ("Props.x == 1", true),
    ("Props.x >= 2", true),
    ("Props.ready == true", true),
    ("Props.wide < 0", true),
    (" Props.wide != 5 ", false),
    ("Props.Inner.small == -3", true),
    ("Props$Inner.small <= 0", false),
    ("done(Props.worker)", true),
    ("done(main)", true),
];

struct Walk<'s, 'p> {
    system: &'s Java<'p>,
    propositions: Vec<Proposition>,
    visited: HashSet<Vec<u32>>,
    /// What was true, and what was false, somewhere.
    seen: [HashSet<usize>; 2],
    /// How many steps were said to change nothing.
    invisible: usize,
}

impl<'p> Walk<'_, 'p> {
    fn values(&mut self, state: &mut Machine<'p>) -> Vec<bool> {
        let values: Vec<bool> = self
            .propositions
            .iter()
            .map(|one| self.system.holds(state, one))
            .collect();
        for (position, &value) in values.iter().enumerate() {
            self.seen[usize::from(value)].insert(position);
        }
        values
    }

    /// Goes to all states that follow. A step changes only what it is said to change.
    fn walk(&mut self, state: &mut Machine<'p>) {
        if !self.visited.insert(vector(state)) {
            return;
        }
        let before = self.values(state);
        let (x_is_two, ready, over) = (before[1], before[2], before[7]);
        assert!(!over || ready, "the worker writes before it ends");
        assert!(!x_is_two || over, "the main thread waits for it");
        let mut transitions = Transitions::default();
        self.system.transitions(state, &mut transitions);
        for step in transitions.entries().iter().filter(|step| step.enabled) {
            let visible: Vec<bool> = self
                .propositions
                .iter()
                .map(|one| self.system.may_change(state, &transitions, step, one))
                .collect();
            self.invisible += visible.iter().filter(|visible| !**visible).count();
            let undo = self.system.apply(state, step.action).expect("the step is supported");
            let after = self.values(state);
            for (position, (text, _)) in PROPOSITIONS.iter().enumerate() {
                let changes = before[position] != after[position];
                assert!(!changes || visible[position], "{text} is changed by {step:?}");
            }
            self.walk(state);
            self.system.undo(state, undo);
        }
    }
}

#[test]
fn propositions_of_a_java_program_are_true_where_they_should_be() {
    let classes = compile_sources("propositions", &[("Props".to_owned(), TEXT.to_owned())]);
    for jdk in common::jdks() {
        for solo in [false, true] {
            common::with_machine(&jdk, &classes, |machine, _| {
                let system = Java {
                    shared: machine.shared,
                    start: Start {
                        class: "Props".to_owned(),
                        entry: None,
                        arguments: Vec::new(),
                    },
                    semantics: StepSemantics {
                        solo,
                        ..StepSemantics::default()
                    },
                    alone: false,
                    allowed: Vec::new(),
                    operations: std::sync::Arc::default(),
                };
                let mut state = system.initial().expect("the program starts");
                let propositions = PROPOSITIONS.map(|(text, _)| {
                    let made = system.proposition(&mut state, text);
                    made.unwrap_or_else(|error| panic!("{text}: {error}"))
                });
                let mut walk = Walk {
                    system: &system,
                    propositions: propositions.to_vec(),
                    visited: HashSet::new(),
                    seen: Default::default(),
                    invisible: 0,
                };
                walk.walk(&mut state);
                assert!(walk.visited.len() > 10 && walk.invisible > 10, "{}", walk.visited.len());
                for (position, (text, both)) in PROPOSITIONS.iter().enumerate() {
                    assert!(walk.seen[1].contains(&position), "{text} is never true");
                    assert!(!both || walk.seen[0].contains(&position), "{text} is never false");
                }
                refuses(&system, &mut state);
            });
        }
    }
}

fn refuses<'p>(system: &Java<'p>, state: &mut Machine<'p>) {
    let wrong = "expected `Class.field`, a comparison and a number, or `done(thread)`, instead of";
    for (text, expected) in [
        ("", format!("{wrong} ``")),
        ("Props.x", format!("{wrong} `Props.x`")),
        ("Props.x = 1", format!("{wrong} `Props.x = 1`")),
        ("x == 1", "expected `Class.field` instead of `x`".to_owned()),
        ("[I.x == 1", "expected `Class.field` instead of `[I.x`".to_owned()),
        ("Prop.x == 1", "there is no class `Prop`".to_owned()),
        ("Props.y == 1", "`Props` has no static field `y`".to_owned()),
        ("Props.x == one", "`one` is no integer".to_owned()),
        (
            "Props.real == 1",
            "only fields of an integer type or `boolean` can be compared".to_owned(),
        ),
        ("done(Props.x)", "`Props.x` is no thread".to_owned()),
    ] {
        let refused = system.proposition(state, text);
        assert_eq!(refused.map(|_| ()), Err(expected), "{text}");
    }
}
