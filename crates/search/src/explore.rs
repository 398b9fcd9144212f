//! The way in: options to a search, a search to its outcome.

use crate::expand::Expansion;
use crate::scout::Scout;
use crate::{Conflict, Ending, Figures, Observer, Options, Order, Outcome, Why, breadth, depth, random};
use kernel::{Reduction, System};
use std::time::Instant;
use store::Visited;

/// Searches a system from `state`, which is its initial one and is again afterwards, trying as little as the reduction, if
/// there is one, lets it. `visited` is empty. If the reduction has relied on something that is wrong, it is mended and
/// the search starts over, with the time that is left. A violation that is met on a walk in between is as good as one from the
/// search.
pub fn explore<S: System, V: Visited + ?Sized>(
    system: &S,
    state: &mut S::State,
    visited: &mut V,
    options: &Options,
    mut reduction: Option<&mut dyn Reduction<S>>,
    observer: &mut dyn Observer,
) -> Result<Outcome<S::Action>, Conflict> {
    options.check()?;
    if reduction.is_some() {
        options.check_reduced(false)?;
    }
    let (begun, mut restarts) = (Instant::now(), 0_u32);
    let time_left = || options.time.map(|most| most.saturating_sub(begun.elapsed()));
    if let Some(reduction) = &mut reduction
        && options.trial > 0
    {
        let mut scout = Scout::new(system, options, options.seed, options.time, observer);
        scout.test(state, &mut **reduction, options.trial);
        scout.hunt(state);
        if let Some(mut outcome) = scout.finish() {
            outcome.figures.elapsed = begun.elapsed();
            return Ok(outcome);
        }
        if observer.begins_again() {
            let figures = Figures {
                elapsed: begun.elapsed(),
                ..Figures::default()
            };
            return Ok(Outcome {
                ending: Ending::Stopped(Why::Again),
                figures,
                ..Outcome::default()
            });
        }
    }
    loop {
        let mut left = options.clone();
        left.time = time_left();
        let mut expansion = Expansion::new(system, visited, &left, observer).noticing_endless();
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
            let seed = options.seed.wrapping_add(u64::from(restarts) + 1);
            let mut scout = Scout::new(system, options, seed, time_left(), observer);
            let mended = scout.test(state, &mut **reduction, outcome.figures.transitions);
            if let Some(met) = scout.finish() {
                visited.clear();
                outcome = met;
            } else if mended {
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
