//! Going back and writing down, on real programs: `undo` after `apply` restores every word, `decode` after `encode`
//! gives the same state, and the order of allocation does not show.

mod common;

use kernel::{Access, Menu, Pending, Place, System, Touch, Unsupported, Vector, conflict};
use machine::system::{Action, Java, What};
use machine::{Machine, Manner, Start};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use store::{Exact, Visited};

/// Numbers that look random and are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % bound
    }
}

fn vector(machine: &mut Machine<'_>) -> Vec<u32> {
    let mut vector = Vector::default();
    machine.encode(&mut vector);
    let mut afresh = Vector::default();
    machine.encode_afresh(&mut afresh);
    assert!(
        vector == afresh && vector.ends() == afresh.ends(),
        "what was kept does not fit: {}",
        difference(&vector.words(), &afresh.words())
    );
    vector.words()
}

/// What a store has kept of the present state is that state: no section was taken for another.
fn check_stored(machine: &mut Machine<'_>, store: &mut Exact, place: &str) {
    let mut vector = Vector::default();
    machine.encode(&mut vector);
    let mut kept = Vec::new();
    let seen = store.insert(&vector);
    assert!(
        seen.is_some_and(|seen| store.get(seen.id, &mut kept)) && kept == vector.words(),
        "{place}: the store keeps another state, {}",
        difference(&vector.words(), &kept)
    );
}

/// The actions that can be taken.
fn enabled(menu: &Menu<Action>) -> Vec<Action> {
    let entries = menu.entries().iter();
    entries.filter(|next| next.enabled).map(|next| next.action).collect()
}

/// Every word of the tables and the heap.
fn everything(machine: &Machine<'_>) -> Vec<u32> {
    machine.memory.snapshot(0, machine.memory.top())
}

/// Walks `steps` steps through a program by chance, checking each; how many were taken.
fn walk(machine: &mut Machine<'_>, other: &mut Machine<'_>, name: &str, steps: usize, seed: u64) -> usize {
    machine.restart();
    machine
        .launch(name, &[])
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut dice = Dice(seed);
    let mut pending: Menu<Action> = Menu::default();
    let mut store = Exact::new();
    for step in 0..steps {
        check_stored(machine, &mut store, &format!("{name}, step {step}"));
        machine.pending(&mut pending);
        let enabled = enabled(&pending);
        if enabled.is_empty() {
            return step;
        }
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
                return step;
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
        if thorough {
            follow(machine, other, name, step);
        }
    }
    steps
}

/// Where two vectors part, with what stands around it.
fn difference(one: &[u32], two: &[u32]) -> String {
    let word = one
        .iter()
        .zip(two)
        .position(|(a, b)| a != b)
        .unwrap_or(one.len().min(two.len()));
    let around = |words: &[u32]| {
        format!(
            "{:x?}",
            &words[word.saturating_sub(8).min(words.len())..words.len().min(word + 8)]
        )
    };
    format!(
        "at word {word} of {} and {}:\n{}\n{}",
        one.len(),
        two.len(),
        around(one),
        around(two)
    )
}

