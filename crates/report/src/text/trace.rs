//! The trace in text: a column a thread with time flowing down, or a list where there is no room for columns.

use super::line::{Line, Page, Paint};
use crate::clean::{clean, clip, clip_start, width, wrap};
use crate::fold::{Item, fold};
use crate::model::{Event, Row, Trace, Violation};
use crate::words::{Names, Tone, acting, again, count, method, phrase, place, plural, shown};
use std::ops::Range;

/// A column narrower than this is no good.
const NARROWEST: usize = 26;
/// A column wider than this tears the line and its place apart.
const WIDEST: usize = 60;
/// More columns than this are hard to follow.
const MOST_COLUMNS: usize = 5;
/// Events of a row that are shown before the rest is counted.
const MOST_EVENTS: usize = 6;
/// Lines that one event or one source line may take.
const MOST_LINES: usize = 3;
/// Entries that are shown at the beginning and at the end of a trace that is too long even when folded.
const ENTRIES: (usize, usize) = (150, 250);

/// Writes how it happens.
pub fn trace(violation: &Violation, most: usize, page: &mut Page) {
    let trace = &violation.trace;
    if trace.rows.is_empty() {
        return;
    }
    page.heading("How it happens");
    let table = Table::new(trace, most);
    table.head(page);
    let items = fold(trace);
    let (first, last) = ENTRIES;
    let left_out = items.len().saturating_sub(first + last);
    let mut before = None;
    for (index, item) in items.iter().enumerate() {
        if left_out > 1 && (first..first + left_out).contains(&index) {
            if index == first {
                let words = format!(
                    "… {} entries left out; the JSON and HTML reports have them",
                    count(left_out as u64)
                );
                table.across(Paint::Doubt, &words, page);
                before = None;
            }
            continue;
        }
        before = table.item(item, before, page);
    }
    if let Some(start) = trace.loop_start.filter(|start| *start < trace.rows.len()) {
        table.across(Paint::Doubt, &format!("↻ and again from {}, for ever", start + 1), page);
    }
    table.across(Paint::Bad, &format!("✗ {}", clean(&violation.message)), page);
}

/// Where columns are.
struct Table<'a> {
    trace: &'a Trace,
    names: Names,
    /// Threads with a column, or none for a list.
    columns: Vec<usize>,
    /// Columns before the first one, for the row's number.
    gutter: usize,
    /// Width of a column.
    wide: usize,
    /// Width of everything.
    most: usize,
}

