//! `raddle check` on every program under `fixtures/check`, through the command itself.
//!
//! `RADDLE_CHECK=Name,Name` takes only some of the programs; `make bless-check` takes the numbers of states anew.

mod common;

use common::cases::{self, Case, Ran, on_all_cores, scratch};
use kernel::Property;
use program::jdk::Jdk;
use reduction::Combination;
use report::model::{Report, Violation};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The JDK of most tests: 17 where there is one.
static JDK: LazyLock<Jdk> = LazyLock::new(|| common::jdks().swap_remove(0));

/// The JDK whose library the counts in the fixtures belong to.
const COUNTED: u16 = 17;

/// Up to so many states a program is taken for the comparisons.
const SMALL: u64 = 3000;

/// Every program, checked as its headers say; the schedules of violations are kept.
static SURVEY: LazyLock<Vec<(&Case, Ran)>> = LazyLock::new(|| {
    let check = |case: &&'static Case| {
        let trace = trace_of(case);
        let _ = fs::remove_file(&trace);
        let trace = trace.to_string_lossy();
        (
            *case,
            case.check(&JDK, &["--json", "-", "--time", "100s", "--trace", &trace]),
        )
    };
    on_all_cores(&cases::chosen(), check)
});

/// Every program with the strongest reductions.
static AUTO: LazyLock<Vec<(&Case, Ran)>> = LazyLock::new(|| {
    let check = |case: &&'static Case| (*case, case.check_with(&JDK, "auto", &["--json", "-", "--time", "100s"]));
    let mut paid = cases::chosen();
    paid.retain(|case| !case.owes);
    on_all_cores(&paid, check)
});

/// Every program that sets no limit itself, explored beyond the first violation but not much beyond [`SMALL`].
static CENSUS: LazyLock<Vec<(&Case, Result<Report, String>)>> = LazyLock::new(|| {
    let limit = (SMALL + 1).to_string();
    let mut free = cases::chosen();
    free.retain(|case| !case.has("--states"));
    on_all_cores(&free, |case| {
        (
            *case,
            case.check(&JDK, &["--json", "-", "--all", "--states", &limit]).report(),
        )
    })
});

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

