//! The way in: options to a search, a search to its outcome.

use crate::expand::Expansion;
use crate::{Conflict, Observer, Options, Order, Outcome, breadth, depth, random};
use kernel::System;
use store::Visited;

/// Searches a system from `state`, which is its initial one and is again afterwards. `visited` is empty.
pub fn explore<S: System, V: Visited + ?Sized>(
    system: &S,
    state: &mut S::State,
    visited: &mut V,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome<S::Action>, Conflict> {
    options.check()?;
    let mut expansion = Expansion::new(system, visited, options, observer);
    match options.order {
        Order::Depth => depth::search(&mut expansion, state),
        Order::Breadth => breadth::search(&mut expansion, state),
        Order::Random => random::search(&mut expansion, state),
    }
    Ok(expansion.finish())
}