impl<'a> Table<'a> {
    fn new(trace: &'a Trace, most: usize) -> Table<'a> {
        let mut columns = acting(trace);
        let gutter = count(trace.rows.len() as u64).len().max(2) + 2;
        let room = most - gutter;
        let mut wide = ((room + 3) / columns.len().max(1)).saturating_sub(3).min(WIDEST);
        if columns.len() < 2 || columns.len() > MOST_COLUMNS || wide < NARROWEST {
            columns.clear();
            wide = room.saturating_sub(2).min(WIDEST + NARROWEST);
        }
        Table {
            trace,
            names: Names::new(trace),
            columns,
            gutter,
            wide,
            most,
        }
    }

    fn head(&self, page: &mut Page) {
        if self.columns.is_empty() {
            return;
        }
        let mut names = Line::default().indented(self.gutter);
        let mut rule = String::new();
        for (index, thread) in self.columns.iter().enumerate() {
            if index > 0 {
                names = names.with(Paint::Dim, " │ ");
                rule.push_str("─┼─");
            }
            let name = clip(&self.names.get(*thread), self.wide);
            names = names.then(Line::new(Paint::Bold, name).padded(self.wide));
            rule.push_str(&"─".repeat(self.wide));
        }
        page.push(names);
        page.push(Line::new(Paint::Dim, rule).indented(self.gutter));
    }

    /// Writes one entry after one of the thread `before`; returns the thread that moved last.
    fn item(&self, item: &Item, before: Option<usize>, page: &mut Page) -> Option<usize> {
        match item {
            Item::Row(index) => self.block(*index, self.cell(&self.trace.rows[*index]), before, page),
            Item::Quiet(rows) => self.block(rows.start, self.quiet(rows), before, page),
            Item::Again { rows, round, same } => {
                let words = again(rows.len() / round, *round, *same);
                self.across(Paint::Doubt, &words, page);
                rows.clone().last().map(|row| self.trace.rows[row].thread)
            }
            Item::Loop => {
                self.across(Paint::Doubt, "↻ from here on it repeats for ever", page);
                before
            }
        }
    }

    /// A line across all columns.
    fn across(&self, paint: Paint, words: &str, page: &mut Page) {
        page.prose(paint, &" ".repeat(self.gutter), words, self.most);
    }

    /// Writes the lines of a row into the column of its thread.
    fn block(&self, row: usize, cell: Vec<Line>, before: Option<usize>, page: &mut Page) -> Option<usize> {
        let thread = self.trace.rows[row].thread;
        let column = self.columns.iter().position(|other| *other == thread);
        if before != Some(thread) {
            match (before, column) {
                (Some(from), Some(to)) => self.turn(from, to, page),
                (None, Some(_)) => {}
                (_, None) => {
                    if before.is_some() {
                        page.gap();
                    }
                    let name = clip(&self.names.get(thread), self.wide);
                    page.push(Line::new(Paint::Bold, name).indented(self.gutter));
                }
            }
        }
        for (index, line) in cell.into_iter().enumerate() {
            let number = if index == 0 {
                count(row as u64 + 1)
            } else {
                String::new()
            };
            let mut whole = Line::new(Paint::Dim, format!("{number:>wide$}  ", wide = self.gutter - 2));
            match column {
                None => whole = whole.then(line.indented(2)),
                Some(column) => {
                    for other in 0..self.columns.len() {
                        if other > 0 {
                            whole = whole.with(Paint::Dim, " │ ");
                        }
                        let content = if other == column { line.clone() } else { Line::default() };
                        whole = whole.then(content.padded(self.wide));
                    }
                }
            }
            page.push(whole);
        }
        Some(thread)
    }

    /// A thin line from the column of the thread that stops to that of the one that goes on.
    fn turn(&self, from: usize, to: usize, page: &mut Page) {
        let step = self.wide + 3;
        let from = self.columns.iter().position(|thread| *thread == from).unwrap_or(to);
        let (left, right) = (from.min(to) * step, from.max(to) * step);
        let whole = self.columns.len() * step - 3;
        let ends = if from < to { ('╰', '╮') } else { ('╭', '╯') };
        let picture = (0..whole).map(|at| match at {
            at if at == left => ends.0,
            at if at == right => ends.1,
            at if at % step == self.wide + 1 => {
                if left < at && at < right {
                    '┼'
                } else {
                    '│'
                }
            }
            at if left < at && at < right => '─',
            _ => ' ',
        });
        page.push(Line::new(Paint::Dim, picture.collect::<String>()).indented(self.gutter));
    }

    /// What a row says: the source line and its place, and below it what happened.
    fn cell(&self, row: &Row) -> Vec<Line> {
        let source = clean(row.source.trim());
        let source = if source.is_empty() { method(row) } else { source };
        let paint = if row.events.is_empty() {
            Paint::Dim
        } else {
            Paint::Plain
        };
        let mut lines: Vec<Line> = limited(&source, self.wide, 2, paint);
        let at = clip_start(&place(&row.file, row.line), self.wide);
        if !at.is_empty() {
            let used = lines.last().map_or(0, Line::width);
            let start = self.wide - width(&at);
            match lines.pop() {
                Some(last) if used + 2 <= start => lines.push(last.padded(start).with(Paint::Dim, at)),
                last => {
                    lines.extend(last);
                    lines.push(Line::new(Paint::Dim, at).indented(start));
                }
            }
        }
        if !row.call.is_empty() {
            let words = format!("in {}", clean(&row.call));
            lines.extend(
                limited(&words, self.wide - 2, 2, Paint::Dim)
                    .into_iter()
                    .map(|line| line.indented(2)),
            );
        }
        let events = shown(row);
        let most = if events.len() > MOST_EVENTS {
            MOST_EVENTS - 1
        } else {
            MOST_EVENTS
        };
        for event in events.iter().take(most) {
            lines.extend(self.event(event));
        }
        if events.len() > most {
            let more = format!("… and {} more", count((events.len() - most) as u64));
            lines.push(Line::new(Paint::Dim, more).indented(2));
        }
        lines
    }

    fn event(&self, event: &Event) -> Vec<Line> {
        let (tone, words) = phrase(event);
        let paint = match tone {
            Tone::Read | Tone::Print | Tone::Other => Paint::Plain,
            Tone::Write => Paint::Change,
            Tone::Lock => Paint::Lock,
            Tone::Bad => Paint::Bad,
        };
        limited(&words, self.wide - 2, 2, paint)
            .into_iter()
            .map(|line| line.indented(2))
            .collect()
    }

    /// What neighbouring rows without events say: where they are.
    fn quiet(&self, rows: &Range<usize>) -> Vec<Line> {
        let rows = &self.trace.rows[rows.clone()];
        let file = &rows[0].file;
        let mut lines: Vec<u32> = rows.iter().map(|row| row.line).collect();
        lines.dedup();
        let words = if file.is_empty() || rows.iter().any(|row| row.file != *file || row.line == 0) {
            plural(rows.len(), "line")
        } else if lines.len() <= 5 {
            format!(
                "{}:{}",
                clean(file),
                lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
            )
        } else {
            let (least, most) = lines
                .iter()
                .fold((u32::MAX, 0), |(least, most), line| (least.min(*line), most.max(*line)));
            format!("{} in {}:{least}–{most}", plural(rows.len(), "line"), clean(file))
        };
        vec![Line::new(Paint::Dim, clip(&format!("… {words}"), self.wide))]
    }
}

/// Text wrapped into a few lines at most, those after the first indented by `hang`.
fn limited(text: &str, most: usize, hang: usize, paint: Paint) -> Vec<Line> {
    let parts = wrap(text, most, hang);
    let cut = parts.len() > MOST_LINES;
    let mut lines = Vec::new();
    for (index, part) in parts.into_iter().take(MOST_LINES).enumerate() {
        let indent = if index == 0 { 0 } else { hang };
        let part = if cut && index + 1 == MOST_LINES {
            clip(&format!("{part} …"), most - indent)
        } else {
            part
        };
        lines.push(Line::new(paint, part).indented(indent));
    }
    lines
}
