//! The figures for a spreadsheet (RFC 4180).

use super::{Comparison, Factor};
use crate::clean::clean;

/// A line of names and a line for each strategy. `factor` is a number or empty, and `bound` says what it is.
pub fn csv(comparison: &Comparison) -> String {
    let mut out =
        "strategy,reductions,states,transitions,seconds,bytes,factor,bound,verdict,restarts,dropped\r\n".to_owned();
    for (index, one) in comparison.strategies.iter().enumerate() {
        let factor = comparison.factor(index);
        let bound = match factor {
            Factor::Exactly(_) => "exact",
            Factor::MoreThan(_) => "more",
            Factor::LessThan(_) => "less",
            Factor::Unknown => "unknown",
        };
        let number = factor.number().map(|number| format!("{number:.4}"));
        let fields = [
            quoted(&one.name),
            quoted(&one.reductions),
            one.states.to_string(),
            one.transitions.to_string(),
            format!("{:.3}", one.seconds),
            one.bytes.to_string(),
            number.unwrap_or_default(),
            bound.to_owned(),
            quoted(one.verdict.name()),
            one.restarts.to_string(),
            one.dropped.to_string(),
        ];
        out.push_str(&fields.join(","));
        out.push_str("\r\n");
    }
    out
}

fn quoted(text: &str) -> String {
    let text = clean(text);
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
