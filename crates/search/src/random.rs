//! Random walks from the start. They end only because something stops them, and prove nothing.

use crate::expand::Expansion;
use crate::step::{Schedule, Shape, Step, Taken, go_back};
use kernel::System;
use store::StateTable;

/// Where a walk ends that found no end.
const LONGEST: usize = 10_000;

/// Walks until stopped, and comes back to `state`.
pub(crate) fn search<S: System, V: StateTable + ?Sized>(expansion: &mut Expansion<'_, S, V>, state: &mut S::State) {
    let Some(_) = expansion.begin(state) else { return };
    let mut first = true;
    loop {
        let (chose, stopped) = walk(expansion, state, first);
        first = false;
        // Where there was never anything to choose, one walk is all there is.
        expansion.inexact |= chose;
        if stopped || !expansion.inexact {
            return;
        }
        // Walks meet the same states again and again: as many steps as states were asked for are enough.
        if expansion.is_walked_out() {
            return;
        }
    }
}

/// One walk: whether there was anything to choose, and whether the search was stopped.
fn walk<S: System, V: StateTable + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    first: bool,
) -> (bool, bool) {
    let (mut choices, mut steps) = (Vec::new(), Vec::new());
    let (mut schedule, mut new, mut chose) = (Schedule::default(), first, false);
    let stopped = loop {
        choices.clear();
        let opened = match new {
            true => expansion.open(state, schedule, &mut choices),
            false => expansion.look(state, schedule, false, &mut choices),
        };
        if opened.flawed {
            let actions: Vec<S::Action> = steps.iter().map(|step: &Taken<S>| step.action).collect();
            let fresh = expansion.take_fresh();
            expansion.report(fresh, &actions);
        }
        let shape = || Shape {
            depth: steps.len(),
            frontier: 0,
            bytes: 0,
        };
        if expansion.stopped(shape) {
            break true;
        }
        chose |= choices.len() > 1 || steps.len() >= LONGEST || opened.reduced;
        if choices.is_empty() || steps.len() >= LONGEST {
            break false;
        }
        let choice = choices[expansion.draw.below(choices.len())];
        let step = expansion.step(state, schedule, &choice, &mut steps);
        for (flaw, actions) in expansion.take_passed(&steps) {
            expansion.report(vec![flaw], &actions);
        }
        match step {
            Step::New(seen, after) | Step::Old(seen, after) | Step::Again(seen, after) => {
                expansion.deepen(steps.len());
                (schedule, new) = (after, seen.new);
            }
            Step::Failed(unsupported, action) => {
                let taken = steps.iter().map(|step| step.action);
                expansion.hear(unsupported, taken.chain([action]).collect());
                break false;
            }
            Step::Halted => break true,
        }
    };
    go_back(expansion.system, state, &mut steps, 0);
    (chose, stopped)
}
