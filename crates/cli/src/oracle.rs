//! `raddle oracle`.

use crate::arguments::Oracle;
use crate::publish::{print, progress};
use driver::{Failure, oracle};
use std::io::IsTerminal;
use std::time::Instant;

/// Compares; status 1 if some strategies disagree.
pub fn oracle(options: &Oracle) -> Result<u8, Failure> {
    let (begun, visible) = (Instant::now(), std::io::stderr().is_terminal());
    let heard = |cases: u64| {
        if visible {
            let seconds = begun.elapsed().as_secs_f64();
            progress(&format!(
                "{cases} cases of this kind, {} in all, {seconds:.0} s",
                options.count
            ));
        }
    };
    let compared = oracle::oracle(options.into(), &heard)?;
    if visible {
        progress("");
    }
    print(&compared.text())?;
    let Some(found) = compared.disagreement()? else {
        return Ok(0);
    };
    let kind = if found.is_model { "model" } else { "program" };
    print(&format!(
        "\nseed {}: strategies disagree. The smallest {kind} on which they do:\n\n{}\n",
        found.seed, found.smallest
    ))?;
    Ok(1)
}
