//! `raddle check` on every program under `fixtures/check`, through the command itself.
//!
//! `RADDLE_CHECK=Name,Name` takes only some of the programs; `make bless-check` takes the numbers of states anew,
//! and with `RADDLE_CHECK` only those of these programs.

#[path = "../common/mod.rs"]
mod common;
mod comparisons;
mod newer;
mod options;
mod reports;
mod strategies;
mod table;
mod threads;
mod verdicts;

use common::cases::{self, Case, Ran, on_all_cores, scratch};
use program::jdk::Jdk;
use report::model::Report;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The JDK of most tests: 17 where there is one.
static JDK: LazyLock<Jdk> = LazyLock::new(|| common::jdks().swap_remove(0));

/// Every program, checked as its headers say; the schedules of violations are kept.
static SURVEY: LazyLock<Vec<(&Case, Ran)>> = LazyLock::new(|| {
    let check = |case: &&'static Case| {
        let trace = trace_of(case);
        let _ = fs::remove_file(&trace);
        let trace = trace.to_string_lossy();
        (*case, case.check(&JDK, &["--json", "-", "--trace", &trace]))
    };
    on_all_cores(&cases::chosen(), check)
});

/// Where the schedule of a program's violation is kept.
fn trace_of(case: &Case) -> PathBuf {
    scratch(&format!("{}.trace", case.name))
}

/// Fails with all failures at once, or says how much was right.
fn conclude(what: &str, count: usize, failures: impl IntoIterator<Item = String>) {
    let failures: Vec<String> = failures.into_iter().collect();
    assert!(
        failures.is_empty(),
        "{what}: {} of {count} are wrong\n{}",
        failures.len(),
        failures.join("\n")
    );
    eprintln!("{what}: {count} are right");
}

/// What a report tells about its verdict, without the sources that it may quote.
fn told(report: &Report) -> Vec<&str> {
    let reason = report.reason.iter().chain(&report.help).chain(&report.notes);
    let first = report.violations.first().into_iter();
    let explained = first.flat_map(|violation| [&violation.message].into_iter().chain(&violation.why));
    reason.chain(explained).map(String::as_str).collect()
}

/// The programs of a verdict with no options of their own and so many states.
fn plain(verdict: &str, states: Range<u64>) -> Vec<&'static Case> {
    let fits = |case: &&Case| {
        case.verdict == verdict
            && case.options.is_empty()
            && case.states.get("base").is_some_and(|count| states.contains(count))
    };
    let cases: Vec<&Case> = cases::all().iter().filter(fits).collect();
    assert!(!cases.is_empty(), "no program has {verdict} and {states:?} states");
    cases
}
