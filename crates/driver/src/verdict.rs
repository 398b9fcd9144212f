//! From how a search ended to the verdict: why it is unknown, what would help, what it rests on.

use crate::limits::Cause;
use crate::options::{Check, StoreKind};
use kernel::Obstacle;
use report::model::{Report, Verdict};
use search::{Ending, Figures, Order, Outcome, Why};

/// Why there is no more, and what would help, where the user has set the limit.
pub fn cut_short(cause: Cause) -> (&'static str, &'static str) {
    match cause {
        Cause::Time => (
            "the time that --time allows is used up",
            "give more time, a smaller program, or --preemptions N for a partial answer",
        ),
        Cause::Memory => (
            "the memory that --memory allows is used up",
            "give more memory, a smaller program, or --store fingerprint",
        ),
        Cause::Interrupted => ("the search was interrupted", "let it run to its end"),
    }
}

/// Makes what was known when there had to be an end a report: unknown unless it has violations. `figures` is how far the search was,
/// if it is still running.
pub fn end_early(report: &mut Report, cause: Cause, figures: Option<Figures>) {
    let (reason, help) = cut_short(cause);
    if let Some(figures) = figures
        && report.states == 0
    {
        report.states = figures.states;
        report.transitions = figures.transitions;
        report.max_depth = figures.max_depth;
        report.threads = figures.threads.into();
    }
    if report.violations.is_empty() {
        report.verdict = Verdict::Unknown;
        report.reason = Some(reason.to_owned());
        report.help = Some(help.to_owned());
    } else {
        report.verdict = Verdict::Violated;
        report.notes.push(format!("not everything was told: {reason}"));
    }
}

/// The verdict, why it is unknown and what would help, and what it rests on: `consistency` first, if anything.
pub fn judge<A>(report: &mut Report, outcome: &Outcome<A>, options: &Check, consistency: Option<String>) {
    let limit = |cause: Cause| {
        let (reason, help) = cut_short(cause);
        (reason.to_owned(), help)
    };
    let unknown = |why: &Why| -> Option<(String, &str)> {
        Some(match why {
            Why::Time | Why::States if options.how.search == Order::Random => (
                "a random search sees only some executions, and found nothing in them".to_owned(),
                "use --search dfs for all executions, or go on with another --seed",
            ),
            Why::Time => limit(Cause::Time),
            Why::Memory => limit(Cause::Memory),
            Why::Interrupted => limit(Cause::Interrupted),
            Why::States => (
                "as many states as --states allows were explored".to_owned(),
                "allow more states, or make the program smaller",
            ),
            Why::Preemptions => (
                match options.preemptions.unwrap_or_default() {
                    1 => "no violation in any schedule with at most 1 preemption; others were left out".to_owned(),
                    most => {
                        format!("no violation in any schedule with at most {most} preemptions; others were left out")
                    }
                },
                "allow more preemptions, or leave --preemptions out",
            ),
            Why::Unsupported(what) => (
                what.to_string(),
                match what.obstacle {
                    Obstacle::Feature => {
                        "leave that out of the program under check, or put something simpler in its place"
                    }
                    Obstacle::Limit => {
                        "allow more, or make the program smaller: a limit that is reached is never passed over"
                    }
                    Obstacle::Input => "name its folder or jar with -cp",
                },
            ),
            Why::Inexact if options.how.store == StoreKind::Fingerprint => return None,
            Why::Inexact if options.how.search == Order::Random => (
                "a random search sees only some executions".to_owned(),
                "use --search dfs for all of them",
            ),
            Why::Inexact => (
                "a store of bits may take a new state for a known one".to_owned(),
                "use --store exact",
            ),
            Why::Full => (
                "there are more states than can be numbered".to_owned(),
                "make the program smaller",
            ),
            Why::Broken => (
                "something that the reduction relied on is wrong".to_owned(),
                "use --reduce base",
            ),
            // SOUNDNESS: a violation that cannot be told is no reason to say that there is none.
            Why::FirstViolation => (
                "a violation was found whose schedule cannot be followed again".to_owned(),
                "use --reduce base",
            ),
        })
    };
    let reason = match &outcome.ending {
        Ending::Complete => None,
        Ending::Stopped(why) => unknown(why),
    };
    // A step that is not supported was never passed over, whatever else ended the search.
    let reason = reason.or_else(|| {
        let first = outcome.unsupported.first()?;
        unknown(&Why::Unsupported(first.0.clone()))
    });
    report.verdict = match (&report.violations[..], &reason) {
        ([], None) => Verdict::Holds,
        ([], Some(_)) => Verdict::Unknown,
        _ => Verdict::Violated,
    };
    if report.verdict == Verdict::Unknown
        && let Some((reason, help)) = reason
    {
        report.reason = Some(reason);
        report.help = Some(help.to_owned());
        for (what, _) in outcome.unsupported.iter().skip(1) {
            report.notes.push(format!("also {what}"));
        }
    }
    if report.verdict == Verdict::Violated
        && outcome.ending != Ending::Stopped(Why::FirstViolation)
        && let Some((reason, _)) = match &outcome.ending {
            Ending::Complete => None,
            Ending::Stopped(why) => unknown(why),
        }
    {
        report.notes.push(format!("not everything was explored: {reason}"));
    }
    if report.verdict == Verdict::Holds {
        report.rests_on.extend(consistency);
        if outcome.ignored > 0 {
            report.rests_on.push(format!(
                "executions were left out because the program asked for it (assume, ignoreIf), at {} states",
                outcome.ignored
            ));
        }
        if options.how.store == StoreKind::Fingerprint {
            report.rests_on.push(format!(
                "fingerprints of 128 bits: a state was missed with a probability of at most {:.1e}",
                report.collision_probability
            ));
        }
    }
}
