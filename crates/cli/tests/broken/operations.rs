//! Operations that take effect at once, broken on purpose: by what the table says, and by how their steps are taken.

use crate::java::{self, with_programs};
use crate::lying::{self, Lies};
use crate::{Caught, NOTHING, catch, common, explore, explore_lying, judge, strategy};
use kernel::Assumptions;
use machine::system::Java;
use machine::{Operations, StepSemantics};
use search::Order;
use std::sync::Arc;

/// By name, with the members of the class.
const PROGRAMS: &[(&str, &str)] = &[
    // One item is there at any moment, or none.
    (
        "Sized",
        "static final java.util.concurrent.ConcurrentLinkedQueue<Integer> queue = new java.util.concurrent.ConcurrentLinkedQueue<>();
        public static void main(String[] a) {
            queue.add(1);
            new Thread(() -> { queue.poll(); queue.add(2); }).start();
            Verify.observe(queue.size());
        }",
    ),
    // The second stripe counts twice: their sum is 0, 1 or 3 at any moment.
    (
        "Striped",
        "static class Counter {
            volatile int one;
            volatile int two;
            int sum() { return one + 2 * two; }
        }
        static final Counter counter = new Counter();
        public static void main(String[] a) {
            new Thread(() -> { counter.one = 1; counter.two = 1; }).start();
            Verify.observe(counter.sum());
        }",
    ),
    // The flag may be up and the queue empty.
    (
        "Entered",
        "static volatile int flag;
        public static void main(String[] a) {
            java.util.concurrent.ConcurrentLinkedQueue<Integer> queue = new java.util.concurrent.ConcurrentLinkedQueue<>();
            new Thread(() -> { flag = 1; queue.add(1); }).start();
            int seen = flag;
            Verify.observe(seen + (queue.peek() == null ? 0 : 10));
        }",
    ),
    // Who has tried in vain to take the lock has touched only one word of it.
    (
        "Tried",
        "static final java.util.concurrent.locks.ReentrantLock lock = new java.util.concurrent.locks.ReentrantLock();
        static final java.util.concurrent.ConcurrentLinkedQueue<Integer> queue = new java.util.concurrent.ConcurrentLinkedQueue<>();
        public static void main(String[] a) {
            new Thread(() -> { if (lock.tryLock()) { queue.add(1); lock.unlock(); } }).start();
            Verify.observe((lock.tryLock() ? 1 : 0) + (queue.peek() == null ? 0 : 10));
        }",
    ),
];

/// What is broken: its name, the program that it is tried on, the methods that are taken to be operations, the reductions, and what the
/// system lies about.
type Broken<'p> = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
    fn() -> Lies<Java<'p>>,
);

fn all<'p>() -> Vec<Broken<'p>> {
    const QUEUE: &[&str] = &[
        "ConcurrentLinkedQueue.add",
        "ConcurrentLinkedQueue.poll",
        "ConcurrentLinkedQueue.peek",
    ];
    const LOCK_AND_QUEUE: &[&str] = &[
        "ReentrantLock.*",
        "ConcurrentLinkedQueue.add",
        "ConcurrentLinkedQueue.peek",
    ];
    vec![
        (NOTHING, "Sized", QUEUE, "escape", Lies::default),
        (NOTHING, "Sized", QUEUE, "auto", Lies::default),
        (NOTHING, "Striped", &["ConcurrentLinkedQueue.*"], "auto", Lies::default),
        (NOTHING, "Entered", QUEUE, "escape", Lies::default),
        (NOTHING, "Entered", QUEUE, "auto", Lies::default),
        (NOTHING, "Tried", LOCK_AND_QUEUE, "auto", Lies::default),
        (
            "a size that is counted takes effect at once",
            "Sized",
            &["ConcurrentLinkedQueue.*"],
            "escape",
            Lies::default,
        ),
        (
            "a sum of stripes takes effect at once",
            "Striped",
            &["Striped$Counter.sum"],
            "escape",
            Lies::default,
        ),
        ("no switch before an operation", "Entered", QUEUE, "escape", || Lies {
            hurries: Some(java::calls_the_library),
            ..Lies::default()
        }),
        (
            "an operation touches what it touches first",
            "Tried",
            LOCK_AND_QUEUE,
            "auto",
            || Lies {
                touches: Some(lying::hides_all_but_the_first),
                ..Lies::default()
            },
        ),
        (
            "an operation touches what it touches first, asleep",
            "Tried",
            LOCK_AND_QUEUE,
            "sleep",
            || Lies {
                touches: Some(lying::hides_all_but_the_first),
                ..Lies::default()
            },
        ),
    ]
}

#[test]
fn every_broken_operation_is_caught() {
    let jdks = common::jdks();
    let source = |(name, body): &(&str, &str)| {
        let text = format!("import raddle.Verify;\npublic class {name} {{\n{body}\n}}\n");
        ((*name).to_owned(), text)
    };
    let programs: Vec<(String, String)> = PROGRAMS.iter().map(source).collect();
    let folder = common::root().join("target/broken-operations");
    with_programs(&jdks[0], &folder, &programs, |shared, machine, starts| {
        for (name, on, patterns, names, lies) in all() {
            let start = starts.iter().find(|start| start.class == on).expect("a program");
            let mut java = Java {
                shared,
                start: start.clone(),
                semantics: StepSemantics::default(),
                alone: false,
                allowed: Vec::new(),
                operations: Arc::default(),
            };
            *shared.assumptions() = Assumptions::default();
            let mut inside = strategy("base", Order::Depth);
            inside.options.states = Some(100_000);
            let truth = explore(&java, machine, &inside);
            assert_eq!(truth.stopped, None, "{on} is too large");
            let mut strategy = strategy(names, Order::Depth);
            strategy.options.states = inside.options.states;
            java.operations = Arc::new(Operations::new(patterns.iter().copied()).expect("patterns"));
            java.semantics = StepSemantics {
                solo: false,
                ..StepSemantics::new(strategy.combination.instrumentation())
            };
            java.begin(machine).expect("it begins");
            let caught: Option<Caught> = match name {
                NOTHING => judge(explore_lying(&java, machine, lies(), &strategy), &truth, false),
                _ => catch(&java, machine, lies(), &strategy, &truth),
            };
            eprintln!("{name}: {caught:?} on {on}");
            assert_eq!(caught.is_some(), name != NOTHING, "{name}, {names} on {on}");
        }
    });
}
