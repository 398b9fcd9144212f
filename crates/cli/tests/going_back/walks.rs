//! Walks through programs by chance: each step is undone and taken again, and each state written down and read back.

use crate::{Dice, common, compile_sources, difference, enabled, vector};
use kernel::{Instrumentation, StateVector, Symmetry, Transitions, Unsupported};
use machine::system::{Action, Java, What};
use machine::{Machine, Start, StepSemantics};
use std::collections::{BTreeSet, HashMap};
use store::{Cursor, Exact, Inserter, StateId, StateTable};

/// What a table has kept of the present state is that state: no section was taken for another. Its number.
fn check_stored(machine: &mut Machine<'_>, table: &Exact, cursor: &mut Cursor<'_>, place: &str) -> Option<StateId> {
    let mut vector = StateVector::default();
    machine.encode(&mut vector);
    let mut kept = Vec::new();
    let found = cursor.find(&vector);
    let seen = cursor.insert(&vector);
    let id = seen.and_then(|seen| seen.id);
    assert!(
        id.is_some_and(|id| table.get(id, &mut kept)) && kept == vector.words(),
        "{place}: the table keeps another state, {}",
        difference(&vector.words(), &kept)
    );
    assert_eq!(found, id.filter(|_| seen.is_some_and(|seen| !seen.new)), "{place}");
    id
}

/// Every word of the tables and the heap.
fn everything(machine: &Machine<'_>) -> Vec<u32> {
    machine.memory.snapshot(0, machine.memory.top())
}

/// Whoever is asked about, what only he reaches is what one comes to from his roots and from nobody else's, whatever was found out in
/// states before.
fn check_reach(machine: &mut Machine<'_>, place: &str) {
    let origins = machine.origins();
    let all = |roots: &mut dyn Iterator<Item = u32>| {
        let mut met = BTreeSet::new();
        let mut work: Vec<u32> = roots.collect();
        while let Some(object) = work.pop() {
            if machine.is_tracked(object) && met.insert(object) {
                work.extend(machine.tracked_references(object));
            }
        }
        met
    };
    let of_threads: Vec<_> = origins
        .threads
        .iter()
        .map(|(_, roots)| all(&mut roots.iter().copied()))
        .collect();
    let shared = all(&mut origins.shared.iter().copied());
    for (position, own) in of_threads.iter().enumerate() {
        let number = origins.threads[position].0;
        for &object in own {
            let mut others = of_threads.iter().enumerate().filter(|&(other, _)| other != position);
            let alone = !shared.contains(&object) && !others.any(|(_, met)| met.contains(&object));
            assert_eq!(
                machine.is_reached_by_one(number, object),
                alone,
                "{place}: who reaches object {object} besides thread {number}"
            );
        }
    }
}

/// Walks `steps` steps through a program by chance, checking each; how many were taken. Threads keep their names only once the program
/// asks for one.
fn walk<'p>(machine: &mut Machine<'p>, other: &mut Machine<'p>, name: &str, steps: usize, seed: u64) -> usize {
    for names_threads in [false, true] {
        machine.semantics.names_threads = names_threads;
        other.semantics.names_threads = names_threads;
        if let Some(taken) = walk_once(machine, other, name, steps, seed) {
            return taken;
        }
    }
    panic!("{name}: threads that have names cannot be told apart");
}

