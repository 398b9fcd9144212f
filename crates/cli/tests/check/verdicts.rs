//! Every program has the verdict and the violation that its headers name, and the numbers of states that `fixtures/states.txt` has.

use crate::common::cases::{self, Case, Ran, on_all_cores, scratch};
use crate::common::counts::Table;
use crate::reports::replay;
use crate::{JDK, SURVEY, common, conclude, strategies, told};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The JDK whose library the counts in the table belong to.
pub const COUNTED: u16 = 17;

/// Every program that a search with the strongest reductions is enough for.
static AUTO: LazyLock<Vec<(&Case, Ran)>> = LazyLock::new(|| {
    let options = ["--json", "-", "--no-hunt"];
    let mut searched = cases::chosen();
    searched.retain(|case| is_searched(case));
    on_all_cores(&searched, |case| (*case, case.check_with(&JDK, "auto", &options)))
});

/// Whether a search with the strongest reductions is enough for it.
fn is_searched(case: &Case) -> bool {
    !case.owes && !case.hunted
}

/// What differs from what the headers and the table say about a reduction.
fn differences(case: &Case, reduction: &str, ran: &Ran, counted: bool) -> Vec<String> {
    let (verdict, property) = case.expected(reduction);
    let report = match ran.report() {
        Ok(report) => report,
        Err(why) => return vec![why],
    };
    if report.verdict.name() != verdict {
        return vec![format!(
            "{}, not {verdict}: {}",
            report.verdict,
            told(&report).join(" | ")
        )];
    }
    let mut wrong = Vec::new();
    let violation = report.violations.first();
    if let (Some(expected), Some(got)) = (property, violation.map(|violation| &violation.property))
        && expected != got
    {
        wrong.push(format!("property {got}, not {expected}"));
    }
    if let (Some(expected), Some(got)) = (case.expected_line(reduction), violation.map(|violation| violation.line))
        && expected != got
    {
        wrong.push(format!("line {got}, not {expected}"));
    }
    if let Some(expected) = case.says.as_ref().filter(|_| verdict == case.verdict)
        && !told(&report).iter().any(|text| text.contains(expected))
    {
        wrong.push(format!("no {expected:?} in {:?}", told(&report)));
    }
    let endless = report
        .notes
        .iter()
        .find(|note| note.starts_with("some executions never end"));
    match (&case.endless, endless) {
        (Some(expected), None) => wrong.push(format!("no note that {expected:?}")),
        (Some(expected), Some(note)) if !note.contains(expected) => wrong.push(format!("no {expected:?} in {note:?}")),
        (None, Some(note)) if verdict == "holds" => wrong.push(format!("it has no such note: {note:?}")),
        _ => {}
    }
    for expected in &case.rests {
        let part = expected.trim_matches('…');
        let is_told = |line: &String| {
            if part == expected {
                line == expected
            } else {
                line.contains(part)
            }
        };
        if !report.rests_on.iter().any(is_told) {
            wrong.push(format!("does not rest on {expected:?} but on {:?}", report.rests_on));
        }
    }
    match case.states.get(reduction) {
        _ if !counted => {}
        None => wrong.push("the number of states is not known yet: run `make bless-check`".to_owned()),
        Some(&states) if states == report.states => {}
        Some(states) => wrong.push(format!("{} states, not {states}", report.states)),
    }
    wrong
}

#[test]
fn every_program_has_its_verdict() {
    if std::env::var_os("RADDLE_BLESS").is_some() {
        return bless();
    }
    let outdated = outdated();
    assert!(
        outdated.is_empty(),
        "the table is out of date: run `make bless-check`\n{}",
        outdated.join("\n")
    );
    let counted = JDK.feature() == COUNTED;
    if !counted {
        eprintln!("numbers of states are not compared: they are those of JDK {COUNTED}");
    }
    for (reduction, survey) in [("base", &*SURVEY), ("auto", &*AUTO)] {
        let failures = survey.iter().filter_map(|(case, ran)| {
            let wrong = differences(case, reduction, ran, counted);
            (!wrong.is_empty()).then(|| format!("{}: {}", case.name, wrong.join("; ")))
        });
        conclude(reduction, survey.len(), failures);
    }
}

