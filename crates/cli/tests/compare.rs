//! `raddle compare`, and what a user may say about classes: the command as a user meets it.

mod common;

use report::Verdict;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two threads on two objects that are locked at every use, but for one, which may see what is half done.
const LOCKS: &str = "public class Locks {
    static class Box { int content; synchronized void put(int n) { content = n; content = n + 1; } }
    static class Open { volatile int content; synchronized void put(int n) { content = n; content = n + 1; } }
    public static void main(String[] args) throws InterruptedException {
        Box box = new Box(); Open open = new Open();
        Thread other = new Thread(() -> { box.put(1); open.put(1); }, \"other\");
        other.start();
        box.put(2);
        open.put(2);
        assert open.content > 1;
        other.join();
    }
}
";

const RACE: &str = "int x;\nthread t [2] {\n    x = x + 1;\n}\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target can be written");
    fs::write(folder.join("Locks.java"), LOCKS).expect("target can be written");
    folder
}

fn raddle(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(arguments)
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .output()
        .expect("raddle runs")
}

/// Runs the command; what it printed, and its messages.
fn check(folder: &Path, arguments: &[&str], status: i32) -> (String, String) {
    let output = raddle(folder, arguments);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let context = format!("raddle {}\n--- out\n{out}--- err\n{messages}", arguments.join(" "));
    assert_eq!(output.status.code(), Some(status), "{context}");
    assert!(!messages.contains("panicked"), "{context}");
    (out, messages)
}

