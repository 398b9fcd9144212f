//! What is told about a verdict: traces that can be replayed, violations, JSON and HTML.

use crate::common::cases::{self, Case, Ran, on_all_cores, scratch};
use crate::{JDK, SURVEY, conclude, plain, told, trace_of};
use report::model::{Verdict, Violation};
use std::fs;
use std::path::Path;

#[test]
fn every_counterexample_replays() {
    let violated: Vec<&(&Case, Ran)> = SURVEY
        .iter()
        .filter(|(case, _)| case.property.as_deref().is_some_and(|property| property != "reachable"))
        .collect();
    let failures = on_all_cores(&violated, |(case, ran)| {
        replay(case, ran, &trace_of(case))
            .err()
            .map(|why| format!("{}: {why}", case.name))
    });
    conclude("replays", violated.len(), failures.into_iter().flatten());
}

/// What no reduction goes with is looked for without one, whatever is asked for, and so it is followed.
#[test]
fn what_was_found_without_a_reduction_is_followed_without_one() {
    let found = |case: &&Case| matches!(case.property.as_deref(), Some("livelock" | "lock"));
    let cases: Vec<&Case> = cases::chosen().into_iter().filter(found).collect();
    let failures = on_all_cores(&cases, |case| {
        let trace = scratch(&format!("{}.auto.trace", case.name));
        let ran = case.check_with(&JDK, "auto", &["--json", "-", "--trace", &trace.to_string_lossy()]);
        let replayed = replay(case, &ran, &trace);
        replayed.err().map(|why| format!("{}: {why}", case.name))
    });
    conclude("replays", cases.len(), failures.into_iter().flatten());
}

/// Follows a schedule to what a run has found.
pub fn replay(case: &Case, ran: &Ran, trace: &Path) -> Result<(), String> {
    let found = ran.report()?.violations.into_iter().next().ok_or("no violation")?;
    let json = trace.with_extension("replay");
    let _ = fs::remove_file(&json);
    let mut command = cases::raddle();
    command.arg("replay").arg("--jdk").arg(JDK.home());
    command.arg("--source").args(case.path.parent());
    command.arg("--json").arg(&json).arg(trace);
    let ran = cases::run(command);
    let again = fs::read_to_string(&json)
        .map_err(|error| error.to_string())
        .and_then(|text| report::from_json(&text));
    let again = again.map_err(|why| format!("{why}, status {:?}: {}{}", ran.status, ran.out, ran.err))?;
    let what = format!("{} at {}:{}", found.message, found.file, found.line);
    match again.violations.first() {
        Some(violation) if ran.status != Some(1) => Err(format!("{}, status {:?}", violation.message, ran.status)),
        Some(violation) if words(&ran.out).contains(&words(&found.message)) => {
            let got = format!("{} at {}:{}", violation.message, violation.file, violation.line);
            if got == what {
                Ok(())
            } else {
                Err(format!("{got}, not {what}"))
            }
        }
        Some(_) => Err(format!("no {:?} in\n{}", found.message, ran.out)),
        None => Err(format!("{:?}, not {what}", told(&again))),
    }
}

/// A text as it was before lines were broken.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_a_walk_finds_is_told_apart() {
    let hunted = cases::chosen().into_iter().filter(|case| case.hunted);
    for case in hunted {
        let ran = case.check_with(&JDK, "auto", &["--json", "-"]);
        let report = ran.report().unwrap_or_else(|why| panic!("{}: {why}", case.name));
        assert_eq!(
            (report.verdict, &*report.search),
            (Verdict::Violated, "walk"),
            "{}",
            case.name
        );
        assert_eq!((report.states, report.restarts), (0, 0), "{}", case.name);
        assert!(report.transitions >= report.max_depth && report.max_depth > 0);
        assert!(report.threads > 1 && report.assumed.is_empty(), "{}", case.name);
        assert!(report.notes.iter().any(|note| note.contains("found by random walk")));
        let again = case.check_with(&JDK, "auto", &["--json", "-"]).report();
        let again = again.unwrap_or_else(|why| panic!("{}: {why}", case.name));
        assert_eq!(again.transitions, report.transitions, "{}", case.name);
    }
    let program = plain("violated", 500..1000)[0];
    for more in ["--no-hunt", "--all", "--search=bfs"] {
        let report = program.check_with(&JDK, "auto", &["--json", "-", more]).report();
        let report = report.unwrap_or_else(|why| panic!("{}: {why}", program.name));
        assert!(report.search != "walk" && report.states > 0, "{} {more}", program.name);
    }
}