/// The same with these step semantics; nothing if the program asks for a name that threads do not have.
fn walk_once<'p>(
    machine: &mut Machine<'p>,
    other: &mut Machine<'p>,
    name: &str,
    steps: usize,
    seed: u64,
) -> Option<usize> {
    machine.restart();
    machine
        .launch(name, &[])
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut dice = Dice(seed);
    let mut transitions: Transitions<Action> = Transitions::default();
    let table = Exact::new();
    let (mut cursor, mut others) = (table.cursor(), table.cursor());
    for step in 0..steps {
        check_stored(machine, &table, &mut cursor, &format!("{name}, step {step}"));
        machine.transitions(&mut transitions);
        let enabled = enabled(&transitions);
        if enabled.is_empty() {
            return Some(step);
        }
        stray(machine, &mut dice, &format!("{name}, step {step}"));
        let action = enabled[dice.below(enabled.len())];
        // Comparing all of memory is slow: always near the start, then now and then. The vector is compared each time.
        let thorough = step < 150 || step % 97 == 0;
        let before = vector(machine);
        let all_before = thorough.then(|| everything(machine));
        let undo = match machine.apply(action) {
            Ok(undo) => undo,
            Err(error) if is_limit(&error) => {
                assert!(
                    vector(machine) == before,
                    "{name}, step {step}: a step that fails leaves traces"
                );
                return (!asks_for_names(&error)).then_some(step);
            }
            Err(error) => panic!("{name}, step {step}: {error}"),
        };
        let after = vector(machine);
        machine.undo(undo);
        assert!(
            vector(machine) == before,
            "{name}, step {step}: undo changes the state ({action:?})"
        );
        if let Some(all_before) = all_before {
            let all = everything(machine);
            let word = all.iter().zip(&all_before).position(|(now, then)| now != then);
            assert!(
                word.is_none() && all.len() == all_before.len(),
                "{name}, step {step}: word {word:?} is not restored"
            );
        }
        machine
            .apply(action)
            .unwrap_or_else(|error| panic!("{name}, step {step}, again: {error}"));
        assert!(
            vector(machine) == after,
            "{name}, step {step}: the same step leads elsewhere ({action:?})"
        );
        other
            .decode(&after)
            .unwrap_or_else(|_| panic!("{name}, step {step}: the vector cannot be read"));
        let again = vector(other);
        let word = again.iter().zip(&after).position(|(now, then)| now != then);
        assert!(
            again == after,
            "{name}, step {step}: decode changes the state at word {word:?}"
        );
        // Two machines that feed one table, each through a cursor of its own, agree on what a state is.
        let place = format!("{name}, after step {step}");
        let mine = check_stored(machine, &table, &mut cursor, &place);
        let theirs = check_stored(other, &table, &mut others, &place);
        assert_eq!(mine, theirs, "{place}: another number");
        // A cursor may change hands as well.
        assert_eq!(
            check_stored(other, &table, &mut cursor, &place),
            mine,
            "{place}: another number"
        );
        if thorough {
            follow(machine, other, name, step);
        }
    }
    Some(steps)
}

/// Takes a few steps and goes back over them, over some first, with and without writing states down on the way.
fn stray(machine: &mut Machine<'_>, dice: &mut Dice, place: &str) {
    let before = vector(machine);
    let mut taken = Vec::new();
    for turn in 0..2 {
        for _ in 0..dice.below(5) {
            let mut transitions = Transitions::default();
            machine.transitions(&mut transitions);
            let enabled = enabled(&transitions);
            let Some(&action) = enabled.get(dice.below(enabled.len().max(1))) else {
                break;
            };
            match machine.apply(action) {
                Ok(undo) => taken.push(undo),
                Err(_) => break,
            }
            if dice.below(4) == 0 {
                check_reach(machine, place);
            }
        }
        if dice.below(2) == 0 {
            vector(machine);
        }
        let left = if turn == 0 { dice.below(taken.len() + 1) } else { 0 };
        while taken.len() > left {
            machine.undo(taken.pop().expect("there is one more"));
            if dice.below(4) == 0 {
                check_reach(machine, place);
            }
        }
        if dice.below(2) == 0 {
            vector(machine);
        }
    }
    assert!(
        vector(machine) == before,
        "{place}: another state after some steps and back"
    );
}

/// Both machines are in equal states: whatever one can do, the other can, and it leads to equal states again.
fn follow<'p>(machine: &mut Machine<'p>, other: &mut Machine<'p>, name: &str, step: usize) {
    let (mut mine, mut theirs) = (Transitions::default(), Transitions::default());
    machine.transitions(&mut mine);
    other.transitions(&mut theirs);
    // Threads may have got other numbers: those that the vector gives them.
    let mut shape: Vec<(Action, bool)> = mine
        .entries()
        .iter()
        .map(|next| (renamed(machine, next.action), next.enabled))
        .collect();
    shape.sort_by_key(|(action, _)| action.thread);
    let entries = theirs.entries().iter();
    assert_eq!(
        shape,
        entries.map(|next| (next.action, next.enabled)).collect::<Vec<_>>(),
        "{name}, step {step}: other actions after decoding"
    );
    let java = Java {
        shared: machine.shared,
        start: Start {
            class: name.to_owned(),
            entry: None,
            arguments: Vec::new(),
        },
        semantics: machine.semantics,
        alone: false,
        allowed: Vec::new(),
        operations: std::sync::Arc::default(),
    };
    for action in enabled(&mine) {
        let theirs = renamed(machine, action);
        assert_eq!(
            java.name(machine, action),
            java.name(other, theirs),
            "{name}, step {step}: {action:?} is called something else after decoding"
        );
        let back = match machine.apply(action) {
            Ok(back) => back,
            Err(error) if is_limit(&error) => continue,
            Err(error) => panic!("{name}, step {step}: {error}"),
        };
        let forth = other
            .apply(theirs)
            .unwrap_or_else(|error| panic!("{name}, step {step}, decoded: {error}"));
        let (mine, theirs) = (vector(machine), vector(other));
        assert!(
            mine == theirs,
            "{name}, step {step}: decoding changes what {action:?} does\n{}",
            difference(&mine, &theirs)
        );
        machine.undo(back);
        other.undo(forth);
    }
}

