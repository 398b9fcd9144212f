//! The phrases that text and HTML share.

use crate::clean::clean;
use crate::model::{Dropped, Event, Row, Trace, Violation};
use std::collections::BTreeSet;

/// What kind of thing an event is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A value is read.
    Read,
    /// A value changes.
    Write,
    /// A lock is taken or given back.
    Lock,
    /// The program prints.
    Print,
    /// Something is thrown.
    Bad,
    /// Anything else.
    Other,
}

/// What an event says, harmless to print.
pub fn phrase(event: &Event) -> (Tone, String) {
    match event {
        Event::Read { place, value } => (Tone::Read, format!("reads {}: {}", clean(place), clean(value))),
        Event::Write { place, old, new } => (
            Tone::Write,
            format!("{}: {} → {}", clean(place), clean(old), clean(new)),
        ),
        Event::Lock { object } => (Tone::Lock, format!("locks {}", clean(object))),
        Event::Unlock { object } => (Tone::Lock, format!("unlocks {}", clean(object))),
        Event::Print { text } if text.is_empty() => (Tone::Print, "prints an empty line".to_string()),
        Event::Print { text } => (Tone::Print, format!("prints “{}”", clean(text))),
        Event::Other { text } if text.starts_with("throws ") => (Tone::Bad, clean(text)),
        Event::Other { text } => (Tone::Other, clean(text)),
    }
}

/// The events of a row worth showing. A read is left out where a write of the same place in the row says the same value
/// as its old one: no other thread moves within a row.
pub fn shown(row: &Row) -> Vec<&Event> {
    let written: BTreeSet<(&str, &str)> = row
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Write { place, old, .. } => Some((place.as_str(), old.as_str())),
            _ => None,
        })
        .collect();
    let said = |event: &Event| matches!(event, Event::Read { place, value } if written.contains(&(place, value)));
    row.events.iter().filter(|event| !said(event)).collect()
}

/// `Main.java:12`, or as much of it as is known; empty for nothing.
pub fn place(file: &str, line: u32) -> String {
    match (file.is_empty(), line) {
        (true, _) => String::new(),
        (false, 0) => clean(file),
        (false, line) => format!("{}:{line}", clean(file)),
    }
}

/// Where a violation is and of which property, with words before each: as much as is known.
pub fn circumstances(violation: &Violation) -> Vec<(&'static str, String)> {
    let mut parts = vec![
        ("at", place(&violation.file, violation.line)),
        ("in", clean(&violation.class)),
        ("property", clean(&violation.property)),
    ];
    parts.retain(|(_, value)| !value.is_empty());
    parts
}

/// What was wrong about something taken for granted, and where that showed.
pub fn refutation(dropped: &Dropped) -> String {
    let at = place(&dropped.file, dropped.line);
    let at = if at.is_empty() { clean(&dropped.class) } else { at };
    let at = if at.is_empty() { at } else { format!(" at {at}") };
    format!(
        "{}; not so for \"{}\"{at}",
        clean(&dropped.what),
        clean(&dropped.thread)
    )
}

/// `Main.run`, or as much of it as is known.
pub fn method(row: &Row) -> String {
    let class = row.class.rsplit(['.', '/']).next().unwrap_or_default();
    match (class.is_empty(), row.method.is_empty()) {
        (true, _) => clean(&row.method),
        (false, true) => clean(class),
        (false, false) => format!("{}.{}", clean(class), clean(&row.method)),
    }
}

/// The names of a trace's threads, told apart.
pub struct Names(Vec<String>);

impl Names {
    /// The names of this trace. Two threads of one name get their numbers behind it.
    pub fn new(trace: &Trace) -> Names {
        let plain: Vec<String> = trace.threads.iter().map(|name| clean(name)).collect();
        let mut seen = BTreeSet::new();
        let twice: BTreeSet<String> = plain.iter().filter(|name| !seen.insert(*name)).cloned().collect();
        let told = |(number, name): (usize, String)| match (name.is_empty(), twice.contains(&name)) {
            (true, _) => format!("thread {number}"),
            (false, true) => format!("{name} ({number})"),
            (false, false) => name,
        };
        Names(plain.into_iter().enumerate().map(told).collect())
    }

    /// The name of a thread; an invented one for a number that the trace does not name.
    pub fn get(&self, thread: usize) -> String {
        self.0
            .get(thread)
            .cloned()
            .unwrap_or_else(|| format!("thread {thread}"))
    }
}