/// The report of a check.
fn report(folder: &Path, arguments: &[&str]) -> report::model::Report {
    let output = raddle(folder, arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    report::from_json(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_strategies_of_the_paper_are_compared() {
    let here = folder("paper");
    let (out, _) = check(&here, &["compare", "--csv", "t.csv", "--svg", "t.svg", "Locks.java"], 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Locks.java");
    let heads: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(heads[..2], ["strategy", "reductions"]);
    let table = fs::read_to_string(here.join("t.csv")).expect("the table was written");
    for (name, reductions) in [
        ("B", "base"),
        ("DA", "escape,atomic"),
        ("WSL", "escape,atomic,selflock"),
    ] {
        let row: Vec<&str> = lines
            .iter()
            .find(|line| line.starts_with(&format!("{name} ")))
            .expect(name)
            .split_whitespace()
            .collect();
        assert_eq!(row[1], reductions);
        assert!(row.contains(&"violated"), "{out}");
        assert!(table.contains(&format!("\n{name},")), "{table}");
    }
    let states = |name: &str| -> u64 {
        let line = table
            .lines()
            .find(|line| line.starts_with(&format!("{name},")))
            .expect(name);
        let after = line.rsplit('"').next().expect("a row has an end");
        let after = if line.contains('"') {
            after.trim_start_matches(',')
        } else {
            line.splitn(3, ',').nth(2).expect("three fields")
        };
        after
            .split(',')
            .next()
            .and_then(|number| number.parse().ok())
            .expect("a number")
    };
    assert!(
        states("B") > states("DA") && states("DA") >= states("WSLdom"),
        "{table}"
    );
    let chart = fs::read_to_string(here.join("t.svg")).expect("the chart was written");
    assert!(chart.starts_with("<svg ") && chart.ends_with("</svg>\n"));
    assert_eq!(chart.matches("class=\"bar").count(), table.lines().count() - 1);
}

#[test]
fn strategies_can_be_chosen_and_models_compared() {
    let here = folder("chosen");
    fs::write(here.join("race.rad"), RACE).expect("target can be written");
    let arguments = [
        "compare",
        "--csv",
        "-",
        "--reduce",
        "none",
        "--reduce",
        "atomic,escape",
        "race.rad",
    ];
    let (out, _) = check(&here, &arguments, 0);
    let rows: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{out}");
    assert!(
        rows[0].starts_with("None,none,") && rows[1].starts_with("DA,\"escape,atomic\","),
        "{out}"
    );
    assert!(rows.iter().all(|row| row.contains(",violated,")), "{out}");
}

#[test]
fn a_strategy_that_is_cut_short_bounds_the_factors() {
    let here = folder("short");
    let arguments = [
        "compare",
        "--states",
        "300",
        "--csv",
        "-",
        "--reduce",
        "base",
        "--reduce",
        "escape,atomic",
    ];
    let (out, _) = check(&here, &[&arguments[..], &["Locks.java"]].concat(), 0);
    let rows: Vec<&str> = out.lines().skip(1).collect();
    assert!(
        rows[0].starts_with("B,base,300,") && rows[0].contains(",exact,"),
        "{out}"
    );
    assert!(rows[1].starts_with("DA,") && rows[1].contains(",more,"), "{out}");
}

#[test]
fn wrong_usage_is_refused_in_words() {
    let here = folder("refused");
    fs::write(here.join("race.rad"), RACE).expect("target can be written");
    let cases: [(&[&str], &str); 8] = [
        (
            &["compare", "--reduce", "base", "--reduce", "escpe", "Locks.java"],
            "there is no reduction `escpe`; did you mean `escape`?",
        ),
        (
            &["compare", "--reduce", "dominated", "Locks.java"],
            "`dominated` rests on `selflock`",
        ),
        (&["compare", "--search", "random", "Locks.java"], "--search dfs"),
        (
            &["compare", "--csv", "no/such/folder.csv", "race.rad"],
            "cannot write no/such/folder.csv",
        ),
        (
            &["check", "--reduce", "auto", "--self-locking", "Bux", "Locks.java"],
            "--self-locking Bux: there is no such class; classes of the program are Locks",
        ),
        (
            &["check", "--reduce", "auto", "--shared", "locks.Box", "Locks.java"],
            "are Locks$Box",
        ),
        (
            &[
                "check",
                "--reduce",
                "escape",
                "--self-locking",
                "Locks.Box",
                "Locks.java",
            ],
            "the reduction `selflock`",
        ),
        (
            &["check", "--reduce", "auto", "--shared", "x", "race.rad"],
            "--shared is for Java programs",
        ),
    ];
    for (arguments, part) in cases {
        let (out, messages) = check(&here, arguments, 2);
        assert!(out.is_empty() && messages.contains(part), "{arguments:?}: {messages}");
    }
}

#[test]
fn what_a_reduction_assumed_is_told() {
    let here = folder("assumed");
    let report = report(
        &here,
        &[
            "check",
            "--reduce",
            "escape,atomic,selflock",
            "--no-hunt",
            "--json",
            "-",
            "Locks.java",
        ],
    );
    assert_eq!(report.verdict, Verdict::Violated);
    let boxes = "objects of Locks$Box are only used by threads that have locked them";
    assert!(report.assumed.iter().any(|one| one == boxes), "{:?}", report.assumed);
    let dropped = report
        .dropped
        .iter()
        .find(|one| one.what.contains("Locks$Open"))
        .expect("it is wrong");
    let told = (&*dropped.thread, &*dropped.class, &*dropped.file, dropped.line);
    assert_eq!(told, ("main", "Locks", "Locks.java", 10));
    // The walks before the search have shown that.
    assert_eq!(report.restarts, 0);
}

#[test]
fn a_claim_is_checked_and_a_wrong_one_changes_no_verdict() {
    let here = folder("claims");
    let with = ["check", "--all", "--reduce", "escape,atomic,selflock", "--json", "-"];
    let run = |more: &[&str]| report(&here, &[&with[..], more, &["Locks.java"]].concat());
    let right = run(&["--self-locking", "Locks.Box"]);
    assert_eq!(
        (right.verdict, right.assumed.len(), right.dropped.len()),
        (Verdict::Violated, 1, 0)
    );
    let wrong = run(&["--self-locking", "Locks$Open"]);
    assert_eq!(
        (wrong.verdict, wrong.assumed.len(), wrong.dropped.len()),
        (Verdict::Violated, 0, 1)
    );
    assert!(
        wrong.dropped[0]
            .what
            .starts_with("as --self-locking says, objects of Locks$Open")
    );
    assert!(wrong.states > right.states);
    let without = run(&["--shared", "Locks.Box,Locks.Open"]);
    assert!(
        without
            .assumed
            .iter()
            .chain(without.dropped.iter().map(|one| &one.what))
            .all(|one| !one.contains("Locks$"))
    );
}

#[test]
fn every_reduction_is_explained() {
    let path = common::root().join("docs/reductions.md");
    let text = fs::read_to_string(path).expect("there is a page");
    for entry in reduction::REDUCTIONS {
        let heading = format!("\n### `{}`\n", entry.name);
        assert!(
            text.contains(&heading),
            "docs/reductions.md says nothing of {}",
            entry.name
        );
    }
}