/// What differs from what the headers say about a reduction.
fn differences(case: &Case, reduction: &str, ran: &Ran, counted: bool) -> Vec<String> {
    let (verdict, property) = case.expected(reduction);
    let report = match ran.report() {
        Ok(report) => report,
        Err(why) => return vec![why],
    };
    if report.verdict != verdict {
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
    if let (Some(expected), Some(got)) = (case.line, violation.map(|violation| violation.line))
        && expected != got
    {
        wrong.push(format!("line {got}, not {expected}"));
    }
    if let Some(expected) = case.says.as_ref().filter(|_| verdict == case.verdict)
        && !told(&report).iter().any(|text| text.contains(expected))
    {
        wrong.push(format!("no {expected:?} in {:?}", told(&report)));
    }
    match case.states.get(reduction) {
        _ if !counted => {}
        None => wrong.push("the number of states is not known yet: run `make bless-check`".to_owned()),
        Some(&states) if states == report.states => {}
        Some(states) => wrong.push(format!("{} states, not {states}", report.states)),
    }
    wrong
}

/// What a report tells about its verdict, without the sources that it may quote.
fn told(report: &Report) -> Vec<&str> {
    let reason = report.reason.iter().chain(&report.help).chain(&report.notes);
    let first = report.violations.first().into_iter();
    let explained = first.flat_map(|violation| [&violation.message].into_iter().chain(&violation.why));
    reason.chain(explained).map(String::as_str).collect()
}

#[test]
fn every_program_has_its_verdict() {
    if std::env::var_os("RADDLE_BLESS").is_some() {
        return bless();
    }
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

/// Writes the numbers of states into the fixtures. Everything else about a program is for its author to say.
fn bless() {
    assert_eq!(JDK.feature(), COUNTED, "numbers of states are those of JDK {COUNTED}");
    let mut refused = Vec::new();
    for (reduction, survey) in [("base", &*SURVEY), ("auto", &*AUTO)] {
        for (case, ran) in survey {
            let wrong = differences(case, reduction, ran, false);
            match ran.report() {
                Ok(report) if wrong.is_empty() => {
                    let old = case.states.get(reduction);
                    if old != Some(&report.states) {
                        let old = old.map_or("?".to_owned(), |states| states.to_string());
                        eprintln!("{}: {reduction} {old} -> {} states", case.name, report.states);
                        case.bless(reduction, report.states);
                    }
                }
                _ => refused.push(format!("{} {reduction}: {}", case.name, wrong.join("; "))),
            }
        }
    }
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
    chosen.retain(|case| case.jdk.is_none_or(|only| only == feature) && !case.owes);
    let numbered = chosen.into_iter().enumerate();
    let sample = numbered.filter(|(number, case)| number % 5 == 0 || uses_locks(&case.path));
    let sample: Vec<&Case> = sample.map(|(_, case)| case).collect();
    let failures = on_all_cores(&sample, |case| {
        let expected = case.expected("auto");
        let report = match case
            .check_with(&jdk, "auto", &["--json", "-", "--time", "100s"])
            .report()
        {
            Ok(report) => report,
            Err(why) => return Some(format!("{}: {why}", case.name)),
        };
        let first = report.violations.first();
        let got = (
            report.verdict.as_str(),
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

/// A way to explore that must come to the same as that of [`CENSUS`].
struct Comparison<'a> {
    /// Its options.
    options: &'a [&'a str],
    /// Programs with at most so many states are explored.
    most: u64,
    /// Which of them.
    fits: fn(&Case) -> bool,
    /// Whether a report is that of a whole exploration.
    ended: fn(&Report) -> bool,
    /// What is wrong with a report, when the one of the census is that.
    difference: fn(&Report, &Report) -> Option<String>,
}

/// Explores programs in another way; how many there were, and how many of them did not come to their end.
fn compare(comparison: &Comparison<'_>) -> (usize, usize) {
    compare_with(comparison, |_| String::new())
}

/// The same with reductions that are another combination for each program, given by its number.
fn compare_with(comparison: &Comparison<'_>, reductions: impl Fn(usize) -> String + Sync) -> (usize, usize) {
    let what = comparison.options.join(" ");
    let is_small = |report: &Report| report.states <= comparison.most;
    let mut small: Vec<_> = CENSUS.iter().enumerate().collect();
    small.retain(|(_, (case, known))| (comparison.fits)(case) && known.as_ref().map_or(true, is_small));
    let results = on_all_cores(&small, |(number, (case, known))| -> Result<bool, String> {
        let reductions = reductions(*number);
        let reduced = ["--reduce", &reductions];
        let wrong = |why: String| format!("{} {reductions}: {why}", case.name);
        let known = known.as_ref().map_err(|why| wrong(why.clone()))?;
        let own = if reductions.is_empty() { &[][..] } else { &reduced };
        let options = [&["--json", "-", "--all"], comparison.options, own].concat();
        let report = case.check(&JDK, &options).report().map_err(wrong)?;
        if !(comparison.ended)(&report) {
            return Ok(false);
        }
        (comparison.difference)(&report, known).map_or(Ok(true), |difference| Err(wrong(difference)))
    });
    let unfinished = results.iter().filter(|result| matches!(result, Ok(false))).count();
    if unfinished > 0 {
        eprintln!("{what}: {unfinished} of {} programs are too large", small.len());
    }
    conclude(&what, small.len(), results.into_iter().filter_map(Result::err));
    (small.len(), unfinished)
}

/// Property, file, line and message of what was found.
type Flaw<'a> = (&'a str, &'a str, u32, &'a str);

fn flaws(report: &Report) -> BTreeSet<Flaw<'_>> {
    let flaws = report
        .violations
        .iter()
        .map(|found| (&*found.property, &*found.file, found.line, &*found.message));
    flaws.collect()
}

/// The same without what depends on where steps end: where threads are in a livelock, and who comes first in a message.
fn coarse(report: &Report) -> BTreeSet<Flaw<'_>> {
    let coarse = flaws(report)
        .into_iter()
        .map(|(property, file, line, _)| match property {
            "livelock" => (property, "", 0, ""),
            _ => (property, file, line, ""),
        });
    coarse.collect()
}

/// Verdict and flaws must be the same.
fn same_flaws(report: &Report, known: &Report) -> Option<String> {
    let [got, expected] = [report, known].map(|report| format!("{} {:?}", report.verdict, coarse(report)));
    (got != expected).then(|| format!("{got}, not {expected}"))
}

/// Verdict, flaws and the number of states in which the program is over must be the same.
fn same_ends(report: &Report, known: &Report) -> Option<String> {
    let ends = || {
        let (got, expected) = (report.end_states, known.end_states);
        (got != expected).then(|| format!("{got} end states, not {expected}"))
    };
    same_flaws(report, known).or_else(ends)
}

/// The state graph must be the same, and all that is found in it.
fn same_graph(report: &Report, known: &Report) -> Option<String> {
    let [got, expected] = [report, known].map(|report| {
        let (states, transitions) = (report.states, report.transitions);
        format!(
            "{states} states, {transitions} transitions, {} {:?}",
            report.verdict,
            flaws(report)
        )
    });
    (got != expected).then(|| format!("{got}, not {expected}"))
}

/// Only what is found at one state may be seen, and nothing is proved.
fn no_proof(report: &Report, known: &Report) -> Option<String> {
    let needs_all_states = |property: &str| property == "livelock" || property == "reachable";
    let [got, expected] = [report, known].map(|report| {
        let mut flaws = flaws(report);
        flaws.retain(|(property, ..)| !needs_all_states(property));
        flaws
    });
    let verdict = if report.violations.is_empty() {
        "unknown"
    } else {
        "violated"
    };
    if report.verdict == verdict && got == expected {
        return None;
    }
    Some(format!("{} {got:?}, not {verdict} {expected:?}", report.verdict))
}

fn always(_: &Report) -> bool {
    true
}

#[test]
fn breadth_first_search_agrees() {
    compare(&Comparison {
        options: &["--search", "bfs"],
        most: SMALL,
        fits: |case| !case.has("livelock"),
        ended: always,
        difference: same_graph,
    });
}

#[test]
fn the_order_of_threads_does_not_matter() {
    for options in [
        &["--shuffle", "--seed", "1"],
        &["--shuffle", "--seed", "2"],
        &["--shuffle", "--seed", "3"],
    ] {
        compare(&Comparison {
            options,
            most: 1000,
            fits: |_| true,
            ended: always,
            difference: same_graph,
        });
    }
}

#[test]
fn every_instruction_as_a_step_shows_the_same() {
    let compare_where = |fits, difference| {
        compare(&Comparison {
            options: &["--reduce", "none", "--states", "2000000", "--time", "8s"],
            most: 1000,
            fits,
            ended: |report| report.states < 2_000_000 && report.seconds < 8.0,
            difference,
        })
    };
    let (programs, unfinished) = compare_where(|case| !CUT_OFF.contains(&&*case.name), same_ends);
    assert!(unfinished * 10 <= programs, "{unfinished} of {programs} are too large");
    let (programs, unfinished) = compare_where(|case| CUT_OFF.contains(&&*case.name), same_flaws);
    assert_eq!((programs, unfinished), (CUT_OFF.len(), 0));
}

/// Programs whose end may come upon another thread between two instructions of its own, where `base` never stops it.
const CUT_OFF: [&str; 3] = ["DaemonLeft", "DaemonSpinner", "ExitWhileBlocked"];

/// Each program in some of all legal combinations of reductions, and the next one in the next.
#[test]
fn reductions_show_the_same() {
    const AT_ONCE: usize = 6;
    // A prime, so that all have their turn and neighbours differ.
    const STRIDE: usize = 71;
    let all = Combination::all();
    for turn in 0..AT_ONCE {
        let comparison = Comparison {
            options: &[],
            most: 1000,
            fits: |case| !["livelock", "lock", "--preemptions"].iter().any(|word| case.has(word)),
            ended: always,
            difference: same_flaws,
        };
        compare_with(&comparison, |number| {
            all[(number * AT_ONCE + turn) * STRIDE % all.len()].names().join(",")
        });
    }
}

#[test]
fn fingerprints_show_the_same() {
    compare(&Comparison {
        options: &["--store", "fingerprint"],
        most: SMALL,
        fits: |_| true,
        ended: always,
        difference: same_graph,
    });
}

#[test]
fn a_few_bits_of_each_state_prove_nothing() {
    compare(&Comparison {
        options: &["--store", "bits", "--memory", "64M"],
        most: 1000,
        fits: |_| true,
        ended: always,
        difference: no_proof,
    });
}

#[test]
fn every_counterexample_replays() {
    let violated: Vec<&(&Case, Ran)> = SURVEY
        .iter()
        .filter(|(case, _)| case.property.as_deref().is_some_and(|property| property != "reachable"))
        .collect();
    let failures = on_all_cores(&violated, |(case, ran)| {
        replay(case, ran).err().map(|why| format!("{}: {why}", case.name))
    });
    conclude("replays", violated.len(), failures.into_iter().flatten());
}

fn replay(case: &Case, ran: &Ran) -> Result<(), String> {
    let found = ran.report()?.violations.into_iter().next().ok_or("no violation")?;
    let json = scratch(&format!("{}.replay", case.name));
    let _ = fs::remove_file(&json);
    let mut command = cases::raddle();
    command.arg("replay").arg("--jdk").arg(JDK.home());
    command.arg("--source").args(case.path.parent());
    command.arg("--json").arg(&json).arg(trace_of(case));
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

#[test]
fn limits_make_a_verdict_unknown() {
    let limits: [(&[&str], &str, &str); 8] = [
        (&["--states", "100"], "--states", "allow more states"),
        (&["--time", "1ms"], "--time", "give more time"),
        (&["--memory", "1k"], "--memory", "give more memory"),
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
            &["--store", "bits", "--memory", "64M"],
            "store of bits",
            "--store exact",
        ),
        (
            &["--search", "random", "--states", "100"],
            "random search",
            "--search dfs",
        ),
        (
            &["--search", "random", "--time", "50ms"],
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
        let wanted = [&*first, reason, "\n  help: ", help, "\n  states "];
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
        assert_eq!(
            report.map(|report| report.verdict),
            Ok("holds".to_owned()),
            "{}",
            case.name
        );
    }
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
        assert_eq!(
            (ran.status, &*ran.out, &*ran.err),
            (Some(status), &*format!("{verdict}\n"), ""),
            "{}",
            case.name
        );
    }
    let ran = plain("holds", 500..1000)[0].check(&JDK, &["--quiet", "--states", "100"]);
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(3), "unknown\n", ""));
}

#[test]
fn wrong_options_are_explained() {
    let properties = Property::ALL.map(Property::name).join(", ");
    let cases: [(&[&str], &[&str]); 15] = [
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
        (&["--entry", "nothing"], &["no method nothing", "--entry"]),
        (&["--json", "/no/such/folder"], &["cannot write /no/such/folder"]),
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
            report.verdict == "unknown",
            "{}",
            case.name
        );
        assert_eq!(report.rests_on.is_empty(), report.verdict != "holds", "{}", case.name);
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
        () if trace.schedule.is_empty() == has_schedule => Some("no schedule, or one too many"),
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
        assert_eq!((&*ran.out, &*ran.err), (&*format!("{verdict}\n"), ""), "{}", case.name);
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
