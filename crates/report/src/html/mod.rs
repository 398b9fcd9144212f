//! The report as one page that needs nothing else: verdict, figures, and the trace as a timeline to step through.
//!
//! The page is complete without its script: a list of what each thread does, with the locks held. The script adds the
//! source, the values at each step, and stepping. It reads its data from an inert element and sets text, never markup.

/// Writes to a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($argument:tt)*) => {{
        use std::fmt::Write;
        let _ = write!($out, $($argument)*);
    }};
}

mod data;
mod timeline;

use crate::clean::clean;
use crate::model::{Report, Stack, Verdict, Violation};
use crate::words::{circumstances, figures, plural, refutation};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report as an HTML page.
///
/// A fragment selects what is shown: `#step=3`, or `#violation=2&step=3` where there are several violations.
pub fn html(report: &Report) -> String {
    let verdict = report.verdict;
    let mut out = String::new();
    put!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{}: {} · Raddle</title>\n<style>\n{STYLE}</style>\n</head>\n<body class=\"{verdict}\">\n",
        verdict,
        safe(&report.program),
    );
    head(report, &mut out);
    out.push_str("<main>\n");
    choice(report, &mut out);
    for (index, violation) in report.violations.iter().enumerate() {
        section(violation, index + 1, &mut out);
    }
    numbers(report, &mut out);
    out.push_str("</main>\n");
    put!(out, "<footer>Raddle {}</footer>\n", safe(&report.version));
    out.push_str(INSPECTOR);
    put!(
        out,
        "<script type=\"application/json\" id=\"data\">{}</script>\n",
        data::data(report)
    );
    put!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// What the script puts beside the timeline.
const INSPECTOR: &str = r#"<template id="inspector">
<aside class="inspector" aria-label="The current step">
<div class="controls" role="group" aria-label="Steps">
<button type="button" data-go="first" aria-label="First step" title="First step (Home)">⇤</button>
<button type="button" data-go="back" aria-label="Previous step" title="Previous step (←, k)">←</button>
<p class="status" role="status"></p>
<button type="button" data-go="on" aria-label="Next step" title="Next step (→, j)">→</button>
<button type="button" data-go="last" aria-label="Last step" title="Last step (End)">⇥</button>
</div>
<p class="hint">← → or j k step, Home and End go to the ends</p>
<div class="source" tabindex="0" role="region" aria-label="Source"></div>
<div class="state">
<section aria-label="Locks"><h3>Locks</h3><ul class="locks"></ul></section>
<section aria-label="Values"><h3>Values written so far</h3><table class="values"><tbody></tbody></table></section>
</div>
</aside>
</template>
"#;

fn head(report: &Report, out: &mut String) {
    let mark = match report.verdict {
        Verdict::Holds => "✓",
        Verdict::Violated => "✗",
        Verdict::Unknown => "?",
    };
    put!(
        out,
        "<header>\n<h1><span class=\"verdict\"><span aria-hidden=\"true\">{mark}</span> {}</span> \
         <span class=\"program\">{}</span></h1>\n",
        report.verdict,
        safe(&report.program),
    );
    for (name, text) in [
        ("Known", &report.known),
        ("Reason", &report.reason),
        ("Help", &report.help),
    ] {
        if let Some(text) = text {
            put!(out, "<p class=\"lead\"><b>{name}:</b> {}</p>\n", lines(text));
        }
    }
    out.push_str("</header>\n");
}

fn choice(report: &Report, out: &mut String) {
    if report.violations.len() < 2 {
        return;
    }
    put!(
        out,
        "<p class=\"choice\"><label for=\"choice\">{}</label> <select id=\"choice\">",
        plural(report.violations.len(), "defect"),
    );
    for (index, violation) in report.violations.iter().enumerate() {
        let number = index + 1;
        put!(
            out,
            "<option value=\"{number}\">{number}. {}</option>",
            safe(&violation.message)
        );
    }
    out.push_str("</select></p>\n");
}

fn section(violation: &Violation, number: usize, out: &mut String) {
    put!(
        out,
        "<section class=\"violation\" data-violation=\"{number}\" aria-label=\"Defect {number}\">\n<h2>{}</h2>\n",
        safe(&violation.message),
    );
    let known: Vec<String> = circumstances(violation)
        .iter()
        .map(|(name, value)| format!("{name} <code>{}</code>", escape(value)))
        .collect();
    if !known.is_empty() {
        put!(out, "<p class=\"where\">{}</p>\n", known.join(", "));
    }
    if !violation.why.is_empty() {
        let items: String = violation
            .why
            .iter()
            .map(|why| format!("<li>{}</li>", lines(why)))
            .collect();
        put!(out, "<ul class=\"why\">{items}</ul>\n");
    }
    timeline::timeline(violation, number, out);
    dump(&violation.stacks, out);
    out.push_str("</section>\n");
}

fn dump(stacks: &[Stack], out: &mut String) {
    if stacks.is_empty() {
        return;
    }
    out.push_str("<section class=\"dump\">\n<h3>Threads at the end</h3>\n<div class=\"stacks\">\n");
    for stack in stacks {
        put!(
            out,
            "<div><p><b>{}</b> {}</p>\n<ul>",
            safe(&stack.thread),
            safe(&stack.state)
        );
        for frame in &stack.frames {
            let class = if frame.starts_with("- ") { " class=\"lock\"" } else { "" };
            put!(out, "<li{class}>{}</li>", safe(frame));
        }
        out.push_str("</ul></div>\n");
    }
    out.push_str("</div>\n</section>\n");
}

fn numbers(report: &Report, out: &mut String) {
    out.push_str("<section class=\"figures\">\n<h3>Figures</h3>\n<dl>");
    for (name, value) in figures(report) {
        put!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escape(&value));
    }
    out.push_str("</dl>\n");
    let dropped = report.dropped.iter().map(refutation).collect();
    let parts = [
        ("Rests on", &report.rests_on),
        ("Assumed, and checked", &report.assumed),
        ("Assumed, and dropped", &dropped),
        ("Notes", &report.notes),
    ];
    for (title, texts) in parts {
        if !texts.is_empty() {
            let items: String = texts.iter().map(|text| format!("<li>{}</li>", lines(text))).collect();
            put!(out, "<h3>{title}</h3>\n<ul class=\"small\">{items}</ul>\n");
        }
    }
    out.push_str("</section>\n");
}

/// A string of the program as it may stand in an element or a quoted attribute.
fn safe(text: &str) -> String {
    escape(&clean(text))
}

/// As [`safe`], with line ends kept.
fn lines(text: &str) -> String {
    text.lines().map(safe).collect::<Vec<_>>().join("<br>")
}

pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
