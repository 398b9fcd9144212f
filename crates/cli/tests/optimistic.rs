//! What must come out for the programs of Stoller and Cohen (2006), under `examples/optimistic`; those that are models are with the
//! models.

mod common;

use report::model::{Report, Verdict};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example(name: &str) -> PathBuf {
    common::root().join("examples/optimistic").join(name)
}

fn check(path: &Path, arguments: &[&str]) -> Output {
    let jdk = common::jdks().swap_remove(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command
        .args(["check", "--no-hunt", "--json", "-", "--jdk"])
        .arg(jdk.home());
    command.args(arguments).arg(path);
    command.output().expect("raddle runs")
}

fn raddle(program: &str, arguments: &[&str]) -> Output {
    check(&example(&format!("{program}.java")), arguments)
}

fn explore(program: &str, arguments: &[&str]) -> Report {
    read(program, &raddle(program, arguments))
}

fn read(program: &str, output: &Output) -> Report {
    let text = String::from_utf8_lossy(&output.stdout);
    report::from_json(&text)
        .unwrap_or_else(|error| panic!("{program}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Writes rules into a file.
fn rules(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{name}.discipline"));
    std::fs::write(&path, text).expect("target can be written");
    path.to_string_lossy().into_owned()
}

#[test]
fn with_the_right_rule_there_are_fewer_states_than_with_any_other_reduction() {
    const OTHERS: &[&str] = &[
        "base",
        "escape",
        "escape-static",
        "atomic",
        "selflock",
        "lockset",
        "final",
        "own",
        "persistent",
        "sleep",
    ];
    for program in ["Buffers", "Blocks", "Tasks"] {
        let path = example(&format!("{program}.discipline"));
        let ruled = explore(
            program,
            &["--reduce", "optimistic", "--discipline", &path.to_string_lossy()],
        );
        assert_eq!(ruled.verdict, Verdict::Holds, "{program}");
        assert!(ruled.restarts <= 5, "{program}: {} restarts", ruled.restarts);
        let limit = (ruled.states + 1).to_string();
        for other in OTHERS {
            // It is enough to know that there are more.
            let found = explore(program, &["--reduce", other, "--states", &limit]);
            assert!(found.states > ruled.states, "{program}: {other} has {}", found.states);
        }
    }
}

#[test]
fn an_access_against_a_rule_is_named() {
    let wrong = rules("wrong", "protected Tasks.Task.*: thread.task != this and has(this);");
    let report = explore("Tasks", &["--reduce", "optimistic", "--discipline", &wrong]);
    assert_eq!(report.verdict, Verdict::Holds);
    let told = report.dropped.iter().find(|one| one.what.starts_with("Tasks$Task."));
    let told = told.unwrap_or_else(|| panic!("{:?}", report.dropped));
    assert_eq!((&*told.file, &*told.thread), ("Tasks.java", "Thread-0"));
    let two = rules("two", "protected Buffers.Buffer.*: true;");
    let report = explore("Buffers", &["--reduce", "optimistic", "--discipline", &two]);
    let note = "the rule for Buffers$Buffer.first gives it to";
    assert!(
        report.notes.iter().any(|one| one.starts_with(note)),
        "{:?}",
        report.notes
    );
    assert_eq!(report.verdict, Verdict::Holds);
}

#[test]
fn a_rule_may_be_about_a_lock_of_the_library() {
    let text = "import java.util.concurrent.locks.*; public class Ruled { static int n; static final Lock lock = new ReentrantLock(); \
                static void up() { lock.lock(); try { n++; } finally { lock.unlock(); } } \
                public static void main(String[] a) { new Thread(Ruled::up).start(); up(); } }";
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("Ruled.java");
    std::fs::write(&path, text).expect("target can be written");
    let explored = |name: &str, when: &str| {
        let rule = rules(name, &format!("protected Ruled.n: {when};"));
        read(when, &check(&path, &["--reduce", "optimistic", "--discipline", &rule]))
    };
    let wrong = "java.util.concurrent.locks.ReentrantReadWriteLock.WriteLock";
    let [right, wrong] = [("right", "java.util.concurrent.locks.ReentrantLock"), ("other", wrong)]
        .map(|(name, class)| explored(name, &format!("locked({class})")));
    let is_told = |report: &Report| report.dropped.iter().any(|one| one.what.starts_with("Ruled.n"));
    assert_eq!(
        (right.verdict, is_told(&right)),
        (Verdict::Holds, false),
        "{:?}",
        right.dropped
    );
    assert_eq!(
        (wrong.verdict, is_told(&wrong)),
        (Verdict::Holds, true),
        "{:?}",
        wrong.dropped
    );
}

#[test]
fn a_lock_that_is_taken_away_gives_no_access() {
    let path = common::root().join("fixtures/check/violated/LockStolen.java");
    let rule = rules("stolen", "protected LockStolen.Data.x: owner(this.token) == thread;");
    let report = read(
        "LockStolen",
        &check(&path, &["--reduce", "optimistic", "--discipline", &rule]),
    );
    let note = "takes LockStolen$Data.x away from";
    assert!(
        report.verdict == Verdict::Violated && report.notes.iter().any(|one| one.contains(note)),
        "{}: {:?}",
        report.verdict,
        report.notes
    );
}

#[test]
fn what_rules_name_must_be_there() {
    let cases = [
        (
            "protected Tasks.Tsk.*: true;",
            "1:11: there is no such class; classes of the program are",
        ),
        (
            "protected Tasks.Task.vale: true;",
            "Tasks$Task has no field `vale`; it has number, value",
        ),
        (
            "protected Tasks.Task.*:\n thread.tsk == this;",
            "2:8: no class of the program has a field `tsk`",
        ),
        ("protected Tasks.Task.*: at(9999);", "no statement begins at line 9999"),
        (
            "protected Tasks.Task.*: Tasks.none == 1;",
            "Tasks has no static field `none`",
        ),
        (
            "protected Tasks.Task.*: who == 1;",
            "`who` is nothing that a rule can look at",
        ),
        (
            "protect Tasks.Task.*;",
            "expected `protected`, `unprotected` or `unshared` instead of `protect`",
        ),
        ("protected Task;", "expected `Class.field`, `Class.*` or `Class[]`"),
    ];
    let deep = format!("protected Tasks.Task.*: {}1;", "(".repeat(100_000));
    let long = format!("protected Tasks.Task.*: 1{};", " + 1".repeat(100_000));
    let cases = cases.map(|(text, message)| (text.to_owned(), message));
    let endless = [
        (deep, "nested more than 200 levels deep"),
        (long, "more than 1000 operators"),
    ];
    for (number, (text, message)) in cases.into_iter().chain(endless).enumerate() {
        let path = rules(&format!("case{number}"), &text);
        let output = raddle("Tasks", &["--reduce", "optimistic", "--discipline", &path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(message), "no {message:?} in {said}");
    }
}

#[test]
fn locks_of_the_library_protect() {
    // A static field, then a field of another object, is all that leads to the lock.
    let places = [
        "static final Lock lock = LOCK; static void up() { lock.lock(); try { n++; } finally { lock.unlock(); } }",
        "static class Box { Lock lock = LOCK; } final Box box = new Box(); static final Guarded one = new Guarded(); \
         static void up() { one.add(); } void add() { box.lock.lock(); try { n++; } finally { box.lock.unlock(); } }",
    ];
    for lock in ["new ReentrantLock()", "new ReentrantReadWriteLock().writeLock()"] {
        for place in places.map(|place| place.replace("LOCK", lock)) {
            let text = format!(
                "import java.util.concurrent.locks.*; public class Guarded {{ static int n; {place} \
                 public static void main(String[] a) {{ new Thread(Guarded::up).start(); up(); }} }}"
            );
            let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("Guarded.java");
            std::fs::write(&path, text).expect("target can be written");
            for (reduction, order) in [("optimistic", "dfs"), ("optimistic", "bfs"), ("auto", "dfs")] {
                let report = read(lock, &check(&path, &["--reduce", reduction, "--search", order]));
                let told = "Guarded.n is accessed under one lock, or only read".to_owned();
                assert!(
                    report.verdict == Verdict::Holds && report.assumed.contains(&told),
                    "{place}, {reduction}, {order}: {:?}",
                    report.assumed
                );
            }
        }
    }
}

/// A variable that is not volatile and accessed atomically is open from the start: there is nothing to start over for.
#[test]
fn what_is_accessed_atomically_is_open() {
    let text = "import java.lang.invoke.*; public class Counted { int n; static final Counted it = new Counted(); \
                static final VarHandle N; static { try { N = MethodHandles.lookup().findVarHandle(Counted.class, \"n\", int.class); } \
                catch (ReflectiveOperationException e) { throw new AssertionError(e); } } \
                static void up() { int old = (int) N.getAndAdd(it, 1); assert old < 2; } \
                public static void main(String[] a) { new Thread(Counted::up).start(); up(); } }";
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("Counted.java");
    std::fs::write(&path, text).expect("target can be written");
    for reductions in ["optimistic", "lockset", "auto"] {
        let report = read("Counted", &check(&path, &["--reduce", reductions]));
        let told = |list: &[String]| list.iter().any(|one| one.contains("Counted.n"));
        assert!(
            report.verdict == Verdict::Holds && report.restarts == 0 && !told(&report.assumed),
            "{reductions}: {} restarts, {:?}",
            report.restarts,
            report.assumed
        );
    }
}

/// At most the ratios of the paper, by the bytes of the store, from LocalFinal to Optimistic.
#[test]
fn optimistic_needs_as_little_memory_as_in_the_paper() {
    let bytes = |report: &Report| report.bytes_per_state * report.states as f64;
    // Where LocalFinal does not come to an end soon, it is enough to know that it needs more.
    for (program, ratio, most) in [
        ("Clean", 0.74, None),
        ("HaltException", 0.78, None),
        ("Elevator", 0.23, Some("400000")),
        ("XtangoQs", 91.0 / 346.0, None),
    ] {
        let coarse = explore(program, &["--reduce", "optimistic"]);
        assert_eq!(coarse.verdict, Verdict::Holds, "{program}");
        assert!(coarse.restarts <= 5, "{program}: {} restarts", coarse.restarts);
        let limit = most.map(|most| ["--states", most]);
        let arguments = [
            &["--reduce", "final"][..],
            limit.as_ref().map_or(&[], |limit| &limit[..]),
        ]
        .concat();
        let fine = explore(program, &arguments);
        let got = bytes(&coarse) / bytes(&fine);
        assert!(
            got <= ratio,
            "{program}: {got} of {} and {} states",
            coarse.states,
            fine.states
        );
    }
}