/// Both machines are in equal states: whatever one can do, the other can, and it leads to equal states again.
fn follow(machine: &mut Machine<'_>, other: &mut Machine<'_>, name: &str, step: usize) {
    let (mut mine, mut theirs) = (Menu::default(), Menu::default());
    machine.pending(&mut mine);
    other.pending(&mut theirs);
    let shape = |menu: &Menu<Action>| {
        let entries = menu.entries().iter();
        entries.map(|next| (next.action, next.enabled)).collect::<Vec<_>>()
    };
    assert_eq!(
        shape(&mine),
        shape(&theirs),
        "{name}, step {step}: other actions after decoding"
    );
    for action in enabled(&mine) {
        let back = match machine.apply(action) {
            Ok(back) => back,
            Err(error) if is_limit(&error) => continue,
            Err(error) => panic!("{name}, step {step}: {error}"),
        };
        let forth = other
            .apply(action)
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

/// Whether a step failed because the program is too large for the machine that runs it.
fn is_limit(error: &Unsupported) -> bool {
    error.what.contains("--stack") || error.what.contains("--heap")
}

/// Takes steps of one thread as long as it has any.
fn run_thread(machine: &mut Machine<'_>, thread: u32) {
    let mut pending: Menu<Action> = Menu::default();
    loop {
        machine.pending(&mut pending);
        let next = pending
            .entries()
            .iter()
            .find(|next| next.enabled && next.action.thread == thread && next.action.what == What::Go);
        let Some(action) = next.map(|next| next.action) else {
            return;
        };
        machine.apply(action).expect("the step is supported");
    }
}

/// Compiles sources that a test has made into a folder of its own.
fn compile_sources(name: &str, sources: &[(String, String)]) -> PathBuf {
    let folder = common::root().join("target").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    let mut files = Vec::new();
    for (class, text) in sources {
        let file = folder.join(format!("{class}.java"));
        fs::write(&file, text).expect("target can be written");
        files.push(file);
    }
    let javac = common::jdks()
        .into_iter()
        .find_map(|jdk| jdk.javac())
        .expect("a JDK with javac");
    let status = Command::new(javac)
        .arg("-g")
        .arg("-d")
        .arg(&folder)
        .args(files)
        .status()
        .expect("javac runs");
    assert!(status.success(), "the sources compile");
    folder
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

/// Names the file that the first process has left for the second.
const LEFT: &str = "RADDLE_LEFT_BY_FIRST";

/// Blocks of words, each after its length.
fn pack(blocks: &[Vec<u32>]) -> Vec<u8> {
    let words = blocks
        .iter()
        .flat_map(|block| std::iter::once(block.len() as u32).chain(block.iter().copied()));
    words.flat_map(u32::to_le_bytes).collect()
}

fn unpack(bytes: &[u8]) -> Vec<Vec<u32>> {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let mut blocks = Vec::new();
    let mut rest = &words[..];
    while let Some((&length, tail)) = rest.split_first() {
        let (block, tail) = tail.split_at(length as usize);
        blocks.push(block.to_vec());
        rest = tail;
    }
    blocks
}

/// The first process walks through programs, and leaves its tables and, now and then, a vector and the one that the
/// next step leads to. The second process, which has run none of them, reads that, and takes the same steps.
#[test]
fn a_vector_means_the_same_in_another_process() {
    let names = [
        "JucReentrantLock",
        "ThreadDining",
        "Records",
        "WaitTimed",
        "LambdaCapture",
        "ProxyHandlers",
        "ClassLoading",
    ];
    let all = common::fixtures();
    let classes = common::compile(&all);
    for jdk in common::jdks() {
        let left = common::root().join(format!("target/left-{}", jdk.feature()));
        common::with_machine(&jdk, &classes, |machine, _| {
            let mut blocks = Vec::new();
            for name in names {
                machine.restart();
                machine
                    .launch(name, &[])
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                let mut dice = Dice(99);
                let mut pending = Menu::default();
                for step in 0..2_500 {
                    machine.pending(&mut pending);
                    let enabled = enabled(&pending);
                    if enabled.is_empty() {
                        break;
                    }
                    let chosen = dice.below(enabled.len());
                    let before = (step % 100 == 0).then(|| vector(machine));
                    machine
                        .apply(enabled[chosen])
                        .unwrap_or_else(|error| panic!("{name}, step {step}: {error}"));
                    if let Some(before) = before {
                        blocks.extend([vec![chosen as u32], before, vector(machine)]);
                    }
                }
            }
            fs::write(left.with_extension("tables"), machine.shared.export()).expect("target can be written");
            fs::write(&left, pack(&blocks)).expect("target can be written");
        });
        let status = Command::new(std::env::current_exe().expect("a test knows itself"))
            .args(["--exact", "the_second_process", "--nocapture"])
            .env(LEFT, &left)
            .status()
            .expect("the second process starts");
        assert!(
            status.success(),
            "JDK {}: the second process reads something else",
            jdk.feature()
        );
    }
}

/// What the second process of the test above does; nothing when run by itself.
#[test]
fn the_second_process() {
    let Some(left) = std::env::var_os(LEFT).map(PathBuf::from) else {
        return;
    };
    let feature = left
        .to_string_lossy()
        .rsplit('-')
        .next()
        .and_then(|text| text.parse().ok())
        .expect("a version");
    let jdk = common::jdk(feature).expect("the first process had it");
    let classes = common::compile(&common::fixtures());
    let tables = fs::read(left.with_extension("tables")).expect("the first process has left it");
    let blocks = unpack(&fs::read(&left).expect("the first process has left it"));
    common::with_machine(&jdk, &classes, |machine, _| {
        machine.shared.import(&tables).unwrap_or_else(|error| panic!("{error}"));
        let mut pending = Menu::default();
        for (number, triple) in blocks.chunks_exact(3).enumerate() {
            machine
                .decode(&triple[1])
                .unwrap_or_else(|_| panic!("vector {number} cannot be read"));
            let again = vector(machine);
            assert!(
                again == triple[1],
                "vector {number}: {}",
                difference(&again, &triple[1])
            );
            machine.pending(&mut pending);
            let enabled = enabled(&pending);
            machine
                .apply(enabled[triple[0][0] as usize])
                .unwrap_or_else(|error| panic!("vector {number}: {error}"));
            let next = vector(machine);
            assert!(
                next == triple[2],
                "after vector {number}: {}",
                difference(&next, &triple[2])
            );
        }
        eprintln!("JDK {feature}: {} vectors read by another process", blocks.len() / 3);
    });
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
            manner: Manner::default(),
            allowed: Vec::new(),
        };
        let mut state = system.initial().expect("the program starts");
        let (mut pending, mut steps) = (Menu::default(), 0);
        loop {
            system.pending(&mut state, &mut pending);
            let Some(&next) = enabled(&pending).first() else {
                break;
            };
            let (mut before, mut after, mut again) = (Vector::default(), Vector::default(), Vector::default());
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
        let monitor = |touch: &Touch| touch.place.cell == Place::MONITOR && touch.access == Access::Acquire;
        for thread in [1, 2] {
            step_until(machine, thread, &|touches| touches.len() == 1 && monitor(&touches[0]));
        }
        let (one, touches) = pending_of(machine, 1);
        let (two, others) = pending_of(machine, 2);
        assert!(
            one.enabled && two.enabled && conflict(&touches, &others),
            "{one:?} {two:?}"
        );
        machine.apply(one.action).expect("the lock is free");
        let ((one, touches), (two, others)) = (pending_of(machine, 1), pending_of(machine, 2));
        assert!(
            !conflict(&touches, &others),
            "a field and a monitor are two places: {one:?} {two:?}"
        );
        assert!(one.enabled && !two.enabled, "{one:?} {two:?}");
        assert_eq!(touches[0].access, Access::Read, "x++ reads first");
        machine.apply(one.action).expect("a read");
        assert_eq!(pending_of(machine, 1).1[0].access, Access::Write, "and then writes");
    });
}

/// The next action of a thread that is not a timeout, and what it touches.
fn pending_of(machine: &mut Machine<'_>, thread: u32) -> (Pending<Action>, Vec<Touch>) {
    let mut pending = Menu::default();
    machine.pending(&mut pending);
    let mut own = pending
        .entries()
        .iter()
        .filter(|next| next.action.thread == thread && next.action.what == What::Go);
    let next = own.next().expect("the thread is alive");
    (*next, pending.footprint(next).to_vec())
}

/// Takes steps of one thread until it stands before an action of some kind.
fn step_until(machine: &mut Machine<'_>, thread: u32, wanted: &dyn Fn(&[Touch]) -> bool) {
    for _ in 0..10_000 {
        let (next, touches) = pending_of(machine, thread);
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
        let mut pending: Menu<Action> = Menu::default();
        let mut most = 0;
        for _ in 0..3 {
            machine.pending(&mut pending);
            let before = machine.memory.trail_len();
            machine
                .apply(pending.entries()[0].action)
                .expect("the step is supported");
            most = most.max(machine.memory.trail_len() - before);
        }
        assert!(most < 1000, "{most} words were logged in one step");
    });
}

