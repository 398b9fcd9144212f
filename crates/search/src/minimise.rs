//! Schedules that are easier to read: the same flaw with fewer switches between threads, then with fewer steps.
//!
//! Depth-first searches bounded to 0, 1, 2, … preemptions look for a better schedule from scratch (after Musuvathi and
//! Qadeer, PLDI 2007), then ones bounded to as many switches of any kind; in between, schedules are improved by
//! rearranging them ([`crate::shrink`]).

use crate::bounds::Bound;
use crate::context::Context;
use crate::expand::Explorer;
use crate::shrink::{Shrink, Trace, cost};
use crate::{Effort, Ending, Figures, Found, Observer, Options, Outcome, Why, depth, livelock};
use kernel::{Flaw, System};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use store::Exact;

/// As good as for ever, and far from what the clock can count.
const LONGEST: Duration = Duration::from_secs(1_000_000);

/// The same flaw (by property and key), with as few switches between threads as some effort finds, then with as few
/// steps. `state` is the initial one and is again afterwards. The result replays to the flaw if `found` does.
pub fn minimise<S: System>(
    system: &S,
    state: &mut S::State,
    found: &Found<S::Action>,
    effort: &Effort,
) -> Found<S::Action> {
    let start = Instant::now();
    let quarter = effort.time.min(LONGEST) / 4;
    let part = |number: u32| start + quarter * number;
    let stem = &found.actions[..found.loop_start.unwrap_or(found.actions.len())];
    let mut shrink = Shrink::new(system, found.flaw, effort.stopped);
    let Some(mut best) = shrink.follow_exactly(state, stem) else {
        return found.clone();
    };
    if found.flaw.property.is_endless() {
        // It is no flaw of one state, so a search for a state finds nothing.
        shrink.allow(effort.states, part(4));
        let best = shrink.improve(state, best);
        return close(system, state, found, &best);
    }
    for (every, searched, improved) in [(false, part(1), part(2)), (true, part(3), part(4))] {
        let mut search = Search {
            system,
            flaw: found.flaw,
            left: effort.states / 2,
            deadline: searched,
            stopped: effort.stopped,
        };
        // Only what has fewer switches than the best is worth looking for, and preemptions are switches.
        let limits = 0..cost(&best).0 as u32;
        let better = search.first(state, limits.map(|limit| Bound { limit, every }));
        let better = better.and_then(|actions| shrink.follow_exactly(state, &actions));
        if better.is_none() && every {
            break;
        }
        shrink.allow(effort.states / 2, improved);
        // A schedule with few preemptions may begin with more switches than the given one and end with fewer.
        let mut candidates: Vec<_> = [Some(best), better].into_iter().flatten().collect();
        candidates.sort_by_key(cost);
        let improved = candidates.into_iter().map(|trace| shrink.improve(state, trace));
        best = improved.min_by_key(cost).unwrap_or_default();
    }
    Found {
        flaw: found.flaw,
        actions: best.into_iter().map(|(_, action)| action).collect(),
        loop_start: None,
    }
}

/// A livelock at the end of a shorter stem.
fn close<S: System>(
    system: &S,
    state: &mut S::State,
    found: &Found<S::Action>,
    stem: &Trace<S::Action>,
) -> Found<S::Action> {
    let actions: Vec<_> = stem.iter().map(|&(_, action)| action).collect();
    let Ok(undos) = crate::replay(system, state, &actions, |_, _, _| {}) else {
        return found.clone();
    };
    let closed = livelock::once_around(system, state, found.flaw, actions);
    crate::rewind(system, state, undos);
    closed.unwrap_or_else(|| found.clone())
}

/// Searches for one flaw, all within one effort.
struct Search<'a, S: System> {
    system: &'a S,
    flaw: Flaw,
    left: u64,
    deadline: Instant,
    stopped: fn() -> bool,
}

/// Ends a search when there is no patience left for it.
struct Until(fn() -> bool);

impl Observer for Until {
    fn progress(&mut self, _figures: &Figures) -> bool {
        !(self.0)()
    }
}

impl<S: System> Search<'_, S> {
    /// A schedule within the first bound that allows one.
    fn first(&mut self, state: &mut S::State, bounds: impl Iterator<Item = Bound>) -> Option<Vec<S::Action>> {
        for bound in bounds {
            let outcome = self.within(state, bound);
            if let Some(found) = outcome.found.into_iter().next() {
                return Some(found.actions);
            }
            // Otherwise there is nothing more to be seen, or no effort left.
            if !matches!(outcome.ending, Ending::Stopped(Why::Preemptions | Why::Unsupported(_))) {
                return None;
            }
        }
        None
    }

    fn within(&mut self, state: &mut S::State, bound: Bound) -> Outcome<S::Action> {
        let options = Options {
            properties: BTreeSet::from([self.flaw.property]),
            states: Some(self.left),
            time: Some(self.deadline.saturating_duration_since(Instant::now())),
            ..Options::default()
        };
        let (visited, mut observer) = (Exact::default(), Until(self.stopped));
        let context = Context::new(self.system, &visited, &options).looking_for(self.flaw, bound);
        let mut explorer = Explorer::new(&context, None, &mut observer);
        depth::search(&mut explorer, state);
        let outcome = explorer.finish();
        self.left = self.left.saturating_sub(outcome.figures.states);
        outcome
    }
}
