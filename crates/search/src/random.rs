//! Random walks from the start. They end only because something stops them, and prove nothing.

use crate::expand::{Expansion, Schedule, Shape, Step};
use crate::replay::rewind;
use kernel::System;
use store::Visited;

/// Where a walk ends that found no end.
const LONGEST: usize = 10_000;

/// Walks until stopped, and comes back to `state`.
pub(crate) fn search<S: System, V: Visited + ?Sized>(expansion: &mut Expansion<'_, S, V>, state: &mut S::State) {
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
fn walk<S: System, V: Visited + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    first: bool,
) -> (bool, bool) {
    let (mut choices, mut actions, mut undos) = (Vec::new(), Vec::new(), Vec::new());
    let (mut schedule, mut new, mut chose) = (Schedule::default(), first, false);
    let stopped = loop {
        choices.clear();
        if expansion.open(state, schedule, new, &mut choices) {
            expansion.report(&actions);
        }
        let shape = || Shape {
            depth: undos.len(),
            frontier: 0,
            bytes: 0,
        };
        if expansion.stopped(shape) {
            break true;
        }
        chose |= choices.len() > 1 || undos.len() == LONGEST;
        if choices.is_empty() || undos.len() == LONGEST {
            break false;
        }
        let choice = choices[expansion.draw.below(choices.len())];
        match expansion.step(state, schedule, &choice) {
            Step::New(undo, seen, after) | Step::Old(undo, seen, after) => {
                undos.push(undo);
                actions.push(choice.action);
                expansion.deepen(undos.len());
                (schedule, new) = (after, seen.new);
            }
            Step::Failed(unsupported) => {
                actions.push(choice.action);
                expansion.hear(unsupported, actions);
                break false;
            }
            Step::Halted => break true,
        }
    };
    rewind(expansion.system, state, undos);
    (chose, stopped)
}
