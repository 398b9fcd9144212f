//! Random walks after a search that has to start over, to find what else is wrong with what its reduction rests on.

use crate::draw::Draw;
use crate::expand::{Taken, go_back};
use kernel::{Menu, Reduction, System};

/// How many walks are worth while, and how many steps: a part of a second.
const WALKS: usize = 64;
const STEPS: u64 = 100_000;

/// Shows the reduction the states along some random walks from `state`, `most` steps in all, and comes back to it.
///
/// What is seen on the way only makes a reduction rely on less, so it does not matter which walks these are.
pub(crate) fn scout<S: System>(
    system: &S,
    state: &mut S::State,
    reduction: &mut dyn Reduction<S>,
    draw: &mut Draw,
    most: u64,
) {
    let (mut menu, mut taken, mut enough, mut left) = (Menu::default(), Vec::new(), Vec::new(), most.min(STEPS));
    for _ in 0..WALKS {
        let mut last = None;
        while left > 0 {
            left -= 1;
            menu.clear();
            system.pending(state, &mut menu);
            enough.clear();
            reduction.ample(system, state, &menu, last, &mut enough);
            let enabled = || menu.entries().iter().filter(|entry| entry.enabled);
            let count = enabled().count();
            let Some(entry) = (count > 0).then(|| enabled().nth(draw.below(count))).flatten() else {
                break;
            };
            let Ok(undo) = system.apply(state, entry.action) else {
                break;
            };
            let action = entry.action;
            last = Some(entry.thread);
            taken.push(Taken { action, undo });
        }
        go_back(system, state, &mut taken, 0);
    }
}
