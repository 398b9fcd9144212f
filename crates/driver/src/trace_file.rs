//! A violation as a file that can be replayed.

use crate::check::Plan;
use crate::options::{Check, LibraryMode};
use crate::subject::guarded;
use report::TraceFile;
use report::model::{Report, Violation};
use std::collections::BTreeMap;

impl Plan {
    /// What a replay needs to come to the first violation of a report that has a trace.
    pub fn trace_file(&self, report: &Report) -> Option<TraceFile> {
        // The schedule is empty where a thread comes to the violation alone, before it has started any other.
        let with_trace = |violation: &&Violation| !violation.trace.rows.is_empty();
        let violation = report.violations.iter().find(with_trace)?;
        Some(trace_file(&self.given, &report.reductions, violation))
    }
}

/// What a replay needs. The reductions are those that were used, which are not always those that were asked for.
fn trace_file(options: &Check, reductions: &[String], violation: &Violation) -> TraceFile {
    let (how, subject) = (&options.how, &options.how.subject);
    let mut kept = BTreeMap::new();
    kept.insert("reduce".to_owned(), reductions.join(","));
    if !violation.learned.is_empty() {
        kept.insert("learned".to_owned(), violation.learned.join(","));
    }
    if how.spurious {
        kept.insert("spurious".to_owned(), "true".to_owned());
    }
    if how.library == LibraryMode::Operations {
        kept.insert("library".to_owned(), "operations".to_owned());
    }
    if let Some(file) = &how.certificates {
        kept.insert("certificates".to_owned(), file.display().to_string());
    }
    if !how.operation.is_empty() {
        kept.insert("operation".to_owned(), how.operation.join(","));
    }
    if !subject.define.is_empty() {
        kept.insert("define".to_owned(), subject.define.join("\n"));
    }
    if !guarded::is_model(&subject.program) {
        kept.insert("heap".to_owned(), subject.heap.to_string());
        kept.insert("stack".to_owned(), subject.stack.to_string());
    }
    if let Some(start) = violation.trace.loop_start {
        let steps: usize = violation.trace.rows[..start.min(violation.trace.rows.len())]
            .iter()
            .map(|row| row.steps)
            .sum();
        kept.insert("loop".to_owned(), steps.to_string());
    }
    TraceFile {
        schema: report::json::TRACE_SCHEMA,
        program: subject.program.clone(),
        class_path: subject.classes.class_path.clone(),
        entry: how.entry.clone(),
        arguments: subject.arguments.clone(),
        options: kept,
        property: violation.property.clone(),
        message: violation.message.clone(),
        schedule: violation.trace.schedule.clone(),
    }
}
