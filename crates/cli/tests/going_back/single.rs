//! Programs that show one thing each: what states and footprints have in them, and what they do not.

use crate::{common, compile_sources, difference, enabled, vector};
use kernel::{AccessKind, Location, MemoryAccess, StateVector, System, Transition, Transitions, conflict};
use machine::system::{Action, Java, What};
use machine::{Machine, Start, StepSemantics};

/// Takes steps of one thread as long as it has any.
fn run_thread(machine: &mut Machine<'_>, thread: u32) {
    let mut transitions: Transitions<Action> = Transitions::default();
    loop {
        machine.transitions(&mut transitions);
        let next = transitions
            .entries()
            .iter()
            .find(|next| next.enabled && next.action.thread == thread && next.action.what == What::Go);
        let Some(action) = next.map(|next| next.action) else {
            return;
        };
        machine.apply(action).expect("the step is supported");
    }
}

#[test]
fn the_order_of_allocation_does_not_show() {
    let text = "public class Orders {\n    static class Node { int n; Node next; Object[] more = new Object[2]; }\n    \
        static Node one, two;\n    static Node list(int n) { Node head = null; for (int i = 0; i < n; i++) { Node node = new Node(); \
        node.n = i; node.next = head; node.more[0] = \"s\" + i; node.more[1] = new int[i]; head = node; } return head; }\n    \
        public static void main(String[] a) throws Exception { Thread x = new Thread(() -> one = list(5)), y = new Thread(() -> two = list(7)); \
        x.start(); y.start(); x.join(); y.join(); } }";
    let classes = compile_sources("orders", &[("Orders".to_owned(), text.to_owned())]);
    for jdk in common::jdks() {
        common::with_machine(&jdk, &classes, |machine, _| {
            let mut vectors = Vec::new();
            for order in [[1, 2], [2, 1]] {
                machine.restart();
                machine.launch("Orders", &[]).expect("the program starts");
                run_thread(machine, 0);
                order.into_iter().for_each(|thread| run_thread(machine, thread));
                vectors.push(vector(machine));
            }
            assert!(
                vectors[0] == vectors[1],
                "JDK {}: the vectors differ {}",
                jdk.feature(),
                difference(&vectors[0], &vectors[1])
            );
        });
    }
}

/// More threads than a word has bits, of which one wakes all others.
#[test]
fn a_crowd_is_written_down() {
    let text = "public class Crowd { static final Object gate = new Object(); static void pass(boolean last) { synchronized (gate) { \
        if (last) gate.notifyAll(); else try { gate.wait(); } catch (InterruptedException e) { } } } \
        public static void main(String[] a) { for (int i = 0; i < 80; i++) { boolean last = i == 79; new Thread(() -> pass(last)).start(); } } }";
    let classes = compile_sources("crowd", &[("Crowd".to_owned(), text.to_owned())]);
    for jdk in common::jdks() {
        common::with_machine(&jdk, &classes, |machine, _| {
            machine.restart();
            machine.launch("Crowd", &[]).expect("the program starts");
            (0..80).for_each(|thread| run_thread(machine, thread));
            vector(machine);
            let mut transitions = Transitions::default();
            loop {
                machine.transitions(&mut transitions);
                let own = |next: &&Transition<Action>| next.enabled && next.action.thread == 80;
                let Some(next) = transitions.entries().iter().find(own) else {
                    break;
                };
                machine.apply(next.action).expect("the step is supported");
                vector(machine);
            }
        });
    }
}

#[test]
fn a_java_program_is_a_system() {
    let text = "public class Sys { static int x; public static void main(String[] a) { x = a.length + 1; x *= 3; } }";
    let classes = compile_sources("system", &[("Sys".to_owned(), text.to_owned())]);
    let jdk = common::jdks().remove(0);
    common::with_machine(&jdk, &classes, |machine, _| {
        let system = Java {
            shared: machine.shared,
            start: Start {
                class: "Sys".to_owned(),
                entry: None,
                arguments: vec!["a".to_owned()],
            },
            semantics: StepSemantics::default(),
            alone: false,
            allowed: Vec::new(),
            operations: std::sync::Arc::default(),
        };
        let mut state = system.initial().expect("the program starts");
        let (mut transitions, mut steps) = (Transitions::default(), 0);
        loop {
            system.transitions(&mut state, &mut transitions);
            let Some(&next) = enabled(&transitions).first() else {
                break;
            };
            let (mut before, mut after, mut again) =
                (StateVector::default(), StateVector::default(), StateVector::default());
            system.encode(&mut state, &mut before);
            let undo = system.apply(&mut state, next).expect("the step is supported");
            system.encode(&mut state, &mut after);
            system.undo(&mut state, undo);
            system.decode(&mut state, &before.words()).expect("its own vector");
            system.apply(&mut state, next).expect("the step is supported");
            system.encode(&mut state, &mut again);
            assert!(
                again == after,
                "step {steps}: {}",
                difference(&again.words(), &after.words())
            );
            steps += 1;
        }
        assert_eq!(state.halted(), Some(0), "the program runs to its end, in {steps} steps");
    });
}

