//! `gov.nasa.jpf.vm.Verify`: the calls that need Java Pathfinder itself are unsupported by their name. The fixtures `Jpf*` have
//! the others.

#[path = "../common/mod.rs"]
mod common;

use std::process::{Command, Output};

fn raddle(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(arguments)
        .current_dir(common::root().join("crates/cli/tests/jpf"))
        .env("XDG_CACHE_HOME", common::root().join("target/command/cache"))
        .output()
        .expect("raddle runs")
}

#[test]
fn calls_that_need_java_pathfinder_are_unsupported_by_their_name() {
    let counted = raddle(&["run", "Unsupported.java"]);
    let count: usize = String::from_utf8_lossy(&counted.stdout)
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("{counted:?}"));
    assert!(count > 20);
    for call in 0..count {
        let output = raddle(&["run", "Unsupported.java", &call.to_string()]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "call {call}: {told}");
        assert!(
            told.contains("unsupported: ") && told.contains("gov.nasa.jpf.vm.Verify"),
            "{told}"
        );
    }
    let output = raddle(&["check", "Unsupported.java", "7"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("gov.nasa.jpf.vm.Verify.terminateSearch"), "{told}");
}