#[test]
fn a_trace_that_is_none_is_explained() {
    let program = plain("violated", 1..1000)[0];
    let report = scratch("no.trace");
    fs::write(&report, program.check(&JDK, &["--json", "-"]).out).expect("target can be written");
    for (path, message) in [
        (report.as_path(), "not a trace file"),
        (Path::new("no.such.trace"), "cannot read"),
    ] {
        let mut command = cases::raddle();
        command.arg("replay").arg(path);
        let ran = cases::run(command);
        assert!(
            ran.status == Some(2) && ran.err.contains(message),
            "{:?} {}",
            ran.status,
            ran.err
        );
    }
}

#[test]
fn json_has_every_field() {
    let limited = ["--json", "-", "--states", "100"];
    let runs = [
        (plain("holds", 500..1000)[0], &limited[..2]),
        (plain("holds", 500..1000)[0], &limited[..]),
        (plain("violated", 500..1000)[0], &limited[..2]),
    ];
    for (case, options) in runs {
        let ran = case.check(&JDK, options);
        let report = ran.report().unwrap_or_else(|why| panic!("{}: {why}", case.name));
        assert_eq!(fields(&ran.out), fields(&report::to_json(&report)), "{}", case.name);
        assert_eq!(report.schema, report::model::SCHEMA);
        assert_eq!(report.program, case.name);
        assert_eq!(
            report.reason.is_some() && report.help.is_some(),
            report.verdict == Verdict::Unknown,
            "{}",
            case.name
        );
        assert_eq!(
            report.rests_on.is_empty(),
            report.verdict != Verdict::Holds,
            "{}",
            case.name
        );
        assert_eq!((&*report.search, &*report.store), ("dfs", "exact"));
        assert_eq!(
            (report.reductions.join(" "), report.properties.len()),
            ("base".to_owned(), 4)
        );
        let counts = [
            report.states,
            report.transitions,
            report.max_depth,
            report.threads,
            report.peak_bytes,
        ];
        assert!(counts.iter().all(|&count| count > 0), "{}: {counts:?}", case.name);
        assert!(report.seconds > 0.0 && report.bytes_per_state > 0.0, "{}", case.name);
    }
}

/// The names of the fields, with their depth, line by line.
fn fields(json: &str) -> Vec<&str> {
    json.lines()
        .filter_map(|line| line.split_once("\": ").map(|(name, _)| name))
        .collect()
}

#[test]
fn violations_are_told_in_full() {
    let reports = SURVEY.iter().map(|(case, ran)| (*case, ran.report()));
    let violations: Vec<(&Case, Violation)> = reports
        .filter_map(|(case, report)| Some((case, report.ok()?.violations.into_iter().next()?)))
        .collect();
    let failures = violations.iter().filter_map(|(case, violation)| {
        let what = untold(case, violation)?;
        Some(format!("{}: {what}", case.name))
    });
    conclude("violations", violations.len(), failures);
}

/// What a violation lacks.
fn untold(case: &Case, violation: &Violation) -> Option<&'static str> {
    let trace = &violation.trace;
    let steps: usize = trace.rows.iter().map(|row| row.steps).sum();
    // That something is never reached is no matter of a schedule.
    let has_schedule = violation.property != "reachable";
    match () {
        () if violation.message.is_empty() || violation.message.contains('\n') => Some("no message of one line"),
        () if case.line.is_some() && violation.file != format!("{}.java", case.name) => Some("not its own file"),
        () if trace.rows.iter().any(|row| row.thread >= trace.threads.len()) => Some("a row of no thread"),
        () if steps != trace.schedule.len() => Some("not as many steps in rows as in the schedule"),
        () if trace.rows.is_empty() == has_schedule => Some("no trace, or one too many"),
        () if violation.stacks.is_empty() == has_schedule => Some("no stacks, or some too many"),
        () => None,
    }
}

#[test]
fn html_is_one_page() {
    for (verdict, options) in [("holds", &[][..]), ("violated", &[]), ("unknown", &["--states", "100"])] {
        let of = if verdict == "violated" { "violated" } else { "holds" };
        let case = plain(of, 500..1000)[0];
        let path = scratch(&format!("{verdict}.html"));
        let text = path.to_string_lossy();
        let ran = case.check(&JDK, &[options, &["--html", &text, "--quiet"]].concat());
        let is_one_line = ran.out.starts_with(verdict) && ran.out.lines().count() == 1;
        assert!(
            is_one_line && ran.err.is_empty(),
            "{}: {}{}",
            case.name,
            ran.out,
            ran.err
        );
        let page = fs::read_to_string(&path).expect("the page is there");
        for part in ["<!doctype html>", "</html>", verdict, &case.name] {
            assert!(
                page.to_lowercase().contains(&part.to_lowercase()),
                "{}: no {part:?} in the page",
                case.name
            );
        }
        let is_remote = ["src=\"http", "href=\"http", "@import"]
            .iter()
            .any(|part| page.contains(part));
        assert!(!is_remote, "{}: the page needs others", case.name);
    }
}