#[test]
fn footprints_tell_what_threads_share() {
    // Both threads end up before the same lock; then one holds it and stands before a field, the other is blocked.
    let text = "public class Prints { static int x; static final Object lock = new Object(); public static void main(String[] a) throws \
        Exception { Thread one = new Thread(() -> { synchronized (lock) { x++; } }), two = new Thread(() -> { synchronized (lock) { x = 7; } }); \
        one.start(); two.start(); one.join(); two.join(); } }";
    let classes = compile_sources("prints", &[("Prints".to_owned(), text.to_owned())]);
    let jdk = common::jdks().remove(0);
    common::with_machine(&jdk, &classes, |machine, _| {
        machine.launch("Prints", &[]).expect("the program starts");
        run_thread(machine, 0);
        let monitor =
            |touch: &MemoryAccess| touch.location.cell == Location::MONITOR && touch.access == AccessKind::Acquire;
        // Main joins them, so they have odd numbers.
        for thread in [1, 3] {
            step_until(machine, thread, &|touches| touches.len() == 1 && monitor(&touches[0]));
        }
        let (one, touches) = transitions_of(machine, 1);
        let (two, others) = transitions_of(machine, 3);
        assert!(
            one.enabled && two.enabled && conflict(&touches, &others),
            "{one:?} {two:?}"
        );
        machine.apply(one.action).expect("the lock is free");
        let ((one, touches), (two, others)) = (transitions_of(machine, 1), transitions_of(machine, 3));
        assert!(
            !conflict(&touches, &others),
            "a field and a monitor are two places: {one:?} {two:?}"
        );
        assert!(one.enabled && !two.enabled, "{one:?} {two:?}");
        assert_eq!(touches[0].access, AccessKind::Read, "x++ reads first");
        machine.apply(one.action).expect("a read");
        assert_eq!(
            transitions_of(machine, 1).1[0].access,
            AccessKind::Write,
            "and then writes"
        );
    });
}

/// The next action of a thread that is not a timeout, and what it touches.
fn transitions_of(machine: &mut Machine<'_>, thread: u32) -> (Transition<Action>, Vec<MemoryAccess>) {
    let mut transitions = Transitions::default();
    machine.transitions(&mut transitions);
    let mut own = transitions
        .entries()
        .iter()
        .filter(|next| next.action.thread == thread && next.action.what == What::Go);
    let next = own.next().expect("the thread is alive");
    (*next, transitions.footprint(next).to_vec())
}

/// Takes steps of one thread until it stands before an action of some kind.
fn step_until(machine: &mut Machine<'_>, thread: u32, wanted: &dyn Fn(&[MemoryAccess]) -> bool) {
    for _ in 0..10_000 {
        let (next, touches) = transitions_of(machine, thread);
        if wanted(&touches) {
            return;
        }
        machine.apply(next.action).expect("the step is supported");
    }
    panic!("thread {thread} never gets there");
}

#[test]
fn a_loop_over_local_variables_leaves_no_trail() {
    let text = "public class Loop { static int result; public static void main(String[] a) { int s = 0; long t = 1; \
        for (int i = 0; i < 10_000_000; i++) { s += i ^ (s << 1); t = t * 31 + s; } result = s + (int) t; } }";
    let classes = compile_sources("loop", &[("Loop".to_owned(), text.to_owned())]);
    let jdk = common::jdks().remove(0);
    common::with_machine(&jdk, &classes, |machine, _| {
        machine.launch("Loop", &[]).expect("the program starts");
        let mut transitions: Transitions<Action> = Transitions::default();
        let mut most = 0;
        for _ in 0..3 {
            machine.transitions(&mut transitions);
            let before = machine.memory.trail_len();
            machine
                .apply(transitions.entries()[0].action)
                .expect("the step is supported");
            most = most.max(machine.memory.trail_len() - before);
        }
        assert!(most < 1000, "{most} words were logged in one step");
    });
}
