//! Whatever way programs are explored in, it comes to the same.

use crate::common::cases::{self, Case, on_all_cores};
use crate::{JDK, conclude};
use reduction::Combination;
use report::model::{Report, Verdict};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Up to so many states a program is taken for the comparisons.
const SMALL: u64 = 3000;

/// Up to so many states where every instruction is a step.
const EVERY_INSTRUCTION: &str = "300000";

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

/// The state graph must be the same, and all that is found in it, but for the names of threads: which of two that are alike it happens to
/// may be told of either.
fn same_graph(report: &Report, known: &Report) -> Option<String> {
    let [got, expected] = [report, known].map(|report| {
        let (states, transitions) = (report.states, report.transitions);
        let found = format!("{:?}", flaws(report));
        let mut parts = found.split("Thread-");
        let first = parts.next().unwrap_or_default().to_owned();
        let found = parts.fold(first, |text, part| {
            text + "Thread-" + part.trim_start_matches(|digit: char| digit.is_ascii_digit())
        });
        format!("{states} states, {transitions} transitions, {} {found}", report.verdict)
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
    let verdict = match report.violations[..] {
        // Nothing can be taken for the only state there is.
        [] if report.states == 1 && known.verdict == Verdict::Holds => "holds",
        [] => "unknown",
        _ => "violated",
    };
    if report.verdict.name() == verdict && got == expected {
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
    // Each program in one of three orders.
    let thirds: [fn(&Case) -> bool; 3] = [
        |case| case.name.len() % 3 == 0,
        |case| case.name.len() % 3 == 1,
        |case| case.name.len() % 3 == 2,
    ];
    for (seed, fits) in ["1", "2", "3"].into_iter().zip(thirds) {
        compare(&Comparison {
            options: &["--shuffle", "--seed", seed],
            most: 1000,
            fits,
            ended: always,
            difference: same_graph,
        });
    }
}

#[test]
fn every_instruction_as_a_step_shows_the_same() {
    let compare_where = |fits, difference| {
        compare(&Comparison {
            options: &["--reduce", "none", "--states", EVERY_INSTRUCTION],
            most: 1000,
            fits,
            ended: |report| report.states.to_string() != EVERY_INSTRUCTION,
            difference,
        })
    };
    // What takes effect at once is no matter of single instructions.
    let fits = |case: &Case| !OTHER_ENDS.contains(&&*case.name) && !case.has("--operation") && !case.has("--library");
    let (programs, unfinished) = compare_where(fits, same_ends);
    assert!(unfinished * 10 <= programs, "{unfinished} of {programs} are too large");
    let (programs, unfinished) = compare_where(|case| OTHER_ENDS.contains(&&*case.name), same_flaws);
    assert_eq!((programs, unfinished), (OTHER_ENDS.len(), 0));
}

/// Inside of the library there is nothing to be seen that its operations do not show at once.
#[test]
fn operations_of_the_library_show_the_same() {
    for reduction in ["base", "auto"] {
        let comparison = Comparison {
            options: &["--library", "operations"],
            most: 4000,
            fits: |case| {
                let is_about = |name| case.has(name);
                let uses = std::fs::read_to_string(&case.path).is_ok_and(|text| text.contains("java.util.concurrent"));
                uses && !["livelock", "lock", "--preemptions", "--operation", "--library"]
                    .into_iter()
                    .any(is_about)
            },
            ended: always,
            // What is too large inside has nothing to be held against.
            difference: |report, known| match known.verdict {
                Verdict::Unknown => None,
                _ => same_flaws(report, known),
            },
        };
        compare_with(&comparison, |_| reduction.to_owned());
    }
}

/// Programs whose end may come upon another thread between two instructions of its own, where `base` never stops it.
///
/// And programs that use one of many classes of the JDK: which of them are initialised before the search depends on how the program is
/// tried out, and so does how many ends differ in that.
const OTHER_ENDS: [&str; 5] = [
    "DaemonLeft",
    "DaemonSpinner",
    "ExitWhileBlocked",
    "WeakCasFails",
    "WeakCasWidths",
];

/// Each program in some of all legal combinations of reductions, and the next one in the next.
#[test]
fn reductions_show_the_same() {
    const AT_ONCE: usize = 3;
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

/// The same breadth-first, once: without `sleep`, which knows only what depth-first search has explored before.
#[test]
fn reductions_show_the_same_breadth_first() {
    const STRIDE: usize = 71;
    let all: Vec<String> = Combination::all()
        .iter()
        .filter(|combination| combination.keeps_with_states().is_none() && !combination.is_auto())
        .map(|combination| combination.names().join(","))
        .collect();
    let comparison = Comparison {
        options: &["--search", "bfs"],
        most: 1000,
        fits: |case| !["livelock", "lock", "--preemptions"].iter().any(|word| case.has(word)),
        ended: always,
        difference: same_flaws,
    };
    compare_with(&comparison, |number| all[number * STRIDE % all.len()].clone());
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
        options: &["--store", "bits", "--memory", "512M"],
        most: 1000,
        fits: |_| true,
        ended: always,
        difference: no_proof,
    });
}
