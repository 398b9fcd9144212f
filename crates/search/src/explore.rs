//! The way in: options to a search, a search to its outcome.

use crate::context::Context;
use crate::expand::Explorer;
use crate::random_walk::{self, RandomWalks};
use crate::{Conflict, Ending, Figures, Observer, Options, Order, Outcome, Walked, Why, breadth, depth, random};
use kernel::{Reduction, System};
use std::time::{Duration, Instant};
use store::StateTable;

/// Searches a system from `state`, which is its initial one and is again afterwards, trying as little as the reduction, if
/// there is one, lets it. `visited` is empty. If the reduction has relied on something that is wrong, it is refined and
/// the search starts over, with the time that is left. A violation that is met on a walk in between is as good as one from the
/// search.
pub fn explore<S: System, V: StateTable + ?Sized>(
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
    let (begun, mut restarts, mut walked) = (Instant::now(), 0_u32, Walked::default());
    let time_left = || options.time.map(|most| most.saturating_sub(begun.elapsed()));
    // How much longer walks may take, all of them.
    let mut patience = random_walk::LONGEST;
    let for_walks = |patience: Duration| time_left().map_or(patience, |left| left.min(patience));
    if let Some(reduction) = &mut reduction
        && options.trial > 0
    {
        let mut walks = RandomWalks::new(system, options, options.seed, for_walks(patience), observer);
        walks.test(state, &mut **reduction, options.trial);
        walks.walk_by_priority(state);
        walked = walks.walked();
        patience = patience.saturating_sub(walks.elapsed());
        if let Some(mut outcome) = walks.finish() {
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
                walked,
                ..Outcome::default()
            });
        }
    }
    loop {
        let mut left = options.clone();
        left.time = time_left();
        let context = Context::new(system, &*visited, &left);
        let borrowed = reduction
            .as_mut()
            .map(|reduction| &mut **reduction as &mut dyn Reduction<S>);
        let mut explorer = Explorer::new(&context, borrowed, observer).noticing_endless();
        match options.order {
            Order::Depth => depth::search(&mut explorer, state),
            Order::Breadth => breadth::search(&mut explorer, state),
            Order::Random => random::search(&mut explorer, state),
        }
        let mut outcome = explorer.finish();
        if let (Ending::Stopped(Why::Broken), Some(reduction)) = (&outcome.ending, &mut reduction) {
            let seed = options.seed.wrapping_add(u64::from(restarts) + 1);
            let mut walks = RandomWalks::new(system, options, seed, for_walks(patience), observer);
            let refined = walks.test(state, &mut **reduction, outcome.figures.transitions);
            walked = walked.and(walks.walked());
            patience = patience.saturating_sub(walks.elapsed());
            if let Some(met) = walks.finish() {
                visited.clear();
                outcome = met;
            } else if refined {
                restarts += 1;
                visited.clear();
                continue;
            }
        }
        outcome.figures.elapsed = begun.elapsed();
        outcome.restarts = restarts;
        outcome.walked = walked;
        return Ok(outcome);
    }
}
