//! What must come out for the programs of Dwyer, Hatcliff, Robby and Ranganath (2004), under `examples/bogor`.

mod common;

use report::model::{Report, Verdict};
use std::process::Command;

/// Explores a program completely with some reductions, or up to a number of states.
fn explore(program: &str, arguments: &[&str], reduce: &str, most: Option<u64>) -> Report {
    let jdk = common::jdks().swap_remove(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["check", "--json", "-", "--all", "--reduce", reduce, "--jdk"]);
    command.arg(jdk.home());
    if let Some(most) = most {
        command.args(["--states", &most.to_string()]);
    }
    command.arg(common::root().join("examples/bogor").join(format!("{program}.java")));
    let output = command.args(arguments).output().expect("raddle runs");
    let text = String::from_utf8_lossy(&output.stdout);
    report::from_json(&text)
        .unwrap_or_else(|error| panic!("{program}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn states(program: &str, reduce: &str) -> u64 {
    explore(program, &[], reduce, None).states
}

#[test]
fn independent_work_takes_two_states_whatever_its_size() {
    for program in ["IndependentWork1", "IndependentWork2"] {
        for size in [["2", "5"], ["2", "40"], ["4", "3"]] {
            let report = explore(program, &size, "escape,atomic", None);
            assert_eq!(
                (report.states, report.verdict),
                (2, Verdict::Holds),
                "{program} {size:?}"
            );
        }
    }
}

#[test]
fn what_a_thread_makes_itself_is_proved_and_what_it_is_given_is_not() {
    assert!(states("IndependentWork1", "escape-static") < states("IndependentWork1", "base"));
    assert_eq!(
        states("IndependentWork2", "escape-static"),
        states("IndependentWork2", "base")
    );
}

/// At least the factors of the paper, from the base to the best, with the same verdict and at most three restarts.
#[test]
fn the_best_is_as_much_better_than_the_base_as_in_the_paper() {
    for (program, factor) in [
        ("Deadlock", 3.9),
        ("BoundedBuffer", 57.0),
        ("ReadersWriters", 16.0),
        ("ReplicatedWorkers", 125.0),
    ] {
        let best = explore(program, &[], "auto", None);
        assert!(best.restarts <= 3, "{program}: {} restarts", best.restarts);
        let wanted = (best.states as f64 * factor).ceil() as u64;
        let base = explore(program, &[], "base", Some(wanted));
        assert!(base.states >= wanted, "{program}: {} from {}", best.states, base.states);
        let violated = |report: &Report| -> Vec<String> {
            report
                .violations
                .iter()
                .map(|violation| violation.message.clone())
                .collect()
        };
        if base.verdict != Verdict::Unknown {
            assert_eq!(
                (&base.verdict, violated(&base)),
                (&best.verdict, violated(&best)),
                "{program}"
            );
        }
    }
}

#[test]
fn neither_domination_nor_locksets_contain_the_other() {
    let dominated = "escape,atomic,selflock,dominated";
    let lockset = "escape,atomic,lockset";
    assert!(states("Figure4", dominated) < states("Figure4", lockset));
    assert!(states("Figure6", lockset) < states("Figure6", dominated));
}
