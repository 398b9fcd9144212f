//! What must come out for the programs of Parízek and Lhoták (2014), under `examples/fields`.

mod common;

use report::model::{Report, Verdict};
use std::process::Command;

fn check(program: &str, arguments: &[&str]) -> Report {
    let jdk = common::jdks().swap_remove(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["check", "--json", "-", "--jdk"]).arg(jdk.home());
    command.arg(common::root().join("examples/fields").join(format!("{program}.java")));
    let output = command.args(arguments).output().expect("raddle runs");
    let text = String::from_utf8_lossy(&output.stdout);
    report::from_json(&text)
        .unwrap_or_else(|error| panic!("{program}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The sizes are those that the programs have by themselves, but for the two that take longest.
#[test]
fn every_program_holds() {
    for (program, arguments) in [
        ("Figure1", &[][..]),
        ("CoCoME", &[]),
        ("CreDemo", &[]),
        ("Daisy", &["0"]),
        ("Raytracer", &[]),
        ("Elevator", &["2", "1"]),
        ("JPapaBench", &[]),
        ("CDx", &[]),
        ("SimpleJbb", &[]),
    ] {
        let report = check(program, arguments);
        let reason = (&report.reason, &report.violations);
        assert_eq!(report.verdict, Verdict::Holds, "{program}: {reason:?}");
        assert!(report.threads >= 3, "{program}: {} threads", report.threads);
    }
}

/// Each mistake of the file system is found, by itself and among the others.
#[test]
fn every_mistake_of_daisy_is_found() {
    for (mistake, property) in [
        ("1", "exception"),
        ("2", "exception"),
        ("3", "exception"),
        ("4", "deadlock"),
    ] {
        let report = check("DaisyBroken", &[mistake]);
        let found: Vec<&str> = report.violations.iter().map(|one| &*one.property).collect();
        assert_eq!(
            (report.verdict, &found[..]),
            (Verdict::Violated, &[property][..]),
            "{mistake}"
        );
    }
    assert_eq!(check("DaisyBroken", &[]).verdict, Verdict::Violated);
}
