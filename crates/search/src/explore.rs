//! The way in: options to a search, a search to its outcome.

use crate::draw::Draw;
use crate::expand::Expansion;
use crate::scout::scout;
use crate::{Conflict, Ending, Observer, Options, Order, Outcome, Why, breadth, depth, random};
use kernel::{Reduction, System};
use std::time::Instant;
use store::Visited;

/// How many times in a row something that turns out to be wrong is looked for before a search starts over.
const SCOUTED: u32 = 4;

/// Searches a system from `state`, which is its initial one and is again afterwards, trying as little as the reduction, if
/// there is one, lets it. `visited` is empty. If the reduction has relied on something that is wrong, it is mended and
/// the search starts over, with the time that is left.
pub fn explore<S: System, V: Visited + ?Sized>(
    system: &S,
    state: &mut S::State,
    visited: &mut V,
    options: &Options,
    mut reduction: Option<&mut dyn Reduction<S>>,
    observer: &mut dyn Observer,
) -> Result<Outcome<S::Action>, Conflict> {
    options.check()?;
    if let Some(reduction) = &reduction {
        options.check_reduced(reduction.sleeps())?;
    }
    let (begun, mut restarts) = (Instant::now(), 0_u32);
    loop {
        let mut left = options.clone();
        left.time = options.time.map(|most| most.saturating_sub(begun.elapsed()));
        let mut expansion = Expansion::new(system, visited, &left, observer);
        if let Some(reduction) = &mut reduction {
            expansion = expansion.reduced(&mut **reduction);
        }
        match options.order {
            Order::Depth => depth::search(&mut expansion, state),
            Order::Breadth => breadth::search(&mut expansion, state),
            Order::Random => random::search(&mut expansion, state),
        }
        let mut outcome = expansion.finish();
        if let (Ending::Stopped(Why::Broken), Some(reduction)) = (&outcome.ending, &mut reduction) {
            // As much again as was in vain may save many more vain searches: what is relied on next is put to the test, too.
            let mut draw = Draw::new(options.seed.wrapping_add(restarts.into()));
            let mut mended = false;
            for _ in 0..SCOUTED {
                scout(system, state, &mut **reduction, &mut draw, outcome.figures.transitions);
                if !reduction.mend(system, state) {
                    break;
                }
                mended = true;
            }
            if mended {
                restarts += 1;
                visited.clear();
                continue;
            }
        }
        outcome.figures.elapsed = begun.elapsed();
        outcome.restarts = restarts;
        return Ok(outcome);
    }
}
