//! `raddle linearize`.

use crate::arguments::Linearize;
use crate::outputs::get_ready;
use crate::progress::Progress;
use crate::publish::{Level, Publisher};
use crate::watchdog;
use driver::{Failure, linearize};
use std::path::Path;
use std::time::Instant;

/// Examines a class; the status tells the verdict.
pub fn linearize(options: &Linearize) -> Result<u8, Failure> {
    let begun = Instant::now();
    let asked: linearize::Linearize = options.into();
    if options.html.as_deref() == Some(Path::new("-")) {
        return Err(Failure::input(
            "--html takes a file: only --json can be written to standard output",
        ));
    }
    get_ready([&options.json, &options.html].into_iter().flatten(), &options.class)?;
    let publisher = Publisher {
        begun,
        json: options.json.clone(),
        html: options.html.clone(),
        level: Level::new(options.quiet, options.verbose),
    };
    publisher.agree(asked.blank_report());
    let mut progress = Progress::new(options.quiet, "", Some(publisher.clone()));
    let report = asked.examine(&mut progress)?;
    watchdog::speak();
    publisher.publish(report)
}
