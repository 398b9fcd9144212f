//! `raddle certify`.

use crate::arguments::Certify;
use crate::progress::Progress;
use driver::Failure;
use driver::certify::{self, Proved};
use std::io::Write;
use std::time::Instant;

/// Proves what can be proved; the status tells whether all of it could be.
pub fn certify(options: &Certify) -> Result<u8, Failure> {
    let asked = certify::Certify {
        classes: (&options.classes).into(),
        layer: options.layer,
        groups: options.groups.clone(),
        file: options.out.clone(),
        again: options.again,
        sample: options.sample,
        most: options.most,
        seed: options.seed,
        states: options.states,
        time: options.time,
        memory: options.memory,
    };
    let mut progress = Progress::new(options.quiet, "", None);
    let (mut begun, mut refused) = (Instant::now(), 0);
    asked.run(&mut progress, &mut |group, proved| {
        let seconds = begun.elapsed().as_secs_f64();
        begun = Instant::now();
        let said = match proved {
            Proved::Known(one) => format!("certified before, on {}", one.date),
            Proved::Certified(one) => format!(
                "certified: {} scenarios of at most {} threads, {} more walked at random, {} too large, {} states, {seconds:.1} s",
                one.scenarios, one.threads, one.walked, one.too_large, one.states
            ),
            Proved::Refused(why) => {
                refused += 1;
                format!("no certificate after {seconds:.1} s: {why}")
            }
        };
        // Nobody may be reading.
        let _ = writeln!(std::io::stdout(), "{} {:<28} {said}", group.layer, group.name);
    })?;
    Ok(if refused == 0 { 0 } else { 1 })
}
