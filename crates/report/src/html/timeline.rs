//! The trace as a list of steps; the style sheet puts each into the lane of its thread.

use super::{escape, safe};
use crate::fold::{Item, fold};
use crate::model::{Row, Violation};
use crate::words::{Names, Tone, acting, again, method, phrase, place, shown};

/// Threads take turns with so many colours.
pub const COLOURS: usize = 6;
/// More lanes than this are narrowed to steps of a stair.
const MOST_LANES: usize = 6;
/// Events that a step shows on the screen and in the file; a loop in a library can have thousands.
const MOST_EVENTS: usize = 40;

/// Writes the steps of a violation.
pub fn timeline(violation: &Violation, number: usize, out: &mut String) {
    let trace = &violation.trace;
    if trace.rows.is_empty() {
        return;
    }
    let names = Names::new(trace);
    let lanes = acting(trace);
    let stair = if lanes.len() > MOST_LANES { " stair" } else { "" };
    put!(
        out,
        "<div class=\"work\">\n<div class=\"timeline{stair}\" style=\"--lanes:{}\">\n<div class=\"names\" aria-hidden=\"true\">",
        lanes.len(),
    );
    for (lane, thread) in lanes.iter().enumerate() {
        put!(
            out,
            "<span class=\"c{}\">{}</span>",
            lane % COLOURS,
            escape(&names.get(*thread))
        );
    }
    out.push_str("</div>\n<ol class=\"steps\" aria-label=\"Steps of the trace\">\n");
    let mut before = None;
    let mut steps = |rows: std::ops::Range<usize>, folded: &str, out: &mut String| {
        for (index, row) in rows.clone().zip(&trace.rows[rows]) {
            let lane = lanes.binary_search(&row.thread).unwrap_or_default();
            let turn = if before == Some(row.thread) { "" } else { " turn" };
            before = Some(row.thread);
            step(
                row,
                (number, index + 1),
                (lane, &format!("{turn}{folded}")),
                &names,
                out,
            );
        }
    };
    for item in fold(trace) {
        match item {
            Item::Row(row) => steps(row..row + 1, "", out),
            Item::Quiet(rows) => steps(rows, "", out),
            Item::Loop => out.push_str("<li class=\"mark\">↻ from here on it repeats for ever</li>\n"),
            Item::Again { rows, round, same } => {
                let words = again(rows.len() / round, round, same);
                let (first, last) = (rows.start + 1, rows.end);
                put!(
                    out,
                    "<li class=\"mark again\">{words} <button type=\"button\" data-from=\"{first}\" \
                     data-to=\"{last}\">show steps {first} to {last}</button></li>\n"
                );
                steps(rows, " folded", out);
            }
        }
    }
    if let Some(start) = trace.loop_start.filter(|start| *start < trace.rows.len()) {
        put!(
            out,
            "<li class=\"mark\">↻ and again from step {}, for ever</li>\n",
            start + 1
        );
    }
    put!(
        out,
        "<li class=\"end\">✗ {}</li>\n</ol>\n</div>\n</div>\n",
        safe(&violation.message)
    );
}

fn step(row: &Row, (violation, number): (usize, usize), (lane, turn): (usize, &str), names: &Names, out: &mut String) {
    let quiet = if row.events.is_empty() { " quiet" } else { "" };
    let link = format!("violation={violation}&amp;step={number}");
    let at = escape(&place(&row.file, row.line));
    let source = row.source.trim();
    let source = if source.is_empty() {
        escape(&method(row))
    } else {
        safe(source)
    };
    put!(
        out,
        "<li id=\"{link}\" class=\"c{}{turn}{quiet}\" style=\"--lane:{lane}\"><a href=\"#{link}\" data-step=\"{number}\">\
         <span class=\"top\"><span class=\"number\">{number}</span><span class=\"who\">{}</span>\
         <span class=\"at\">{at}</span></span><code>{source}</code>",
        lane % COLOURS,
        escape(&names.get(row.thread)),
    );
    if !row.call.is_empty() {
        put!(out, "<span class=\"call\">in {}</span>", safe(&row.call));
    }
    let events = shown(row);
    for event in events.iter().take(MOST_EVENTS) {
        let (tone, words) = phrase(event);
        let class = match tone {
            Tone::Read => "read",
            Tone::Write => "write",
            Tone::Lock => "lock",
            Tone::Print => "print",
            Tone::Bad => "bad",
            Tone::Other => "other",
        };
        put!(out, "<span class=\"event {class}\">{}</span>", escape(&words));
    }
    if events.len() > MOST_EVENTS {
        put!(
            out,
            "<span class=\"event\">… and {} more</span>",
            events.len() - MOST_EVENTS
        );
    }
    for held in &row.locks {
        let wanted: Vec<String> = held.wanted_by.iter().map(|thread| names.get(*thread)).collect();
        let wanted = if wanted.is_empty() {
            String::new()
        } else {
            format!(", wanted by {}", wanted.join(", "))
        };
        let words = format!("held by {}{wanted}", names.get(held.owner));
        put!(
            out,
            "<span class=\"held\">{} {}</span>",
            safe(&held.object),
            escape(&words)
        );
    }
    out.push_str("</a></li>\n");
}