/// A random program: two threads that read, write, lock and allocate in an order that nobody planned.
fn random_program(name: &str, dice: &mut Dice) -> String {
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
    format!(
        "import java.util.concurrent.atomic.AtomicInteger;\npublic class {name} {{\n    static class Node {{ int value; Node next; \
         Node(int v, Node n) {{ value = v; next = n; }} }}\n    static class Lock {{ void notifyAll0(Object o) {{ synchronized (o) {{ o.notifyAll(); }} }} }}\n    \
         static final Lock lock = new Lock();\n    static int x;\n    static volatile int v;\n    static long wide;\n    static Node o;\n    \
         static final int[] array = new int[4];\n    static final AtomicInteger counter = new AtomicInteger();\n    \
         public static void main(String[] a) throws Exception {{\n        Thread one = new Thread(() -> {{\n{}        }});\n        \
         Thread two = new Thread(() -> {{\n{}        }});\n        one.start(); two.start(); one.join(); two.join();\n        \
         System.out.println(x + v + wide + counter.get());\n    }}\n}}\n",
        threads[0], threads[1]
    )
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
            let mut pending = Menu::default();
            loop {
                machine.pending(&mut pending);
                let own = |next: &&Pending<Action>| next.enabled && next.action.thread == 80;
                let Some(next) = pending.entries().iter().find(own) else {
                    break;
                };
                machine.apply(next.action).expect("the step is supported");
                vector(machine);
            }
        });
    }
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

/// Which locks are held at each access is part of a state, with the locks of the library that each thread has.
#[test]
fn records_can_be_undone_and_written_down() {
    let text = "import java.util.concurrent.locks.*; public class Held { static int n; static Lock one = new ReentrantLock(); \
        Lock two = new ReentrantReadWriteLock().writeLock(); static Held held = new Held(); \
        static void up() { one.lock(); try { n++; held.two.lock(); try { n++; } finally { one.unlock(); } n++; } finally { held.two.unlock(); } } \
        public static void main(String[] a) { new Thread(Held::up).start(); new Thread(Held::up).start(); up(); } }";
    let mut dice = Dice(0x1ccd);
    let mut sources = vec![("Held".to_owned(), text.to_owned())];
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
                    let manner = Manner {
                        reduced: true,
                        escapes: true,
                        locksets: true,
                        runs_through,
                        ..Manner::default()
                    };
                    (machine.manner, other.manner) = (manner, manner);
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
