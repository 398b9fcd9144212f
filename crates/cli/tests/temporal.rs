//! `raddle check --ltl`, on models and on Java programs.

use report::model::{Event, Report, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PETERSON: &str = "volatile int want[2]; volatile int turn;
thread p(i) [2] {
  loop {
    want[i] = 1;
    turn = 1 - i;
    await want[1 - i] == 0 || turn == i;
    want[i] = 0;
  }
}
";

/// Two threads that wait for each other by a flag.
const TURNS: &str = "public class Turns {
    static volatile int turn;
    static volatile int rounds;
    static void play(int mine) {
        for (int i = 0; i < 2; i++) {
            while (turn != mine) {
                Thread.onSpinWait();
            }
            rounds++;
            turn = 1 - mine;
        }
    }
    static Thread other;
    public static void main(String[] arguments) throws Exception {
        other = new Thread(() -> play(1));
        other.start();
        play(0);
        other.join();
        rounds = 100;
        rounds = 4;
    }
}
";

fn scratch(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("temporal").join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("target can be written");
    fs::write(&path, text).expect("a file can be written");
    path
}

fn raddle(path: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.arg("check").arg(path).args(options);
    command.output().expect("raddle runs")
}

fn report(path: &Path, options: &[&str]) -> Report {
    let output = raddle(path, &[options, &["--json", "-"]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = String::from_utf8_lossy(&output.stderr);
    report::from_json(&text).unwrap_or_else(|error| panic!("{options:?}: {error}\n{messages}"))
}

fn verdict(path: &Path, options: &[&str], expected: Verdict) {
    let report = report(path, options);
    assert_eq!(
        report.verdict, expected,
        "{options:?}: {:?} {:?}",
        report.reason, report.notes
    );
}

#[test]
fn formulas_about_a_model_are_decided() {
    let path = scratch("peterson.rad", PETERSON);
    let exclusion = "G !(p[0].at(7) && p[1].at(7))";
    let progress = "G F p[1].at(7)";
    verdict(&path, &["--ltl", exclusion, "--ltl", progress], Verdict::Holds);
    verdict(&path, &["--ltl", exclusion, "--fair", "none"], Verdict::Holds);
    verdict(&path, &["--ltl", progress, "--fair", "none"], Verdict::Violated);
    verdict(&path, &["--ltl", progress, "--fair", "strong"], Verdict::Holds);
    verdict(&path, &["--ltl", "always eventually turn == 1"], Verdict::Holds);
    verdict(
        &path,
        &["--ltl", "X (turn == 1)", "--reduce", "none"],
        Verdict::Violated,
    );
    verdict(&path, &["--ltl", progress, "--states", "3"], Verdict::Unknown);
}

#[test]
fn a_violated_formula_is_told_as_a_stem_and_a_loop() {
    let path = scratch("told.rad", PETERSON);
    let options = ["--ltl", "G F p[1].at(7)", "--fair", "none"];
    let report = report(&path, &options);
    assert!(report.properties.contains(&"ltl: G F p[1].at(7)".to_owned()));
    let [violation] = &report.violations[..] else {
        panic!("one violation: {:?}", report.violations);
    };
    assert_eq!(violation.property, "ltl");
    assert_eq!(violation.message, "formula violated: G F p[1].at(7)");
    assert!(
        violation
            .why
            .contains(&"from then on, p[1].at(7) never holds".to_owned()),
        "{:?}",
        violation.why
    );
    let rows = &violation.trace.rows;
    assert!(violation.trace.loop_start.is_some_and(|start| start < rows.len()));
    let text = String::from_utf8_lossy(&raddle(&path, &options).stdout).into_owned();
    for part in ["formula violated: G F p[1].at(7)", "and again from", "for ever"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn an_execution_that_ends_stays_in_its_last_state() {
    let path = scratch("end.rad", "int x; thread t { x = 1; x = 2; }\n");
    verdict(&path, &["--ltl", "F G x == 2"], Verdict::Holds);
    let report = report(&path, &["--ltl", "G F x == 1"]);
    let violation = &report.violations[0];
    assert_eq!(violation.trace.loop_start, None);
    assert_eq!(violation.why[0], "in the end no thread moves, and all stays as it is");
    let said = violation.trace.rows.iter().flat_map(|row| &row.events).any(|event| {
        let Event::Other { text } = event else {
            return false;
        };
        text == "now x == 1"
    });
    assert!(said || violation.trace.rows.len() == 1, "{:?}", violation.trace.rows);
}

#[test]
fn what_is_wrong_with_a_formula_is_told_before_the_search() {
    let path = scratch("wrong.rad", PETERSON);
    for (options, expected) in [
        (
            &["--ltl", "G F p[1].at(7) U"][..],
            "expected a proposition instead of the end of the formula",
        ),
        (&["--ltl", "G turn = 1"], "`=` compares nothing"),
        (
            &["--ltl", "G (turn == 0 || tern == 1)"],
            "the model has no variable `tern`",
        ),
        (&["--ltl", "X turn == 1"], "use --reduce none, or say it without `X`"),
        (&["--ltl", "G turn == 1", "--search", "bfs"], "choose --search dfs"),
        (&["--ltl", "G turn == 1", "--store", "bits"], "choose another store"),
        (
            &["--ltl", "G turn == 1", "--preemptions", "1"],
            "it does not go with --preemptions",
        ),
        (&["--ltl", "G turn == 1", "--trace", "x"], "use --json or --html"),
    ] {
        let output = raddle(&path, options);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {messages}");
        assert!(messages.contains(expected), "{options:?}: {messages}");
    }
    let output = raddle(&path, &["--ltl", "G (turn == 0 || tern == 1)"]);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!messages.contains("1:1"), "{messages}");
    let lines: Vec<&str> = messages.lines().collect();
    let caret = lines.iter().position(|line| line.trim() == "^").expect("a caret");
    assert_eq!(lines[caret].find('^'), lines[caret - 1].find("tern"), "{messages}");
}

#[test]
fn formulas_come_from_a_file_as_well() {
    let path = scratch("file/peterson.rad", PETERSON);
    let formulas = scratch(
        "file/formulas.ltl",
        "# Peterson's algorithm\nexclusion: G !(p[0].at(7) && p[1].at(7))\n\nG F turn == 1  # unnamed\nno waiting: G !p[1].at(7)\n",
    );
    let report = report(&path, &["--all", "--ltl-file", &formulas.to_string_lossy()]);
    let named: Vec<&str> = report
        .properties
        .iter()
        .filter_map(|name| name.strip_prefix("ltl: "))
        .collect();
    assert_eq!(
        named,
        [
            "exclusion: G !(p[0].at(7) && p[1].at(7))",
            "G F turn == 1",
            "no waiting: G !p[1].at(7)"
        ]
    );
    let violated: Vec<&str> = report.violations.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(violated, ["formula violated: no waiting: G !p[1].at(7)"]);
    for (text, expected) in [
        ("\n# nothing\n", "has no formula"),
        (
            "a: G turn == 1\nb: G turn = 1\n",
            "wrong.ltl:2: --ltl: `=` compares nothing",
        ),
    ] {
        let file = scratch("file/wrong.ltl", text);
        let output = raddle(&path, &["--ltl-file", &file.to_string_lossy()]);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{messages}");
        assert!(messages.contains(expected), "{messages}");
    }
}

/// An account that is reached through objects, and a lock.
const PATHS: &str = "public class Paths {
    static class Account { int balance = 10; Account next; }
    static final Object lock = new Object();
    static Account first = new Account();
    static int[] seen = new int[2];
    static void pay(int amount) {
        synchronized (lock) {
            first.next.balance += amount;
        }
        seen[1] = 1;
    }
    public static void main(String[] arguments) throws Exception {
        first.next = new Account();
        Thread other = new Thread(() -> pay(5));
        other.start();
        synchronized (lock) {
            first.next.balance -= 3;
        }
        other.join();
    }
}
";

#[test]
fn formulas_look_at_objects_and_locks_of_a_java_program() {
    let path = scratch("Paths.java", PATHS);
    for (formula, expected) in [
        ("F G Paths.first.next.balance == 12", Verdict::Holds),
        ("F Paths.first.next.balance == 15", Verdict::Violated),
        ("Paths.first.next == null U locked(Paths.lock)", Verdict::Violated),
        ("!(Paths.first.next.balance != 10) U locked(Paths.lock)", Verdict::Holds),
        ("G (owner(Paths.lock) == main -> F !locked(Paths.lock))", Verdict::Holds),
        ("F Paths.seen[1] > Paths.seen[0]", Verdict::Holds),
        ("G Paths.seen[1] == Paths.seen[0]", Verdict::Violated),
    ] {
        verdict(&path, &["--ltl", formula], expected);
        for reduce in ["base", "auto"] {
            verdict(
                &path,
                &["--ltl", formula, "--fair", "none", "--reduce", reduce],
                expected,
            );
        }
    }
}

/// A counter that two threads share under a lock, and a flag that nobody else looks at.
const SHARED: &str = "public class Shared {
    static int count, seen;
    static volatile boolean flag;
    static final Object lock = new Object();
    static void work() {
        int[] own = new int[2];
        for (int i = 0; i < 2; i++) {
            own[i] = i;
            synchronized (lock) {
                count++;
            }
        }
        flag = !flag;
    }
    public static void main(String[] arguments) throws Exception {
        Thread one = new Thread(Shared::work), two = new Thread(Shared::work);
        one.start();
        two.start();
        one.join();
        two.join();
        seen = count;
    }
}
";

#[test]
fn reductions_say_the_same_of_java_programs() {
    for (name, text, formulas) in [
        (
            "Shared.java",
            SHARED,
            &[
                ("F Shared.seen == 4", Verdict::Holds),
                ("G (Shared.seen == 0 || Shared.count == 4)", Verdict::Holds),
                ("Shared.count <= 2 W Shared.flag == true", Verdict::Violated),
                ("F Shared.flag == true", Verdict::Holds),
                ("G (Shared.count == 3 -> F Shared.count == 2)", Verdict::Violated),
                (
                    "G (Shared.count == 3 -> Shared.count == 3 U Shared.count == 4)",
                    Verdict::Holds,
                ),
                ("F G Shared.flag == false", Verdict::Violated),
                (
                    "absence(Shared.flag == true, before(Shared.count == 2))",
                    Verdict::Holds,
                ),
            ][..],
        ),
        (
            "Turns.java",
            TURNS,
            &[
                ("G Turns.rounds <= 4", Verdict::Violated),
                ("F Turns.rounds == 1", Verdict::Violated),
                ("G (Turns.rounds == 2 -> Turns.turn == 1)", Verdict::Violated),
                (
                    "G (Turns.rounds == 4 -> F (Turns.rounds == 4 && done(Turns.other)))",
                    Verdict::Holds,
                ),
                ("Turns.rounds <= 4 W Turns.rounds == 100", Verdict::Holds),
            ],
        ),
    ] {
        let path = scratch(&format!("reduced/{name}"), text);
        for (formula, expected) in formulas {
            for reduce in ["base", "auto", "lockset,escape"] {
                let options = ["--ltl", formula, "--fair", "none", "--reduce", reduce];
                verdict(&path, &options, *expected);
            }
        }
    }
}

#[test]
fn formulas_about_a_java_program_are_decided() {
    let path = scratch("Turns.java", TURNS);
    let formulas = [
        "F done(Turns.other)",
        "F (done(main) && Turns.rounds == 4)",
        "G (Turns.turn == 1 -> F Turns.turn == 0)",
        "Turns.rounds <= 4 W Turns.rounds == 100",
        "G (done(main) -> Turns.rounds == 4)",
        "F Turns.rounds == 100",
    ];
    let options: Vec<&str> = formulas.iter().flat_map(|formula| ["--ltl", formula]).collect();
    verdict(&path, &options, Verdict::Holds);
    // Without fairness, one may spin for ever.
    verdict(&path, &["--ltl", formulas[0], "--fair", "none"], Verdict::Violated);
    // What a thread does when it is alone is seen as well.
    let broken = report(&path, &["--ltl", "G Turns.rounds <= 4"]);
    let violation = &broken.violations[0];
    assert_eq!(violation.why, ["whatever follows, the formula is violated"]);
    let last = violation.trace.rows.last().expect("a row");
    assert_eq!(last.source, "rounds = 100;");
    let text = "no more Turns.rounds <= 4".to_owned();
    assert!(last.events.contains(&Event::Other { text }), "{:?}", last.events);
    verdict(&path, &["--ltl", "F G Turns.turn == 1"], Verdict::Violated);
    let report = report(&path, &["--ltl", "F done(Turns.other)", "--fair", "none"]);
    let violation = &report.violations[0];
    assert_eq!(violation.property, "ltl");
    assert!(
        violation
            .trace
            .loop_start
            .is_some_and(|start| start < violation.trace.rows.len())
    );
    let output = raddle(&path, &["--ltl", "F Turns.missing == 1"]);
    assert_eq!(output.status.code(), Some(2));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(messages.contains("has no static field `missing`"), "{messages}");
}
