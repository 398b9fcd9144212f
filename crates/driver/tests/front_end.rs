//! The library as another front end uses it: options in, a report out, and no command in between.

use driver::options::Replay;
use driver::{Check, Failure, Figures, Observer, Plan, Report, Schedule, Silent, Verdict, check, names};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn fixture(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path);
    path.to_string_lossy().into_owned()
}

/// What it hears, in the order in which it does.
#[derive(Default)]
struct Heard(Vec<&'static str>);

impl Observer for Heard {
    fn begins(&mut self, _time: Option<Duration>, memory: u64) {
        assert!(memory > 0, "the process has a limit");
        self.0.push("begins");
    }

    fn progress(&mut self, _figures: &Figures) {}

    fn ends(&mut self) {
        self.0.push("ends");
    }

    fn knows(&mut self, report: &Report) {
        assert!(
            !report.violations.is_empty(),
            "what was found is known before it is told"
        );
        self.0.push("knows");
    }
}

#[test]
fn a_java_program_has_a_verdict_and_a_trace() {
    let report = check(Check::new(fixture("check/violated/LostUpdate.java")), &mut Silent).expect("it can be checked");
    assert_eq!(report.verdict, Verdict::Violated);
    let [violation] = &report.violations[..] else {
        panic!("one violation is looked for: {:?}", report.violations);
    };
    assert_eq!((&*violation.property, violation.line), ("race", 9));
    assert_eq!(violation.trace.threads, ["main", "Thread-0"]);
    assert!(violation.trace.rows.iter().any(|row| row.source == "count++;"));
    assert!(report.seconds > 0.0 && report.peak_bytes > 0);
}

#[test]
fn a_model_is_checked_by_a_plan_and_its_trace_replayed() {
    let plan = Plan::new(Check::new(fixture("models/opposite_locks.rad"))).expect("the options go together");
    assert_eq!(plan.blank_report().verdict, Verdict::Unknown);
    let mut heard = Heard::default();
    let report = plan.examine(&mut heard).expect("it can be checked").report;
    driver::limits::lift();
    assert_eq!(heard.0, ["begins", "ends", "knows"]);
    assert_eq!(report.verdict, Verdict::Violated);
    let file = plan.trace_file(&report).expect("a violation has a trace");
    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("opposite_locks.json");
    std::fs::write(&trace, file.to_json()).expect("target can be written");
    let schedule = Schedule::read(Replay {
        trace,
        jdk: None,
        source: Vec::new(),
    });
    let again = schedule.expect("the file can be read").replay(&mut Silent);
    let again = again.expect("the schedule can be followed");
    assert_eq!(again.verdict, Verdict::Violated);
    assert_eq!(again.violations[0].message, report.violations[0].message);
}

#[test]
fn a_limit_makes_a_verdict_unknown() {
    let mut options = Check::new(fixture("models/philosophers.rad"));
    options.how.states = Some(3);
    options.random_walks = false;
    let report = check(options, &mut Silent).expect("it can be checked");
    assert_eq!(report.verdict, Verdict::Unknown);
    assert!(report.reason.is_some_and(|reason| reason.contains("--states")));
}

#[test]
fn what_cannot_be_checked_is_a_failure() {
    let unknown = [
        (
            names::combination(["escape", "atmic"]).map(drop),
            "did you mean `atomic`?",
        ),
        (names::property("deadlok").map(drop), "did you mean `deadlock`?"),
        (names::combination(["optimistic", "escape"]).map(drop), "knows nothing"),
    ];
    for (answer, hint) in unknown {
        assert!(
            matches!(answer, Err(Failure::Input(message)) if message.contains(hint)),
            "{hint}"
        );
    }
    let absent = check(Check::new(fixture("models/absent.rad")), &mut Silent).err();
    assert!(matches!(absent, Some(Failure::Input(message)) if message.contains("cannot read")));
}
