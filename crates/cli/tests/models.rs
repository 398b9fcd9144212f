//! `raddle check` on every model under `fixtures/models`, and on models that are none.
//!
//! The leading `//@ key: value` lines of a model say what is expected of it:
//!
//! - `verdict`: `holds` or `violated`.
//! - `property`, `line`, `says`: of a violation, its property, its line, and a part of its message or explanation.
//!
//! How many states there are is in `fixtures/states.txt`. They are counted by hand; the comment in the model says how.

#[allow(dead_code)] // the tests of programs use the rest
#[path = "common/counts.rs"]
mod counts;

use counts::Table;
use report::model::{Report, Verdict, Violation};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder for what tests write.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    fs::create_dir_all(&folder).expect("target can be written");
    folder.join(name)
}

fn raddle(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(arguments)
        // A model needs no JDK, so it must not matter that there is none.
        .env_clear()
        .env("JAVA_HOME", "/nowhere")
        .output()
        .expect("raddle runs")
}

fn report(arguments: &[&str]) -> Report {
    let output = raddle(arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    report::from_json(&text).unwrap_or_else(|error| {
        let messages = String::from_utf8_lossy(&output.stderr);
        panic!("raddle {}: {error}\n{messages}", arguments.join(" "))
    })
}

/// Every model with its headers.
fn models() -> Vec<(String, BTreeMap<String, String>)> {
    let entries = fs::read_dir(root().join("fixtures/models")).expect("fixtures are there");
    let mut models: Vec<_> = entries
        .flatten()
        .map(|entry| {
            let path = entry.path().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("a fixture is text");
            let headers = text.lines().map_while(|line| line.strip_prefix("//@ "));
            let headers = headers.filter_map(|line| line.split_once(": "));
            let headers = headers.map(|(key, value)| (key.to_owned(), value.to_owned()));
            (path, headers.collect())
        })
        .collect();
    models.sort();
    models
}

/// The path of a model below `fixtures`.
fn key(path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default();
    format!("models/{}", name.to_string_lossy())
}

/// What differs from what the headers say, and from a number of states.
fn differences(headers: &BTreeMap<String, String>, states: Option<u64>, report: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, got: String, expected: Option<&str>| {
        if expected.is_some_and(|expected| got != expected) {
            wrong.push(format!("{what} {got}, not {}", expected.unwrap_or_default()));
        }
    };
    let header = |key: &str| headers.get(key).map(String::as_str);
    let states = states.map(|states| states.to_string());
    compare(
        "verdict",
        report.verdict.to_string(),
        Some(header("verdict").unwrap_or_default()),
    );
    compare(
        "states",
        report.states.to_string(),
        Some(states.as_deref().unwrap_or("none in the table")),
    );
    let violation = report.violations.first().cloned().unwrap_or_default();
    compare(
        "property",
        violation.property.clone(),
        Some(header("property").unwrap_or_default()),
    );
    compare("line", violation.line.to_string(), header("line"));
    let said = |violation: &Violation| format!("{} | {}", violation.message, violation.why.join(" | "));
    if header("says").is_some_and(|part| !said(&violation).contains(part)) {
        wrong.push(format!("says {}", said(&violation)));
    }
    wrong
}

#[test]
fn every_model_has_its_verdict_and_its_states() {
    let models = models();
    assert!(models.len() >= 15);
    let table = Table::read();
    let keys: Vec<String> = models.iter().map(|(path, _)| key(path)).collect();
    let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let mismatches = table.mismatches("models/", &keys);
    assert!(
        mismatches.is_empty(),
        "count the states by hand, and mend the lines of models/ in fixtures/states.txt\n{}",
        mismatches.join("\n")
    );
    let mut failures = Vec::new();
    for (path, headers) in &models {
        for reduce in ["none", "base"] {
            for search in ["dfs", "bfs"] {
                let arguments = [
                    "check", "--json", "-", "--all", "--reduce", reduce, "--search", search, path,
                ];
                let report = report(&arguments);
                let wrong = differences(headers, table.count(&key(path), reduce), &report);
                failures.extend(
                    wrong
                        .into_iter()
                        .map(|what| format!("{path} {reduce} {search}: {what}")),
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn violations_can_be_replayed_and_shown() {
    let models = models();
    let violated = models.iter().filter(|(_, headers)| headers["verdict"] == "violated");
    for ((path, _), is_breadth) in violated.flat_map(|model| [(model, false), (model, true)]) {
        let (trace, page) = (scratch("trace.json"), scratch("page.html"));
        let (trace, page) = (trace.to_string_lossy(), page.to_string_lossy());
        let check = ["check", "--json", "-", "--trace", &trace, "--html", &page, path];
        let breadth = ["--no-hunt", "--search", "bfs", "--reduce", "atomic"];
        let mut arguments = check.to_vec();
        if is_breadth {
            arguments.extend(breadth);
        }
        let first = report(&arguments);
        let again = report(&["replay", "--json", "-", &trace]);
        let told = |report: &Report| {
            let violation = report.violations.first().cloned().unwrap_or_default();
            let rows = violation
                .trace
                .rows
                .iter()
                .map(|row| (row.thread, row.line, row.events.clone()));
            (report.verdict, violation.message.clone(), rows.collect::<Vec<_>>())
        };
        assert_eq!(told(&first), told(&again), "{path}, breadth-first: {is_breadth}");
        assert_eq!(again.verdict, Verdict::Violated);
        assert!(fs::read_to_string(&*page).is_ok_and(|page| page.contains("<html")));
    }
}

#[test]
fn a_trace_has_a_column_a_thread() {
    let path = root().join("fixtures/models/opposite_locks.rad");
    let output = raddle(&["check", &path.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "deadlock: \"a\" and \"b\" wait for each other",
        "\"a\" wants n, held by \"b\", at line 11",
        "locks m",
        "opposite_locks.rad:10",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn what_was_observed_is_said() {
    let path = root().join("fixtures/models/observe.rad");
    let report = report(&["check", "--json", "-", &path.to_string_lossy()]);
    assert_eq!(report.notes, ["line 10 observes x: 0, 1, 2"]);
    assert_eq!(report.properties, ["deadlock", "exception", "race"]);
    assert!(report.rests_on.is_empty());
}

#[test]
fn races_can_be_allowed_by_name() {
    let path = root().join("fixtures/models/lost_update.rad");
    let path = path.to_string_lossy();
    let report = report(&["check", "--json", "-", "--reduce", "base", "--allow-race", "x", &path]);
    assert_eq!((report.verdict, report.states), (Verdict::Holds, 13));
}

/// Whoever has missed a notification may wake up anyway and go on, but cannot count on it, so the deadlock stays. The waiter is at any of its 6 control points before and after
/// the setter's turn; while the setter has the lock it is at `lock`, waiting, about to take the lock back, or done, and after the
/// notification not waiting: 6 + 4 + 3 + 6.
#[test]
fn spurious_wake_ups_are_explored_on_request() {
    let path = root().join("fixtures/models/lost_notify.rad");
    let path = path.to_string_lossy();
    let check = ["check", "--json", "-", "--all", "--reduce", "base", &path];
    let with = report(&[&check[..], &["--spurious"]].concat());
    assert_eq!((with.verdict, with.states), (Verdict::Violated, 19));
    assert!(report(&check).states < 19);
}

fn optimistic_example(name: &str) -> String {
    let path = root().join("examples/optimistic").join(name);
    path.to_string_lossy().into_owned()
}

#[test]
fn the_barrier_of_the_paper_is_explored_by_its_rule() {
    let (path, rules) = (
        optimistic_example("barrier.rad"),
        optimistic_example("barrier.discipline"),
    );
    let counts = [("none", 106), ("persistent", 73), ("persistent,sleep", 66)];
    for (reduce, states) in counts {
        let report = report(&["check", "--json", "-", "--reduce", reduce, &path]);
        assert_eq!((report.verdict, report.states), (Verdict::Holds, states), "{reduce}");
    }
    let assumed = report(&["check", "--json", "-", "--reduce", "optimistic", &path]);
    assert_eq!(
        (assumed.verdict, assumed.states, assumed.restarts),
        (Verdict::Holds, 78, 0)
    );
    let dropped: Vec<(&str, u32)> = assumed.dropped.iter().map(|one| (&*one.what, one.line)).collect();
    assert!(dropped.iter().any(|(what, _)| what.starts_with("x[0] ")), "{dropped:?}");
    assert!(dropped.iter().all(|(what, _)| what.contains("no lock")), "{dropped:?}");
    for search in ["dfs", "bfs"] {
        let ruled = report(&[
            "check",
            "--json",
            "-",
            "--reduce",
            "optimistic",
            "--search",
            search,
            "--discipline",
            &rules,
            &path,
        ]);
        assert_eq!((ruled.verdict, ruled.states, ruled.restarts), (Verdict::Holds, 38, 0));
        assert_eq!(ruled.assumed.len(), 2, "{:?}", ruled.assumed);
    }
}

#[test]
fn an_access_against_a_rule_is_named() {
    let rules = scratch("wrong.discipline");
    fs::write(&rules, "protected x[j]: owner(m[j]) == i;").expect("target can be written");
    let (path, rules) = (optimistic_example("barrier.rad"), rules.to_string_lossy());
    let report = report(&[
        "check",
        "--json",
        "-",
        "--reduce",
        "optimistic",
        "--discipline",
        &rules,
        &path,
    ]);
    let dropped: Vec<(&str, &str, u32)> = report
        .dropped
        .iter()
        .map(|one| (&*one.what, &*one.thread, one.line))
        .collect();
    let expected = [
        ("x[0] is only accessed by one thread at a time", "t[0]", 16),
        ("x[1] is only accessed by one thread at a time", "t[1]", 16),
    ];
    assert_eq!(dropped, expected);
    assert_eq!(report.states, 78);
}

#[test]
fn what_does_not_go_with_these_reductions_is_refused() {
    let (path, rules) = (
        optimistic_example("barrier.rad"),
        optimistic_example("barrier.discipline"),
    );
    let cases: [(&[&str], &str); 6] = [
        (
            &["--reduce", "sleep", "--search", "bfs"],
            "only depth-first search knows",
        ),
        (
            &["--reduce", "sleep", "--store", "bits"],
            "--store bits does not keep states",
        ),
        (
            &["--reduce", "persistent", "--preemptions", "2"],
            "`persistent` may leave out the very schedule with few preemptions",
        ),
        (
            &["--reduce", "optimistic,sleep"],
            "it goes with `base` and `atomic` only",
        ),
        (
            &["--reduce", "persistent", "--discipline", &rules],
            "which --reduce persistent does not have",
        ),
        (
            &["--reduce", "optimistic", "--discipline", &path],
            "expected `protected`, `unprotected` or `unshared`",
        ),
    ];
    for (arguments, message) in cases {
        refused(&[&["check"], arguments, &[&*path]].concat(), message);
    }
}

/// Fails with status 2 and these words.
fn refused(arguments: &[&str], expected: &str) {
    let output = raddle(arguments);
    let messages = String::from_utf8_lossy(&output.stderr);
    let context = format!("raddle {}\n{messages}", arguments.join(" "));
    assert_eq!(output.status.code(), Some(2), "{context}");
    assert!(messages.contains(expected), "no {expected:?} from {context}");
}

#[test]
fn what_is_no_model_is_explained() {
    let broken = scratch("broken.rad");
    fs::write(&broken, "int x;\nthread t {\n    x = y;\n}\n").expect("target can be written");
    let broken = broken.to_string_lossy();
    refused(
        &["check", &broken],
        &format!("{broken}:3:9: there is no `y` here\n3 |     x = y;\n  |         ^"),
    );
    refused(&["check", "missing.rad"], "cannot read missing.rad");
    let path = root().join("fixtures/models/mutex.rad");
    let path = &*path.to_string_lossy();
    refused(&["check", "--entry", "main", path], "--entry is for Java programs");
    refused(&["check", "-cp", ".", path], "-cp is for Java programs");
    refused(&["check", "--heap", "2G", path], "--heap is for Java programs");
    refused(&["check", path, "3"], "a model takes no arguments");
    refused(&["check", "--property", "reachable", path], "use `observe` in a model");
    refused(
        &["check", "--allow-race", "y", path],
        "no such `int` variable; it has x",
    );
    refused(&["run", path], "can only be checked: raddle check");
    refused(&["dump", "--ir", path], "can only be checked");
}
