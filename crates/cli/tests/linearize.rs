//! `raddle linearize`: each mistake of `fixtures/linearize/broken` is found, what is mended holds, and what is known of the JDK's classes
//! is so.
//!
//! Lines at the top of a fixture: `//@ options: …` for the command, `//@ message: …` for how the message of the violation begins.

mod common;

use report::Verdict;
use report::model::Report;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn raddle(folder: &str, arguments: &[&str]) -> Output {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linearize").join(folder);
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .arg("linearize")
        .args(arguments)
        .current_dir(common::root())
        .env("XDG_CACHE_HOME", cache)
        .output()
        .expect("raddle runs")
}

fn report(folder: &str, arguments: &[&str]) -> Report {
    let output = raddle(folder, &[arguments, &["--json", "-"]].concat());
    let (text, messages) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    report::from_json(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{text}{messages}"))
}

/// The fixtures of a folder, in order.
fn fixtures(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(common::root().join("fixtures/linearize").join(folder)).expect("fixtures are there");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    assert!(paths.len() >= 10, "{paths:?}");
    paths
}

/// The value of a line at the top of a fixture.
fn header(path: &Path, key: &str) -> String {
    let text = fs::read_to_string(path).expect("a fixture is text");
    let start = format!("//@ {key}: ");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_default().to_owned()
}

fn examine(path: &Path, folder: &str) -> Report {
    let options = header(path, "options");
    let mut arguments: Vec<&str> = options.split_whitespace().collect();
    let name = path.to_string_lossy();
    arguments.push(&name);
    report(folder, &arguments)
}

#[test]
fn every_mistake_is_found() {
    for path in fixtures("broken") {
        let report = examine(&path, "broken");
        let name = path.display();
        assert_eq!(
            report.verdict,
            Verdict::Violated,
            "{name}: {:?} {:?}",
            report.reason,
            report.notes
        );
        let violation = &report.violations[0];
        let message = header(&path, "message");
        assert!(!message.is_empty(), "{name} has no message");
        assert!(violation.message.starts_with(&message), "{name}: {}", violation.message);
        assert!(!violation.why.is_empty(), "{name}: nothing is explained");
        let texts: Vec<String> = violation.trace.rows.iter().map(|row| format!("{row:?}")).collect();
        assert!(texts.iter().any(|row| row.contains("begins")), "{name}: {texts:#?}");
        assert!(
            !texts.iter().any(|row| row.contains("raddle.Verify")),
            "{name}: {texts:#?}"
        );
    }
}

#[test]
fn what_is_mended_holds() {
    for path in fixtures("mended") {
        let report = examine(&path, "mended");
        let why = (
            &report.reason,
            report.violations.first().map(|one| (&one.message, &one.why)),
        );
        assert_eq!(report.verdict, Verdict::Holds, "{}: {why:?}", path.display());
    }
}

/// A class of `java.util.concurrent`, initial calls, a scenario, and whether all its histories are those of calls that take effect at once.
const KNOWN: &[(&str, &str, &str, bool)] = &[
    (
        "ConcurrentLinkedDeque()",
        "add(1)",
        "addFirst(2),peekLast() | pollFirst()",
        false,
    ),
    (
        "ConcurrentLinkedDeque()",
        "add(1)",
        "addFirst(2),pollLast() | pollFirst()",
        true,
    ),
    ("ConcurrentLinkedQueue()", "offer(1)", "poll(),offer(2) | size()", false),
    (
        "ConcurrentLinkedQueue()",
        "offer(1)",
        "poll(),offer(2) | toArray()",
        false,
    ),
    (
        "ConcurrentLinkedQueue()",
        "offer(1)",
        "poll(),offer(2) | peek(),poll()",
        true,
    ),
    ("ConcurrentHashMap()", "", "put(1,1),size() | put(1,1)", false),
    (
        "ConcurrentHashMap()",
        "put(1,1),put(2,2)",
        "get(1),get(2) | clear()",
        false,
    ),
    (
        "ConcurrentHashMap()",
        "put(2,2)",
        "put(1,2),put(2,1) | containsValue(2)",
        false,
    ),
    (
        "ConcurrentHashMap()",
        "put(1,1)",
        "put(1,2),get(2) | remove(1),put(2,1)",
        true,
    ),
    (
        "ConcurrentHashMap()",
        "",
        "merge(1,1,(a,b)->3),get(1) | merge(1,2,(a,b)->null)",
        true,
    ),
    ("ArrayBlockingQueue(1)", "", "offer(1),take() | poll(),put(2)", true),
];

#[test]
fn what_is_known_of_the_jdk_is_so() {
    for &(new, init, scenario, holds) in KNOWN {
        let class = format!("java.util.concurrent.{}", new.split('(').next().unwrap_or(new));
        let arguments = ["--new", new, "--init", init, "--scenario", scenario, &*class];
        let report = report("jdk", &arguments);
        let found = report.violations.first().map_or("", |violation| &violation.message);
        let expected = if holds { Verdict::Holds } else { Verdict::Violated };
        assert_eq!(report.verdict, expected, "{arguments:?}: {found} {:?}", report.reason);
        let is_told = holds || found.starts_with("not linearizable: ");
        assert!(is_told, "{arguments:?}: {found}");
    }
}

/// Whoever takes a lock may be told to go on after it has, and then its next park does not wait.
#[test]
fn a_permit_that_is_left_behind_is_a_side_effect() {
    let arguments = [
        "--new",
        "ArrayBlockingQueue(1)",
        "--scenario",
        "put(1) | take()",
        "java.util.concurrent.ArrayBlockingQueue",
    ];
    assert_eq!(report("permit", &arguments).verdict, Verdict::Holds);
    let with = report("permit", &[&arguments[..], &["--side-effects"]].concat());
    assert_eq!(with.verdict, Verdict::Violated);
    let why = &with.violations[0].why;
    assert!(why.iter().any(|line| line.ends_with("(may park)")), "{why:?}");
}

#[test]
fn a_limit_makes_the_verdict_unknown_and_says_which() {
    let path = common::root().join("fixtures/linearize/mended/LazyValue.java");
    let report = report("limit", &["--states", "5", &path.to_string_lossy()]);
    assert_eq!(report.verdict, Verdict::Unknown);
    let reason = report.reason.unwrap_or_default();
    assert!(
        reason.starts_with("3 of 3 scenarios: a scenario has more than 5 states, as in get() | get()"),
        "{reason}"
    );
}

#[test]
fn orders_that_do_not_fit_are_told_in_words() {
    let path = common::root().join("fixtures/linearize/broken/LazyValue.java");
    let output = raddle("orders", &[&path.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    for line in [
        "not linearizable: get() | get()",
        "• A.get() → ",
        "• in the order A.get(), B.get(): ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn what_cannot_be_examined_is_refused_in_words() {
    let cases = [
        (
            &["--methods", "gett", "java.util.concurrent.ConcurrentHashMap"][..],
            "java.util.concurrent.ConcurrentHashMap has no method gett that can be called",
        ),
        (
            &["java.util.concurrent.ConcurrentMap"],
            "java.util.concurrent.ConcurrentMap is abstract: name a class of which objects can be made",
        ),
        (
            &["--new", "2", "java.util.concurrent.ArrayBlockingQueue"],
            "--new takes a constructor with its arguments, as 'ArrayBlockingQueue(2)', not 2",
        ),
        (&["no.such.Klass"], "no.such.Klass"),
        (&["--operation", "lock", "java.util.concurrent.Semaphore"], "lock"),
    ];
    for (arguments, message) in cases {
        let output = raddle("refused", arguments);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {messages}");
        assert!(messages.contains(message), "{arguments:?}: {messages}");
    }
}
