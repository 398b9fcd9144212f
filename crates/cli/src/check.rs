//! `raddle check`.

use crate::arguments::Check;
use crate::outputs::get_ready;
use crate::progress::Progress;
use crate::publish::{Level, Publisher, write_whole};
use crate::watchdog;
use driver::{Failure, Plan};
use std::path::Path;
use std::time::Instant;

/// Checks a program; the status tells the verdict.
pub fn check(options: &Check) -> Result<u8, Failure> {
    let begun = Instant::now();
    let plan = Plan::new(options.try_into()?)?;
    for (name, path) in [("--html", &options.html), ("--trace", &options.trace)] {
        if path.as_deref() == Some(Path::new("-")) {
            return Err(Failure::input(format!(
                "{name} takes a file: only --json can be written to standard output"
            )));
        }
    }
    if options.trace.is_some() && !options.ltl.is_empty() {
        return Err(Failure::input(
            "--trace cannot hold the loop of a violated formula: use --json or --html with --ltl",
        ));
    }
    let written = [&options.json, &options.html, &options.trace];
    get_ready(written.into_iter().flatten(), &options.how.subject.program)?;
    let publisher = Publisher {
        begun,
        json: options.json.clone(),
        html: options.html.clone(),
        level: Level::new(options.quiet, options.verbose),
    };
    publisher.agree(plan.blank_report());
    let mut progress = Progress::new(options.quiet, "", Some(publisher.clone()));
    let report = plan.examine(&mut progress)?.report;
    watchdog::speak();
    if let Some(path) = &options.trace
        && let Some(file) = plan.trace_file(&report)
    {
        write_whole(path, &file.to_json())?;
    }
    publisher.publish(report)
}