/// An action by the numbers that threads have in the vector of the state.
fn renamed(machine: &mut Machine<'_>, action: Action) -> Action {
    Action {
        thread: machine.canonical_id(action.thread).expect("who acts is alive"),
        what: match action.what {
            What::Wake(thread) => What::Wake(machine.canonical_id(thread).expect("who waits is alive")),
            what => what,
        },
    }
}

/// Whether a step failed because the program is too large for the machine that runs it, or asks what a thread is called.
fn is_limit(error: &Unsupported) -> bool {
    error.what.contains("--stack") || error.what.contains("--heap") || asks_for_names(error)
}

fn asks_for_names(error: &Unsupported) -> bool {
    error.what.contains("telling threads apart")
}

/// A random program: two threads that read, write, lock and allocate in an order that nobody planned. Every other program has two of
/// the first instead, which nobody holds on to, and of the second.
fn random_program(name: &str, dice: &mut Dice) -> String {
    let twins = dice.below(2) == 0;
    let mut threads = Vec::new();
    for _ in 0..2 {
        let mut body = String::new();
        for _ in 0..6 + dice.below(6) {
            let statement = match dice.below(12) {
                0 => "x = x + 1;",
                1 => "v = x * 2;",
                2 => "o = new Node(x, o);",
                3 => "if (o != null) o.value += v;",
                4 => "array[x & 3] = v;",
                5 => "synchronized (lock) { x ^= v; }",
                6 => "counter.incrementAndGet();",
                7 => "for (int i = 0; i < 3; i++) array[i] += i;",
                8 => "Node n = o; if (n != null) o = n.next;",
                9 => "synchronized (Node.class) { long w = wide; wide = w + array[1]; }",
                10 => "try { Object q = o; x += q.hashCode() & 1; } catch (NullPointerException e) { v--; }",
                _ => "lock.notifyAll0(lock);",
            };
            body.push_str("            { ");
            body.push_str(statement);
            body.push_str(" }\n");
        }
        threads.push(body);
    }
    let threads = if twins {
        let twice = |body: &str| {
            format!("        for (int twin = 0; twin < 2; twin++) new Thread(() -> {{\n{body}        }}).start();\n")
        };
        format!("{}        x++;\n{}", twice(&threads[0]), twice(&threads[1]))
    } else {
        format!(
            "        Thread one = new Thread(() -> {{\n{}        }});\n        Thread two = new Thread(() -> {{\n{}        }});\n        \
             one.start(); two.start(); one.join(); two.join();\n",
            threads[0], threads[1]
        )
    };
    format!(
        "import java.util.concurrent.atomic.AtomicInteger;\npublic class {name} {{\n    static class Node {{ int value; Node next; \
         Node(int v, Node n) {{ value = v; next = n; }} }}\n    static class Lock {{ void notifyAll0(Object o) {{ synchronized (o) {{ o.notifyAll(); }} }} }}\n    \
         static final Lock lock = new Lock();\n    static int x;\n    static volatile int v;\n    static long wide;\n    static Node o;\n    \
         static final int[] array = new int[4];\n    static final AtomicInteger counter = new AtomicInteger();\n    \
         public static void main(String[] a) throws Exception {{\n{threads}        System.out.println(x + v + wide + counter.get());\n    }}\n}}\n"
    )
}

#[test]
fn random_programs_can_be_undone_and_written_down() {
    let mut dice = Dice(0x5eed);
    let sources: Vec<(String, String)> = (0..40)
        .map(|number| {
            let name = format!("Random{number}");
            let text = random_program(&name, &mut dice);
            (name, text)
        })
        .collect();
    let classes = compile_sources("random", &sources);
    for jdk in common::jdks() {
        common::with_machine(&jdk, &classes, |machine, _| {
            common::with_second_machine(machine, |machine, other| {
                for (number, (name, _)) in sources.iter().enumerate() {
                    walk(machine, other, name, 2_000, 0xabc + number as u64);
                }
            });
        });
    }
}

/// Machines that go their own ways and feed one table, through cursors of their own and through one that they share, agree on all
/// numbers: neither takes a section of the other for one of its own.
#[test]
fn machines_that_feed_one_table_agree_on_all_numbers() {
    let mut dice = Dice(0x7ab1e);
    let sources: Vec<(String, String)> = (0..4)
        .map(|number| {
            let name = format!("Shared{number}");
            let text = random_program(&name, &mut dice);
            (name, text)
        })
        .collect();
    let classes = compile_sources("shared", &sources);
    for jdk in common::jdks().into_iter().take(1) {
        common::with_machine(&jdk, &classes, |machine, _| {
            common::with_second_machine(machine, |machine, other| {
                for (name, _) in &sources {
                    feed([&mut *machine, &mut *other], name, &mut dice);
                }
            });
        });
    }
}

