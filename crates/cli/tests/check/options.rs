//! What options do to the verdict and the exit status, and what is said about wrong ones.

use crate::common::cases::{self, on_all_cores};
use crate::{JDK, conclude, plain};
use kernel::Property;
use report::Verdict;

#[test]
fn limits_make_a_verdict_unknown() {
    let limits: [(&[&str], &str, &str); 6] = [
        (&["--states", "100"], "--states", "allow more states"),
        (&["--time", "1ms"], "--time", "give more time"),
        (
            &["--preemptions", "0"],
            "at most 0 preemptions",
            "allow more preemptions",
        ),
        (
            &["--preemptions", "1"],
            "at most 1 preemption",
            "allow more preemptions",
        ),
        (
            &["--store", "bits", "--memory", "512M"],
            "store of bits",
            "--store exact",
        ),
        (
            &["--search", "random", "--states", "100"],
            "random search",
            "--search dfs",
        ),
    ];
    let programs = plain("holds", 5_000..20_000);
    let runs: Vec<_> = programs
        .iter()
        .take(6)
        .flat_map(|case| limits.map(|limit| (case, limit)))
        .collect();
    let failures = on_all_cores(&runs, |(case, (options, reason, help))| {
        let ran = case.check(&JDK, options);
        let first = format!("? unknown  {}\n  reason: ", case.name);
        let wanted = [&*first, reason, "\n  help: ", help, "explored: "];
        let missing = wanted.iter().find(|part| !ran.out.contains(*part));
        let missing = missing.map_or(String::new(), |part| format!("no {part:?} in {}", ran.out));
        let fine = missing.is_empty() && ran.status == Some(3) && ran.err.is_empty();
        (!fine).then(|| {
            format!(
                "{} {options:?}: status {:?}, {}{missing}",
                case.name, ran.status, ran.err
            )
        })
    });
    conclude("limits", runs.len(), failures.into_iter().flatten());
}

#[test]
fn a_bound_that_leaves_nothing_out_is_no_limit() {
    for case in plain("holds", 500..1000).into_iter().take(4) {
        let report = case.check(&JDK, &["--json", "-", "--preemptions", "1000"]).report();
        assert_eq!(report.map(|report| report.verdict), Ok(Verdict::Holds), "{}", case.name);
    }
}

/// More time than any clock can count is no limit either.
#[test]
fn no_time_is_too_long() {
    let case = plain("violated", 1..1000)[0];
    let ran = case.check(&JDK, &["--quiet", "--time", "3000000000000000h"]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
}

#[test]
fn statuses_are_as_documented() {
    let mut help = cases::raddle();
    help.arg("--help");
    let statuses = "Exit status: 0 holds, 1 violated, 2 wrong usage or input, 3 unknown";
    assert!(cases::run(help).out.contains(statuses), "the help names the statuses");
    for (verdict, status) in [("holds", 0), ("violated", 1)] {
        let case = plain(verdict, 1..1000)[0];
        let ran = case.check(&JDK, &["--quiet"]);
        let is_one_line = ran.out.starts_with(verdict) && ran.out.lines().count() == 1;
        assert_eq!(
            (ran.status, is_one_line, &*ran.err),
            (Some(status), true, ""),
            "{}",
            case.name
        );
    }
    let ran = plain("holds", 500..1000)[0].check(&JDK, &["--quiet", "--states", "100"]);
    let line = "unknown: as many states as --states allows were explored\n";
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(3), line, ""));
}

#[test]
fn wrong_options_are_explained() {
    let properties: Vec<&str> = Property::ALL.iter().map(|one| one.name()).collect();
    let properties = properties.join(", ");
    let cases: [(&[&str], &[&str]); 18] = [
        (&["--property", "dedlock"], &["no property `dedlock`", &properties]),
        (&["--property", "race,dedlock"], &["no property `dedlock`", &properties]),
        (&["--reduce", "bse"], &["no reduction `bse`", "none, base"]),
        (&["--reduce", "none,base"], &["`none` stands alone", "`base`"]),
        (&["--proprety", "race"], &["--proprety", "--property"]),
        (&["--search", "dsf"], &["dsf", "dfs, bfs, random"]),
        (&["--store", "exakt"], &["exakt", "exact, fingerprint, bits"]),
        (&["--search", "random"], &["--time or --states"]),
        (
            &["--search", "bfs", "--property", "livelock"],
            &["depth-first", "drop the property"],
        ),
        (
            &["--preemptions", "1", "--property", "livelock"],
            &["drop the bound or the property"],
        ),
        (&["--states", "0"], &["--states"]),
        (&["--time", "soon"], &["--time", "60s"]),
        (&["--memory", "lots"], &["--memory", "64M"]),
        (&["--memory", "63M"], &["--memory", "a search needs at least 64M"]),
        (&["--entry", "nothing"], &["no method nothing", "--entry"]),
        (&["--json", "/no/such/folder"], &["cannot write /no/such/folder"]),
        (&["--html", "-"], &["--html takes a file"]),
        (&["--trace", "-"], &["--trace takes a file"]),
    ];
    let program = plain("holds", 1..1000)[0];
    let failures = on_all_cores(&cases, |(options, messages)| {
        let ran = program.check(&JDK, options);
        let mut wrong: Vec<String> = Vec::new();
        wrong.extend((ran.status != Some(2)).then(|| format!("status {:?}", ran.status)));
        wrong.extend((!ran.out.is_empty()).then(|| format!("it prints {}", ran.out)));
        let missing = messages.iter().filter(|message| !ran.err.contains(**message));
        wrong.extend(missing.map(|message| format!("no {message:?} in {}", ran.err)));
        (!wrong.is_empty()).then(|| format!("{options:?}: {}", wrong.join("; ")))
    });
    conclude("wrong options", cases.len(), failures.into_iter().flatten());
}