/// The threads that act in a trace, by number: those that get a column.
pub fn acting(trace: &Trace) -> Vec<usize> {
    trace
        .rows
        .iter()
        .map(|row| row.thread)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// What stands for rounds that are left out: how many of them, how many rows each has, and whether values agree.
pub fn again(times: usize, round: usize, same: bool) -> String {
    let times = plural(times, if same { "more time" } else { "time" });
    match (same, round) {
        (true, 1) => format!("… the row repeated {times}"),
        (true, _) => format!("… the last {round} rows repeated {times}"),
        (false, _) => format!("… repeated {times} with other values, and then:"),
    }
}

/// `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 thread`, `2 threads`.
pub fn plural(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(number as u64), if number == 1 { "" } else { "s" })
}

/// `0.42 s`, `3 min 5 s`, `2 h 10 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".to_string();
    }
    // The cast saturates.
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.2} s"),
        10..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", count(whole / 3600), whole % 3600 / 60),
    }
}

/// `85 MiB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if number < 1024 {
        return format!("{number} bytes");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value < 10.0 {
        format!("{value:.1} {}", UNITS[unit])
    } else {
        format!("{value:.0} {}", UNITS[unit])
    }
}

fn walks(number: u64, steps: u64) -> String {
    format!("{}, {} steps", count(number), count(steps))
}

/// The table of figures: names and values.
pub fn figures(report: &crate::model::Report) -> Vec<(&'static str, String)> {
    let list = |names: &[String]| names.iter().map(|name| clean(name)).collect::<Vec<_>>().join(", ");
    let mut out = vec![
        ("states", count(report.states)),
        ("steps", count(report.transitions)),
        ("longest path", count(report.max_depth)),
        ("threads", count(report.threads)),
        ("time", duration(report.seconds)),
    ];
    if report.walks > 0 {
        out.push(("random walks", walks(report.walks, report.walk_steps)));
    }
    if report.restarts > 0 {
        out.push(("restarts", count(report.restarts.into())));
    }
    if report.peak_bytes > 0 {
        out.push(("memory", bytes(report.peak_bytes)));
    }
    if report.bytes_per_state.is_finite() && report.bytes_per_state > 0.0 {
        // Of few states it would tell the size of empty tables.
        if report.states >= 10_000 {
            out.push(("a state takes", format!("{:.1} bytes", report.bytes_per_state)));
        }
    }
    if !report.search.is_empty() {
        out.push(("search", clean(&report.search)));
    }
    if !report.store.is_empty() {
        out.push(("store", clean(&report.store)));
    }
    if report.collision_probability.is_finite() && report.collision_probability > 0.0 {
        out.push(("missed state", format!("chance {:.1e}", report.collision_probability)));
    }
    if !report.properties.is_empty() {
        out.push(("checked", list(&report.properties)));
    }
    if !report.reductions.is_empty() {
        out.push(("reductions", list(&report.reductions)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!([count(0), count(999), count(1_234_567)], ["0", "999", "1,234,567"]);
        assert_eq!(
            [duration(0.421), duration(59.4), duration(185.0)],
            ["0.42 s", "59.4 s", "3 min 5 s"]
        );
        assert_eq!(
            [duration(8000.0), duration(f64::NAN), duration(-1.0)],
            ["2 h 13 min", "unknown", "unknown"]
        );
        assert_eq!(
            [bytes(12), bytes(2048), bytes(85 << 20)],
            ["12 bytes", "2.0 KiB", "85 MiB"]
        );
        assert!(duration(f64::MAX).ends_with(" min") && bytes(u64::MAX).ends_with(" PiB"));
    }

    #[test]
    fn threads_of_one_name_are_told_apart() {
        let trace = Trace {
            threads: ["main", "w", "w", ""].map(String::from).to_vec(),
            ..Trace::default()
        };
        let names = Names::new(&trace);
        let all: Vec<String> = (0..5).map(|thread| names.get(thread)).collect();
        assert_eq!(all, ["main", "w (1)", "w (2)", "thread 3", "thread 4"]);
    }

    #[test]
    fn a_read_that_a_write_repeats_is_left_out() {
        let read = |value: &str| Event::Read {
            place: "A.n".into(),
            value: value.into(),
        };
        let write = Event::Write {
            place: "A.n".into(),
            old: "0".into(),
            new: "1".into(),
        };
        let row = Row {
            events: vec![read("0"), write.clone(), read("1")],
            ..Row::default()
        };
        assert_eq!(shown(&row), [&write, &read("1")]);
    }
}
