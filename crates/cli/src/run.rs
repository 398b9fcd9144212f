//! `raddle run`.

use crate::arguments::Run;
use crate::console::Host;
use crate::progress::Progress;
use driver::Failure;

/// Runs a program once. The answer is its exit status.
pub fn run(options: &Run) -> Result<u8, Failure> {
    let mut progress = Progress::new(true, "", None);
    driver::run(&(&options.subject).into(), Box::<Host>::default(), &mut progress)
}
