//! What a program can tell of its threads, compared with a plain run.

use super::common;
use super::common::cases::{self, CLASSES, raddle, run};
use std::collections::BTreeSet;

#[test]
fn thread_ids_are_those_of_a_run() {
    let case = cases::all().iter().find(|case| case.name == "ThreadIds");
    let case = case.expect("the program is there");
    for jdk in common::jdks() {
        let mut command = raddle();
        command.args(["run", "--jdk"]).arg(jdk.home());
        command.arg("-cp").arg(&*CLASSES).arg(&case.name);
        let printed = run(command).out;
        let ran: BTreeSet<i32> = printed.split_whitespace().filter_map(|id| id.parse().ok()).collect();
        assert_eq!(ran.len(), 3, "JDK {}: {printed}", jdk.feature());
        for reduction in ["none", "base", "auto"] {
            let report = case.check(&jdk, &["--json", "-", "--reduce", reduction]).report();
            let report = report.expect("the program holds");
            let explored: BTreeSet<i32> = report.observations.iter().map(|one| one.value).collect();
            assert_eq!(explored, ran, "JDK {}, {reduction}", jdk.feature());
        }
    }
}
