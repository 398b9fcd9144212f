//! The way in: options to a search, a search to its outcome.

use crate::expand::Expansion;
use crate::{Conflict, Ending, Observer, Options, Order, Outcome, Why, breadth, depth, random};
use kernel::{Reduction, System};
use std::time::Instant;
use store::Visited;

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
    let (begun, mut restarts) = (Instant::now(), 0);
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
        let broken = outcome.ending == Ending::Stopped(Why::Broken);
        if broken && reduction.as_mut().is_some_and(|reduction| reduction.mend()) {
            restarts += 1;
            visited.clear();
            continue;
        }
        outcome.figures.elapsed = begun.elapsed();
        outcome.restarts = restarts;
        return Ok(outcome);
    }
}