#[test]
fn walks_before_a_search_find_what_is_wrong() {
    let mut violated = cases::chosen();
    violated.retain(|case| case.expected("auto").0 == "violated" && !case.owes);
    let failures = on_all_cores(&violated, |case| {
        let trace = scratch(&format!("{}-walk.trace", case.name));
        let options = ["--json", "-", "--trace", &trace.to_string_lossy()];
        let ran = case.check_with(&JDK, "auto", &options);
        let mut wrong = differences(case, "auto", &ran, false);
        if ran.report().is_ok_and(|report| report.search == "walk") {
            wrong.extend(replay(case, &ran, &trace).err());
        } else if case.hunted {
            wrong.push("it is not a walk that finds this".to_owned());
        }
        (!wrong.is_empty()).then(|| format!("{}: {}", case.name, wrong.join("; ")))
    });
    conclude("programs with walks", violated.len(), failures.into_iter().flatten());
}

/// Fixtures without a line in the table, lines without a fixture, and numbers that no test looks at.
fn outdated() -> Vec<String> {
    let mut outdated = Table::read().mismatches(cases::FOLDER, &cases::keys());
    for case in cases::all() {
        let is_idle = |column: &&String| match &***column {
            "none" => true,
            "base" => false,
            "auto" => !is_searched(case),
            _ => !strategies::is_small(case, case.states.get("base").copied()),
        };
        let idle: Vec<&str> = case.states.keys().filter(is_idle).map(String::as_str).collect();
        if !idle.is_empty() {
            outdated.push(format!("fixtures/{}: nothing checks {}", case.key, idle.join(", ")));
        }
    }
    outdated
}

/// Writes the numbers of states of the chosen programs into the table. Everything else about a program is for its author to say.
fn bless() {
    assert_eq!(JDK.feature(), COUNTED, "numbers of states are those of JDK {COUNTED}");
    let old = Table::read();
    let mut table = old.clone();
    if !cases::is_subset() {
        table.keep_only(cases::FOLDER, &cases::keys());
    }
    for case in cases::chosen().into_iter().filter(|case| !is_searched(case)) {
        table.set(&case.key, "auto", None);
    }
    let mut refused = Vec::new();
    for (reduction, survey) in [("base", &*SURVEY), ("auto", &*AUTO)] {
        for (case, ran) in survey {
            let wrong = differences(case, reduction, ran, false);
            match ran.report() {
                Ok(report) if wrong.is_empty() => table.set(&case.key, reduction, Some(report.states)),
                _ => refused.push(format!("{} {reduction}: {}", case.name, wrong.join("; "))),
            }
        }
    }
    refused.extend(strategies::bless(&mut table));
    table.write();
    let changes = table.changes(&old);
    for change in &changes {
        eprintln!("{change}");
    }
    eprintln!("{} numbers of states have changed", changes.len());
    conclude("blessed programs", SURVEY.len(), refused);
}

/// Verdicts and properties on another JDK with the strongest reductions, for a sample: every fifth program, and all that use the library's locks.
fn check_sample(feature: u16) {
    let Some(jdk) = common::jdks().into_iter().find(|jdk| jdk.feature() == feature) else {
        return;
    };
    let uses_locks =
        |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.contains("java.util.concurrent.locks"));
    let mut chosen = cases::chosen();
    // Certificates are of one JDK's bytecode, and without them these programs are too large.
    chosen.retain(|case| case.jdk.is_none_or(|only| only == feature) && !case.owes && !case.has("--library"));
    let numbered = chosen.into_iter().enumerate();
    let sample = numbered.filter(|(number, case)| number % 5 == 0 || uses_locks(&case.path));
    let sample: Vec<&Case> = sample.map(|(_, case)| case).collect();
    let failures = on_all_cores(&sample, |case| {
        let expected = case.expected("auto");
        let report = match case.check_with(&jdk, "auto", &["--json", "-"]).report() {
            Ok(report) => report,
            Err(why) => return Some(format!("{}: {why}", case.name)),
        };
        let first = report.violations.first();
        let got = (
            report.verdict.name(),
            first.map(|violation| violation.property.as_str()),
        );
        (got != expected).then(|| format!("{}: {got:?}, not {expected:?}: {:?}", case.name, told(&report)))
    });
    conclude(
        &format!("programs on JDK {feature}"),
        sample.len(),
        failures.into_iter().flatten(),
    );
}

#[test]
fn verdicts_are_the_same_on_21() {
    check_sample(21);
}

#[test]
fn verdicts_are_the_same_on_25() {
    check_sample(25);
}
