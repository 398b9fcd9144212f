//! `raddle replay`.

use crate::arguments::Replay;
use crate::progress::Progress;
use crate::publish::{Level, Publisher};
use crate::watchdog;
use driver::{Failure, Schedule};
use std::time::Instant;

/// Follows a schedule; the status tells whether it leads to the violation that the file names.
pub fn replay(options: &Replay) -> Result<u8, Failure> {
    let begun = Instant::now();
    let schedule = Schedule::read(options.into())?;
    let publisher = Publisher {
        begun,
        json: options.json.clone(),
        html: options.html.clone(),
        level: Level::new(options.quiet, options.verbose),
    };
    publisher.agree(schedule.blank_report());
    let report = schedule.replay(&mut Progress::new(true, "", None))?;
    watchdog::speak();
    publisher.publish(report)
}
