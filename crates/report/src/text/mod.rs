//! The report for a terminal: the verdict in one line, then what was found and how it comes about, then the figures.

pub(crate) mod line;
mod trace;

use crate::clean::{clean, clip, width};
use crate::model::{Report, Stack, Verdict, Violation};
use crate::words::{bytes, circumstances, duration, figures, place, plural, refutation};
use line::{Line, Page, Paint};

/// Frames of a stack that are shown at its top and at its bottom.
const FRAMES: (usize, usize) = (24, 4);
/// Prose is not set wider than this: longer lines are hard to read.
const PROSE: usize = 110;
/// Assumptions of a kind that are shown, besides a line for the rest.
const ASSUMPTIONS: usize = 6;

/// How the text looks.
#[derive(Clone, Debug)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether all figures are shown, and what the reductions assumed.
    pub verbose: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            width: 100,
            colour: false,
            verbose: false,
        }
    }
}

/// The report as text, lines ending in a line end.
pub fn text(report: &Report, style: &Style) -> String {
    let most = style.width.clamp(40, 400);
    let mut page = Page::default();
    verdict(report, most, &mut page);
    let several = report.violations.len() > 1;
    for (index, violation) in report.violations.iter().enumerate() {
        let number = several.then(|| format!("{} of {}: ", index + 1, report.violations.len()));
        what(violation, &number.unwrap_or_default(), most, &mut page);
        trace::trace(violation, most, &mut page);
        dump(&violation.stacks, most, &mut page);
    }
    match style.verbose {
        true => table(report, most, &mut page),
        false => brief(report, most, &mut page),
    }
    small_print(report, style.verbose, most, &mut page);
    page.finish(style.colour)
}

/// The report in one line: the verdict, and what is wrong where, or why nobody knows.
pub fn one_line(report: &Report) -> String {
    let mut line = report.verdict.to_string();
    if let Some(first) = report.violations.first() {
        let at = place(&first.file, first.line);
        let at = if at.is_empty() { at } else { format!(" at {at}") };
        line = format!("{line}: {}{at}", clean(&first.property));
    } else if let Some(why) = report.known.as_ref().or(report.reason.as_ref()) {
        line = format!("{line}: {}", clean(why.lines().next().unwrap_or_default()));
    }
    match report.violations.len() {
        0 | 1 => line,
        several => format!("{line}, and {}", plural(several - 1, "more defect")),
    }
}

fn verdict(report: &Report, most: usize, page: &mut Page) {
    let (mark, paint) = match report.verdict {
        Verdict::Holds => ("✓", Paint::Good),
        Verdict::Violated => ("✗", Paint::Bad),
        Verdict::Unknown => ("?", Paint::Doubt),
    };
    let word = format!("{mark} {}", report.verdict);
    let tail = match report.violations.len() {
        0 | 1 => String::new(),
        several => format!("  {}", plural(several, "defect")),
    };
    let room = most.saturating_sub(width(&word) + 2 + width(&tail));
    page.push(Line::new(paint, word).with(Paint::Plain, format!("  {}{tail}", clip(&clean(&report.program), room))));
    let prose = most.min(PROSE);
    for (lead, text) in [
        ("  ", &report.known),
        ("  reason: ", &report.reason),
        ("  help: ", &report.help),
    ] {
        for (index, part) in text.iter().flat_map(|text| text.lines()).enumerate() {
            page.prose(
                Paint::Plain,
                if index == 0 { lead } else { "    " },
                &clean(part),
                prose,
            );
        }
    }
}

fn what(violation: &Violation, number: &str, most: usize, page: &mut Page) {
    page.gap();
    let prose = most.min(PROSE);
    page.prose(Paint::Bad, number, &clean(&violation.message), prose);
    let known: Vec<String> = circumstances(violation)
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if !known.is_empty() {
        page.prose(Paint::Plain, "  ", &known.join(", "), prose);
    }
    for reason in violation.why.iter().flat_map(|why| why.lines()) {
        page.prose(Paint::Plain, "  • ", &clean(reason), prose);
    }
}

