//! Random programs: all ways to search say the same about them, one that leaves something out is caught, and what programs read out is
//! all there. What the random programs have found is checked too.

mod common;

use common::cases::{self, Ran};
use report::model::{Report, Verdict};
use std::fs;

/// Runs the command on the first JDK there is.
fn raddle(arguments: &[&str]) -> Ran {
    let jdks = common::jdks();
    let mut command = cases::raddle();
    command
        .arg(arguments[0])
        .arg("--jdk")
        .arg(jdks[0].home())
        .args(&arguments[1..]);
    cases::run(command)
}

#[test]
fn all_ways_to_search_say_the_same() {
    for (kind, count) in [("--java", "120"), ("--models", "3000")] {
        let ran = raddle(&["oracle", kind, "--count", count, "--states", "1500"]);
        assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains(" 0 on which strategies disagree"), "{}", ran.out);
        eprint!("{}", ran.out);
    }
}

#[test]
fn what_reductions_claim_holds_at_every_state() {
    let java = ["--java", "--count", "40", "--size", "2", "--states", "700"];
    let models = ["--models", "--count", "400"];
    for more in [&java[..], &models] {
        let ran = raddle(&[&["oracle", "--commute"], more].concat());
        assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
        eprint!("{}", ran.out);
    }
}

#[test]
fn operations_at_once_show_what_a_search_inside_of_them_does() {
    for more in [&["--count", "24"][..], &["--count", "8", "--commute"]] {
        let fixed = [
            "oracle",
            "--java",
            "--concurrent",
            "--operations",
            "--size",
            "2",
            "--states",
            "4000",
        ];
        let ran = raddle(&[&fixed[..], more].concat());
        assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains(" 0 on which strategies disagree"), "{}", ran.out);
        eprint!("{}", ran.out);
    }
}

#[test]
fn a_search_that_leaves_something_out_is_caught_and_the_program_shrunk() {
    let ran = raddle(&[
        "oracle", "--java", "--seed", "17", "--count", "1", "--size", "1", "--blind", "0",
    ]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
    for part in ["public class Oracle17", "`blind` is not as `base`", "misses "] {
        assert!(ran.out.contains(part), "no {part:?} in {}", ran.out);
    }
    assert!(ran.out.lines().count() < 90, "not shrunk: {}", ran.out);
}

#[test]
fn a_program_is_printed_as_a_fixture() {
    let ran = raddle(&[
        "oracle", "--java", "--seed", "1000", "--count", "1", "--size", "3", "--blind", "0",
    ]);
    let start = ran.out.find("//@ property: race\n").expect("the headers come first");
    let (program, _) = ran.out[start..].split_once("\n`blind`").expect("then who disagrees");
    assert!(program.contains("\n// --discipline: "), "{program}");
    let report = check("Oracle1000", program, &["--reduce", "base"]);
    let violation = report.violations.first().expect("it is violated");
    assert_eq!(violation.property, "race");
    let line = format!("//@ line: {}", violation.line);
    assert_eq!(program.lines().nth(1), Some(&*line), "{program}");
}

/// Checks a program that is given as source.
fn check(name: &str, source: &str, options: &[&str]) -> Report {
    let path = cases::scratch(&format!("{name}.java"));
    fs::write(&path, source).expect("target can be written");
    let path = path.to_string_lossy().into_owned();
    let ran = raddle(&[&["check", "--json", "-"], options, &[&*path]].concat());
    ran.report().unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn every_value_of_every_execution_is_observed() {
    let source = "import raddle.Verify;
public class Observed {
    static volatile int x;
    public static void main(String[] args) throws InterruptedException {
        Thread other = new Thread(() -> x = x + 1);
        other.start();
        x = x + Verify.choose(2) * 10;
        other.join();
        Verify.observe(x);
    }
}
";
    let report = check("Observed", source, &[]);
    let seen: Vec<(u32, i32)> = report.observations.iter().map(|seen| (seen.line, seen.value)).collect();
    // Each addition may be lost to the other one.
    assert_eq!(seen, [(9, 0), (9, 1), (9, 10), (9, 11)]);
}

#[test]
fn who_can_only_wait_is_no_reason_to_switch() {
    let path = common::root().join("fixtures/check/holds/KeptByWaiting.java");
    let source = fs::read_to_string(path).expect("there is such a program");
    let states = |reduction: &str| check("KeptByWaiting", &source, &["--reduce", reduction]).states;
    let (escape, persistent) = (states("escape"), states("persistent"));
    assert!(persistent < escape, "{persistent} and {escape}");
    assert_eq!(states("sleep"), states("base"), "only steps are left out");
}

#[test]
fn what_raises_an_exception_races_with_nothing() {
    let source = "import raddle.Verify;
public class NullRace {
    static class Node { int value; }
    static final int[] cells = new int[1];
    static void miss(Node node) {
        try { node.value = 1; } catch (NullPointerException e) { }
        try { cells[1] = 1; } catch (ArrayIndexOutOfBoundsException e) { }
    }
    public static void main(String[] args) {
        Verify.beginAtomic();
        new Thread(() -> miss(null)).start();
        Verify.endAtomic();
        miss(null);
        Verify.beginAtomic();
        Runtime.getRuntime().halt(0);
    }
}
";
    for reduction in ["base", "none"] {
        let report = check("NullRace", source, &["--reduce", reduction]);
        assert_eq!(report.verdict, Verdict::Holds, "{reduction}: {:?}", report.violations);
    }
}
