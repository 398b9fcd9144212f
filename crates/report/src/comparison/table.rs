//! The table for a terminal. What there is no room for is left out, and what was left out is said.

use super::Comparison;
use crate::clean::{clean, clip, width};
use crate::text::Style;
use crate::text::line::{Line, Page, Paint};
use crate::words::{bytes, count};

/// A column: its heading, whether numbers stand in it, and what goes first where there is little room (0 never goes).
const COLUMNS: [(&str, bool, usize); 10] = [
    ("strategy", false, 0),
    ("reductions", false, 6),
    ("states", true, 0),
    ("transitions", true, 4),
    ("seconds", true, 1),
    ("memory", true, 3),
    ("factor", true, 0),
    ("verdict", false, 0),
    ("restarts", true, 5),
    ("dropped", true, 2),
];
const REDUCTIONS: usize = 1;
const VERDICT: usize = 7;
/// Space between two columns.
const BETWEEN: usize = 2;

/// The comparison as a table, lines ending in a line end.
pub fn table(comparison: &Comparison, style: &Style) -> String {
    let most = style.width.max(20);
    let rows: Vec<[String; 10]> = (0..comparison.strategies.len())
        .map(|index| row(comparison, index))
        .collect();
    let widths: Vec<usize> = COLUMNS
        .iter()
        .enumerate()
        .map(|(column, (heading, ..))| {
            let cells = rows.iter().map(|row| width(&row[column]));
            cells.chain([width(heading)]).max().unwrap_or_default()
        })
        .collect();
    let (shown, left_out) = columns(&widths, most);
    let mut page = Page::default();
    page.prose(Paint::Bold, "", &clean(&comparison.program), most);
    let put = |cells: &[String; 10], heading: bool| {
        let mut line = Line::default();
        for &column in &shown {
            let (room, (_, is_number, _)) = (widths[column], COLUMNS[column]);
            let cell = &cells[column];
            let missing = room.saturating_sub(width(cell));
            let (before, after) = if is_number { (missing, 0) } else { (0, missing) };
            let paint = match cell.as_str() {
                _ if heading => Paint::Dim,
                "holds" if column == VERDICT => Paint::Good,
                "violated" if column == VERDICT => Paint::Bad,
                "unknown" if column == VERDICT => Paint::Doubt,
                _ => Paint::Plain,
            };
            line = line
                .with(Paint::Plain, " ".repeat(before))
                .with(paint, cell.clone())
                .with(Paint::Plain, " ".repeat(after + BETWEEN));
        }
        line
    };
    page.push(put(&COLUMNS.map(|(heading, ..)| heading.to_owned()), true));
    for row in &rows {
        page.push(put(row, false));
    }
    below(comparison, &left_out, most, &mut page);
    page.finish(style.colour)
}

/// The columns that there is room for, and those that there is none for.
fn columns(widths: &[usize], most: usize) -> (Vec<usize>, Vec<usize>) {
    let mut shown: Vec<usize> = (0..COLUMNS.len()).collect();
    let mut left_out = Vec::new();
    let total = |shown: &[usize]| shown.iter().map(|&column| widths[column] + BETWEEN).sum::<usize>() - BETWEEN;
    while total(&shown) > most {
        let Some(&least) = shown
            .iter()
            .filter(|&&column| COLUMNS[column].2 > 0)
            .max_by_key(|&&column| COLUMNS[column].2)
        else {
            break;
        };
        shown.retain(|&column| column != least);
        left_out.push(least);
    }
    left_out.sort_unstable();
    (shown, left_out)
}

fn row(comparison: &Comparison, index: usize) -> [String; 10] {
    let one = &comparison.strategies[index];
    [
        clip(&clean(&one.name), 24),
        clip(&clean(&one.reductions), 60),
        count(one.states),
        count(one.transitions),
        format!("{:.2}", one.seconds),
        bytes(one.bytes),
        comparison.factor(index).show(),
        one.verdict.to_string(),
        count(one.restarts.into()),
        count(one.dropped as u64),
    ]
}

/// What does not fit into columns.
fn below(comparison: &Comparison, left_out: &[usize], most: usize, page: &mut Page) {
    if left_out.contains(&REDUCTIONS) {
        page.gap();
        for one in comparison.strategies.iter().filter(|one| one.name != one.reductions) {
            let lead = format!("{} = ", clip(&clean(&one.name), 24));
            page.prose(Paint::Dim, &lead, &clean(&one.reductions), most);
        }
    }
    let missing: Vec<&str> = left_out
        .iter()
        .filter(|&&column| column != REDUCTIONS)
        .map(|&column| COLUMNS[column].0)
        .collect();
    if !missing.is_empty() {
        page.gap();
        let words = format!(
            "no room for {}: use a wider terminal, or --csv FILE",
            missing.join(", ")
        );
        page.prose(Paint::Dim, "", &words, most);
    }
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for one in &comparison.strategies {
        let Some(reason) = one.reason.as_deref() else { continue };
        let name = clip(&clean(&one.name), 24);
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    if !reasons.is_empty() {
        page.gap();
    }
    for (reason, names) in reasons {
        page.prose(
            Paint::Plain,
            "",
            &format!("{}: {}", names.join("; "), clean(reason)),
            most,
        );
    }
    if comparison.disagrees() {
        page.gap();
        let words = "The strategies disagree, which must never happen: this is a defect of Raddle. Do not trust these \
                     verdicts, and please report it with the program.";
        page.prose(Paint::Bad, "", words, most);
    }
}
