//! The strategies of Dwyer et al. on all small programs that hold: each has the verdict of the program and the number of states that the table has.

use crate::common::cases::{self, CLASSES, Case, on_all_cores, raddle, run, scratch};
use crate::common::counts::{COLUMNS, Table};
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

/// Whether a program with so many states under `base` is compared: if it is small, holds, and has no options of its own.
pub fn is_small(case: &Case, states: Option<u64>) -> bool {
    case.verdict == "holds" && case.options.is_empty() && states.is_some_and(|states| states <= SMALL)
}

/// The chosen programs that are small by a table, each with all strategies.
fn compared(table: &Table) -> Vec<(&'static Case, Vec<Row>)> {
    let mut small = cases::chosen();
    small.retain(|case| is_small(case, table.count(&case.key, "base")));
    on_all_cores(&small, |case| (*case, compare(case)))
}

fn compare(case: &Case) -> Vec<Row> {
    let file = scratch(&format!("{}.csv", case.name));
    let _ = fs::remove_file(&file);
    let mut command = raddle();
    command.args(["compare", "--library", "whole", "--jdk"]).arg(JDK.home());
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
    let strategy = match line.split(',').next()? {
        "B" => "base",
        other => other,
    };
    Some(Row {
        strategy: strategy.to_owned(),
        verdict: (*after.get(2)?).to_owned(),
        states: after.get(8)?.parse().ok()?,
    })
}

/// What is wrong with the rows of a program, apart from numbers of states.
fn differences(case: &Case, rows: &[Row]) -> Vec<String> {
    let other = rows.iter().filter(|row| row.verdict != case.verdict);
    let mut wrong: Vec<String> = other.map(|row| format!("{}: {}", row.strategy, row.verdict)).collect();
    if rows.len() != 9 {
        wrong.push(format!("{} strategies", rows.len()));
    }
    wrong
}

#[test]
fn every_strategy_has_its_verdict_and_its_states() {
    let table = Table::read();
    let compared = compared(&table);
    let counted = JDK.feature() == COUNTED;
    let failures = compared.iter().filter_map(|(case, rows)| {
        let mut wrong = differences(case, rows);
        for row in rows.iter().filter(|_| counted) {
            match table.count(&case.key, &row.strategy) {
                Some(states) if states == row.states => {}
                Some(states) => wrong.push(format!("{}: {} states, not {states}", row.strategy, row.states)),
                None => wrong.push(format!("{}: run `make bless-check`", row.strategy)),
            }
        }
        (!wrong.is_empty()).then(|| format!("{}: {}", case.name, wrong.join("; ")))
    });
    conclude("programs with all strategies", compared.len(), failures);
}

/// Writes the numbers of states of the chosen programs that are small by now into the table; what is wrong with the others.
pub fn bless(table: &mut Table) -> Vec<String> {
    let compared = compared(table);
    for case in cases::chosen() {
        if !is_small(case, table.count(&case.key, "base")) {
            for strategy in COLUMNS
                .iter()
                .filter(|column| !["none", "base", "auto"].contains(column))
            {
                table.set(&case.key, strategy, None);
            }
        }
    }
    let mut refused = Vec::new();
    for (case, rows) in compared {
        let wrong = differences(case, &rows);
        if !wrong.is_empty() {
            refused.push(format!("{}: {}", case.name, wrong.join("; ")));
            continue;
        }
        for row in rows.iter().filter(|row| row.strategy != "base") {
            table.set(&case.key, &row.strategy, Some(row.states));
        }
    }
    refused
}
