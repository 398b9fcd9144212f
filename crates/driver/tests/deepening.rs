//! What is said about a program whose states are too many: schedules with few preemptions.

use driver::{Check, Silent, Verdict, check};
use std::path::PathBuf;
use std::time::Duration;

/// Six threads that take turns at two counters, more often than can be explored, and then `end`.
fn model(name: &str, end: &str) -> String {
    let text = format!(
        "volatile int x; volatile int y;\n\
         thread t(i) [6] {{\n  x = x + 1; y = y + i; x = x + y; y = y + x; x = x + 1; y = y + 1;\n{end}}}\n"
    );
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.to_string_lossy().into_owned()
}

fn examined(program: String) -> driver::Report {
    let mut options = Check::new(program);
    options.how.time = Some(Duration::from_secs(15));
    options.random_walks = false;
    check(options, &mut Silent).expect("it can be checked")
}

#[test]
fn an_endless_search_says_up_to_how_many_preemptions_there_is_no_violation() {
    let report = examined(model("turns.rad", ""));
    assert_eq!(report.verdict, Verdict::Unknown);
    assert!(report.preemptions.is_some(), "{report:?}");
    let known = report.known.unwrap_or_default();
    assert!(
        known.starts_with("no violation in any schedule with at most "),
        "{known}"
    );
}
