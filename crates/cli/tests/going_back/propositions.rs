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
    static class Node { int value; Node next; }
    static Node first;
    static int[] cells = new int[2];
    static final Object lock = new Object();
    static final java.util.concurrent.locks.ReentrantLock fair = new java.util.concurrent.locks.ReentrantLock();
    public static void main(String[] a) throws Exception {
        first = new Node();
        worker = new Thread(() -> {
            x = 1;
            ready = true;
            Inner.small = -3;
            Node node = new Node();
            node.value = 7;
            synchronized (lock) { first.next = node; }
            cells[1] = 4;
        });
        worker.start();
        wide = -wide;
        fair.lock();
        fair.unlock();
        worker.join();
        x = 2;
    }
}";

/// Each with whether it must be seen to be false as well.
const PROPOSITIONS: [(&str, bool); 18] = [
    ("Props.x == 1", true),
    ("Props.x >= 2", true),
    ("Props.ready == true", true),
    ("Props.wide < 0", true),
    (" Props.wide != 5 ", false),
    ("Props.Inner.small == -3", true),
    ("Props.Inner.small <= 0", false),
    ("done(Props.worker)", true),
    ("done(main)", true),
    ("Props.ready", true),
    ("!Props.ready || Props.x > 0", false),
    ("Props.first.next != null", true),
    ("Props.first.next.value == 7", true),
    ("Props.first.next.value == Props.cells[1] + 3", true),
    ("Props.cells[1] > Props.cells[0]", true),
    ("locked(Props.lock)", true),
    ("owner(Props.lock) == Props.worker", true),
    ("owner(Props.fair) == main", true),
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
                    let made = driver::propositions::read(&state, text);
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
                refuses(&state);
            });
        }
    }
}

fn refuses(state: &Machine<'_>) {
    for (text, expected) in [
        ("", "1:1: expected a name instead of the end"),
        ("Props.x", "`Props.x` is no condition: compare it with something"),
        (
            "Props.worker",
            "`Props.worker` is no condition: compare it with something",
        ),
        ("x == 1", "1:1: `x` is nothing that a formula can look at"),
        ("this == null", "1:1: `this` is nothing that a formula can look at"),
        ("at(3)", "1:1: `at` is nothing that a formula can look at"),
        ("Prop.x == 1", "1:1: `Prop.x` is nothing that a formula can look at"),
        ("Props.y == 1", "1:1: Props has no static field `y`"),
        ("Props.first.size == 1", "Props$Node has no field `size`"),
        ("Props.x == Props.first", "these two do not go together"),
        (
            "Props.real == 1",
            "only integers, `boolean` and references can be compared",
        ),
        ("Props.x.y == 1", "1:1: no class of the program has a field `y`"),
        ("done(Props.x)", "`done` wants an object"),
        ("done(Props.first)", "`done` wants a thread"),
        ("Props.first[0] == 1", "only arrays have elements"),
        ("Props.ready Props.x", "1:13: expected an operator instead of"),
    ] {
        let refused = driver::propositions::read(state, text).expect_err(text);
        assert!(refused.starts_with(expected), "{text}: {refused}");
    }
}