fn dump(stacks: &[Stack], most: usize, page: &mut Page) {
    if stacks.is_empty() {
        return;
    }
    page.heading("Threads at the end");
    for stack in stacks {
        let name = clip(&clean(&stack.thread), most / 2);
        page.prose(Paint::Plain, "  ", &format!("\"{name}\" {}", clean(&stack.state)), most);
        let (top, bottom) = FRAMES;
        for (index, frame) in stack.frames.iter().enumerate() {
            let left_out = stack.frames.len().saturating_sub(top + bottom);
            if left_out > 1 && (top..top + left_out).contains(&index) {
                if index == top {
                    page.push(Line::new(
                        Paint::Dim,
                        format!("      … {}", plural(left_out, "more frame")),
                    ));
                }
                continue;
            }
            if frame.starts_with("- ") {
                page.prose(Paint::Lock, "        - ", clean(frame).trim_start_matches("- "), most);
            } else {
                page.entry((Paint::Dim, "      at "), (Paint::Plain, &clean(frame)), most);
            }
        }
    }
}

/// The figures that everybody understands, in two lines.
fn brief(report: &Report, most: usize, page: &mut Page) {
    page.gap();
    let mut parts = vec![
        plural(usize::try_from(report.states).unwrap_or(usize::MAX), "state"),
        plural(usize::try_from(report.transitions).unwrap_or(usize::MAX), "step"),
        plural(usize::try_from(report.threads).unwrap_or(usize::MAX), "thread"),
        duration(report.seconds),
    ];
    if report.peak_bytes > 0 {
        parts.push(bytes(report.peak_bytes));
    }
    // A walk stores none.
    if report.states == 0 {
        parts.remove(0);
    }
    let prose = most.min(PROSE);
    page.prose(Paint::Dim, "explored: ", &parts.join(", "), prose);
    if !report.properties.is_empty() {
        let names: Vec<String> = report.properties.iter().map(|name| clean(name)).collect();
        page.prose(Paint::Dim, "checked: ", &names.join(", "), prose);
    }
}

fn table(report: &Report, most: usize, page: &mut Page) {
    page.heading("Figures");
    let (short, long): (Vec<_>, Vec<_>) = figures(report)
        .into_iter()
        .partition(|(name, value)| width(name) <= 13 && width(value) <= 18);
    let across = if most >= 76 { 2 } else { 1 };
    let down = short.len().div_ceil(across);
    for row in 0..down {
        let mut line = Line::default();
        for (name, value) in short.iter().skip(row).step_by(down) {
            line = line
                .with(Paint::Dim, format!("  {name:13}"))
                .with(Paint::Plain, format!("  {value:18}"));
        }
        page.push(line);
    }
    for (name, value) in long {
        page.entry(
            (Paint::Dim, &format!("  {name:13}  ")),
            (Paint::Plain, &value),
            most.min(PROSE),
        );
    }
}

fn small_print(report: &Report, verbose: bool, most: usize, page: &mut Page) {
    let prose = most.min(PROSE);
    let dropped = report.dropped.iter().map(refutation).collect();
    let parts = [
        ("rests on: ", &report.rests_on, usize::MAX),
        ("assumed, and checked: ", &report.assumed, ASSUMPTIONS),
        ("assumed, and dropped: ", &dropped, ASSUMPTIONS),
        ("note: ", &report.notes, usize::MAX),
    ];
    let is_shown = |lead: &str| verbose || !lead.starts_with("assumed");
    for (lead, texts, shown) in parts.into_iter().filter(|(lead, ..)| is_shown(lead)) {
        if !texts.is_empty() {
            page.gap();
        }
        // One that is left out would take no more room than the line that says so.
        let shown = if texts.len() == shown.saturating_add(1) {
            texts.len()
        } else {
            shown
        };
        for text in texts.iter().take(shown) {
            page.prose(Paint::Dim, lead, &clean(text), prose);
        }
        if texts.len() > shown {
            let more = format!("and {} more, which the JSON and HTML reports have", texts.len() - shown);
            page.prose(Paint::Dim, lead, &more, prose);
        }
    }
}
