//! A newer JDK makes no program larger: linking and the lazy parts of its library are done before the search begins.

use crate::common::cases::{self, Case, on_all_cores};
use crate::verdicts::COUNTED;
use crate::{common, conclude, told};
use program::jdk::Jdk;

/// How many times as many states there may be.
const TIMES: u64 = 2;
/// Programs with more states on the JDK that the counts belong to are left out: they take too long.
const MOST: u64 = 10_000;

/// What is wrong with the number of states of a program on this JDK.
fn grown(case: &Case, jdk: &Jdk) -> Option<String> {
    let most = TIMES * case.states.get("auto")?;
    // One state more is enough to know.
    let limit = (most + 1).to_string();
    let ran = case.check_with(jdk, "auto", &["--json", "-", "--no-hunt", "--states", &limit]);
    let report = match ran.report() {
        Ok(report) => report,
        Err(why) => return Some(format!("{}: {why}", case.name)),
    };
    match (report.states > most, case.is_larger_on(jdk.feature())) {
        (true, false) => Some(format!(
            "{}: more than {most} states, {TIMES} times those of JDK {COUNTED}",
            case.name
        )),
        (false, true) => Some(format!(
            "{}: {} states are no more than {TIMES} times as many; drop `newer`",
            case.name, report.states
        )),
        (false, false) if report.verdict.name() != case.expected("auto").0 => {
            Some(format!("{}: {}: {:?}", case.name, report.verdict, told(&report)))
        }
        _ => None,
    }
}

/// Compares the programs on one JDK with their counts, one in so many.
fn compare(feature: u16, share: usize) {
    let Some(jdk) = common::jdks().into_iter().find(|jdk| jdk.feature() == feature) else {
        return;
    };
    let mut chosen = cases::chosen();
    chosen.retain(|case| {
        let fits = case.states.get("auto").is_some_and(|&count| count <= MOST);
        let ends = case.auto.is_some() || !case.has("--states");
        // Certificates are of one JDK's bytecode.
        let is_alike = !case.has("--reduce") && !case.has("--library");
        fits && ends && case.jdk.is_none() && !case.owes && is_alike
    });
    let sample: Vec<&Case> = chosen.into_iter().step_by(share).collect();
    let failures = on_all_cores(&sample, |case| grown(case, &jdk));
    conclude(
        &format!("numbers of states on JDK {feature}"),
        sample.len(),
        failures.into_iter().flatten(),
    );
}

#[test]
fn states_are_no_more_than_twice_as_many_on_21() {
    compare(21, 3);
}

#[test]
fn states_are_no_more_than_twice_as_many_on_25() {
    compare(25, 1);
}
