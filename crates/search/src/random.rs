//! Random walks from the start. They end only because something stops them, and prove nothing.

use crate::bounds::Schedule;
use crate::expand::Explorer;
use crate::step::{Shape, Step, Taken, go_back};
use kernel::System;
use store::StateTable;

/// Where a walk ends that found no end.
const LONGEST: usize = 10_000;

/// Walks until stopped, and comes back to `state`.
pub(crate) fn search<S: System, V: StateTable + ?Sized>(explorer: &mut Explorer<'_, S, V>, state: &mut S::State) {
    let Some(_) = explorer.begin(state) else { return };
    let mut first = true;
    loop {
        let (chose, stopped) = walk(explorer, state, first);
        first = false;
        // Where there was never anything to choose, one walk is all there is.
        explorer.tally.inexact |= chose;
        if stopped || !explorer.tally.inexact {
            return;
        }
        // Walks meet the same states again and again: as many steps as states were asked for are enough.
        if explorer.is_walked_out() {
            return;
        }
    }
}

/// One walk: whether there was anything to choose, and whether the search was stopped.
fn walk<S: System, V: StateTable + ?Sized>(
    explorer: &mut Explorer<'_, S, V>,
    state: &mut S::State,
    first: bool,
) -> (bool, bool) {
    let (mut choices, mut steps) = (Vec::new(), Vec::new());
    let (mut schedule, mut new, mut chose) = (Schedule::default(), first, false);
    let stopped = loop {
        choices.clear();
        let opened = match new {
            true => explorer.open(state, schedule, &mut choices),
            false => explorer.look(state, schedule, false, &mut choices),
        };
        if opened.flawed {
            let actions: Vec<S::Action> = steps.iter().map(|step: &Taken<S>| step.action).collect();
            explorer.report_fresh(&actions);
        }
        let shape = || Shape {
            depth: steps.len(),
            frontier: 0,
            bytes: 0,
        };
        if explorer.stopped(shape) {
            break true;
        }
        chose |= choices.len() > 1 || steps.len() >= LONGEST || opened.reduced;
        if choices.is_empty() || steps.len() >= LONGEST {
            break false;
        }
        let choice = choices[explorer.draw.below(choices.len())];
        let step = explorer.step(state, schedule, &choice, &mut steps);
        for (flaw, actions) in explorer.runs.take_passed(&steps) {
            explorer.context.reporting.report(vec![flaw], &actions);
        }
        match step {
            Step::New(seen, after) | Step::Old(seen, after) | Step::Again(seen, after) => {
                explorer.deepen(steps.len());
                (schedule, new) = (after, seen.new);
            }
            Step::Failed(unsupported, action) => {
                let taken = steps.iter().map(|step| step.action);
                explorer
                    .context
                    .reporting
                    .hear(unsupported, taken.chain([action]).collect());
                break false;
            }
            Step::Halted => break true,
        }
    };
    go_back(explorer.context.system, state, &mut steps, 0);
    (chose, stopped)
}