/// Two machines walk by chance, and enter all states on the way in one table.
fn feed(mut machines: [&mut Machine<'_>; 2], name: &str, dice: &mut Dice) {
    let table = Exact::new();
    let (mut cursors, mut common) = ([table.cursor(), table.cursor()], table.cursor());
    let mut ids = HashMap::new();
    for walk in 0..10 {
        for machine in &mut machines {
            machine.semantics.names_threads = true;
            machine.restart();
            machine
                .launch(name, &[])
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        for step in 0..400 {
            let place = format!("{name}, walk {walk}, step {step}");
            for (machine, cursor) in machines.iter_mut().zip(&mut cursors) {
                let id = check_stored(machine, &table, cursor, &place);
                assert_eq!(check_stored(machine, &table, &mut common, &place), id, "{place}");
                assert_eq!(*ids.entry(vector(machine)).or_insert(id), id, "{place}");
                let mut transitions = Transitions::default();
                machine.transitions(&mut transitions);
                let enabled = enabled(&transitions);
                if let Some(&action) = enabled.get(dice.below(enabled.len().max(1))) {
                    // What fails has changed nothing.
                    let _ = machine.apply(action);
                }
            }
        }
    }
    assert_eq!(table.len(), ids.len() as u64, "{name}: every state is there once");
    assert!(ids.len() > 1000, "{name}: the machines go different ways");
}

/// Which locks are held at each access is part of a state, with the locks of the library that each thread has.
#[test]
fn records_can_be_undone_and_written_down() {
    let text = "import java.util.concurrent.locks.*; public class Held { static int n; static Lock one = new ReentrantLock(); \
        Lock two = new ReentrantReadWriteLock().writeLock(); static Held held = new Held(); \
        static void up() { one.lock(); try { n++; held.two.lock(); try { n++; } finally { one.unlock(); } n++; } finally { held.two.unlock(); } } \
        public static void main(String[] a) { new Thread(Held::up).start(); new Thread(Held::up).start(); up(); } }";
    let mut dice = Dice(0x1ccd);
    // Nobody refers to the class object for a while, and what was noted of it matters all the same.
    let asserted = "public class Asserted { static int n; public static void main(String[] a) { \
        new Thread(() -> { synchronized (Asserted.class) { n = 1; } }).start(); assert n < 2; } }";
    let mut sources = vec![
        ("Held".to_owned(), text.to_owned()),
        ("Asserted".to_owned(), asserted.to_owned()),
    ];
    sources.extend((0..4).map(|number| {
        let name = format!("Recorded{number}");
        let text = random_program(&name, &mut dice);
        (name, text)
    }));
    let classes = compile_sources("recorded", &sources);
    for jdk in common::jdks() {
        common::with_machine(&jdk, &classes, |machine, _| {
            common::with_second_machine(machine, |machine, other| {
                for runs_through in [false, true] {
                    let mut instrumentation = Instrumentation::REDUCED
                        .and(Instrumentation::ESCAPE_BITS)
                        .and(Instrumentation::LOCKSETS);
                    if runs_through {
                        instrumentation = instrumentation
                            .and(Instrumentation::LOCAL_COMMUTES)
                            .and(Instrumentation::LONG_STEPS);
                    }
                    let semantics = StepSemantics {
                        instrumentation,
                        ..StepSemantics::default()
                    };
                    (machine.semantics, other.semantics) = (semantics, semantics);
                    for (number, (name, _)) in sources.iter().enumerate() {
                        walk(machine, other, name, 1_500, 0xdef + number as u64);
                    }
                    (0..3).for_each(|seed| _ = walk(machine, other, "Held", 1_500, 0x1dea + seed));
                }
            });
        });
    }
}

#[test]
fn steps_can_be_undone_and_states_written_down() {
    let all = common::fixtures();
    let classes = common::compile(&all);
    // On the first JDK all of them, on the others every third one.
    for (jdk, share) in common::jdks().into_iter().zip([1, 3, 3]) {
        common::with_machine(&jdk, &classes, |machine, _| {
            common::with_second_machine(machine, |machine, other| {
                let mut total = 0;
                let wanted = std::env::var("RADDLE_FIXTURES").unwrap_or_default();
                for fixture in all
                    .iter()
                    .step_by(share)
                    .filter(|fixture| fixture.jdk <= jdk.feature() && fixture.stdin.is_empty())
                    .filter(|fixture| wanted.is_empty() || wanted.split(',').any(|name| name == fixture.name))
                {
                    let seed = 0x9e37_79b9 + fixture.name.len() as u64;
                    total += walk(machine, other, &fixture.name, 600, seed);
                }
                eprintln!("JDK {}: {total} steps taken, undone and taken again", jdk.feature());
            });
        });
    }
}
