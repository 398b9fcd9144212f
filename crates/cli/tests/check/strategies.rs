//! The strategies of Dwyer et al. on all small programs that hold: each has the verdict and the number of states that the headers name.

use crate::common::cases::{self, CLASSES, Case, on_all_cores, raddle, run, scratch};
use crate::verdicts::COUNTED;
use crate::{JDK, conclude};
use std::fs;

/// The most states that a small program has under `base`.
const SMALL: u64 = 1000;

/// What one strategy comes to.
struct Row {
    strategy: String,
    verdict: String,
    states: u64,
}

/// All small programs that hold, without options of their own, each with all strategies.
fn compared() -> Vec<(&'static Case, Vec<Row>)> {
    let mut small = cases::chosen();
    small.retain(|case| {
        let states = case.states.get("base");
        case.verdict == "holds" && case.options.is_empty() && states.is_some_and(|&states| states <= SMALL)
    });
    on_all_cores(&small, |case| (*case, compare(case)))
}

fn compare(case: &Case) -> Vec<Row> {
    let file = scratch(&format!("{}.csv", case.name));
    let _ = fs::remove_file(&file);
    let mut command = raddle();
    command.args(["compare", "--jdk"]).arg(JDK.home());
    command
        .arg("-cp")
        .arg(&*CLASSES)
        .arg("--csv")
        .arg(&file)
        .arg(&case.name);
    run(command);
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().skip(1).filter_map(row).collect()
}

/// A line of the table. The reductions may have commas, and what comes after them has none.
fn row(line: &str) -> Option<Row> {
    let after: Vec<&str> = line.rsplit(',').collect();
    Some(Row {
        strategy: line.split(',').next()?.to_owned(),
        verdict: (*after.get(2)?).to_owned(),
        states: after.get(8)?.parse().ok()?,
    })
}

#[test]
fn every_strategy_has_its_verdict_and_its_states() {
    let compared = compared();
    let counted = JDK.feature() == COUNTED;
    let failures = compared.iter().filter_map(|(case, rows)| {
        let wrong = rows.iter().filter_map(|row| {
            let name = if row.strategy == "B" { "base" } else { &row.strategy };
            let known = case.states.get(name);
            match known {
                _ if row.verdict != case.verdict => Some(format!("{name}: {}", row.verdict)),
                Some(&states) if counted && states != row.states => {
                    Some(format!("{name}: {} states, not {states}", row.states))
                }
                None if counted => Some(format!("{name}: run `make bless-check`")),
                _ => None,
            }
        });
        let mut wrong: Vec<String> = wrong.collect();
        if rows.len() != 9 {
            wrong.push(format!("{} strategies", rows.len()));
        }
        (!wrong.is_empty()).then(|| format!("{}: {}", case.name, wrong.join("; ")))
    });
    conclude("programs with all strategies", compared.len(), failures);
}

/// Writes the numbers of states into the fixtures.
pub fn bless() {
    for (case, rows) in compared() {
        for row in rows.iter().filter(|row| row.strategy != "B") {
            let old = case.states.get(&row.strategy);
            if old != Some(&row.states) {
                let old = old.map_or("?".to_owned(), |states| states.to_string());
                eprintln!("{}: {} {old} -> {} states", case.name, row.strategy, row.states);
                case.bless(&row.strategy, row.states);
            }
        }
    }
}
