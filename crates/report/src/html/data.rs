//! What the script of the page knows.

use crate::clean::{clean, clean_source};
use crate::model::{Event, Report, Row, Violation};
use crate::words::{Names, acting, method};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The data as JSON that may stand inside a script element.
pub fn data(report: &Report) -> String {
    let violations: Vec<Value> = report.violations.iter().map(violation).collect();
    let text = json!({ "violations": violations }).to_string();
    // These occur in strings only. Escaped, nothing can end the element or begin a comment in it.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn violation(violation: &Violation) -> Value {
    let trace = &violation.trace;
    let names = Names::new(trace);
    let lanes = acting(trace);
    let files: BTreeSet<&String> = trace.rows.iter().map(|row| &row.file).collect();
    let sources: serde_json::Map<String, Value> = trace
        .sources
        .iter()
        .filter(|(file, lines)| files.contains(file) && !lines.is_empty())
        .map(|(file, lines)| (clean(file), lines.iter().map(|line| clean_source(line)).collect()))
        .collect();
    let thread = |number: usize| -> Value {
        let colour = lanes
            .binary_search(&number)
            .ok()
            .map(|lane| lane % super::timeline::COLOURS);
        json!({ "name": names.get(number), "colour": colour })
    };
    let row = |row: &Row| -> Value {
        let locks: Vec<Value> = row
            .locks
            .iter()
            .map(|held| {
                let wanted: Vec<Value> = held.wanted_by.iter().map(|number| thread(*number)).collect();
                json!({ "object": clean(&held.object), "owner": thread(held.owner), "wanted": wanted })
            })
            .collect();
        let writes = row.events.iter().filter_map(|event| match event {
            Event::Write { place, old, new } => Some(json!([clean(place), clean(old), clean(new)])),
            _ => None,
        });
        json!({
            "thread": thread(row.thread),
            "file": clean(&row.file),
            "line": row.line,
            "source": if row.source.trim().is_empty() { method(row) } else { clean(row.source.trim()) },
            "locks": locks,
            "writes": writes.collect::<Vec<_>>(),
        })
    };
    json!({ "rows": trace.rows.iter().map(row).collect::<Vec<_>>(), "sources": sources })
}
