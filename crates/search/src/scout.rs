//! Random walks before a search, and after one that has to start over: they show a reduction what is wrong with what it rests on.
//!
//! What is seen on the way only makes a reduction rely on less, so it does not matter which walks these are.

use crate::draw::Draw;
use crate::expand::{Taken, go_back};
use crate::pace::Pace;
use crate::{Figures, Observer};
use kernel::{Menu, Reduction, System};
use std::time::Duration;

/// How many walks are worth while, and how many steps: a part of a second.
const WALKS: usize = 64;
const STEPS: u64 = 100_000;

/// Walks that take longer are not worth it.
const LONGEST: Duration = Duration::from_secs(2);

/// How many times in a row something that turns out to be wrong is looked for.
const ROUNDS: u32 = 4;

/// How calm walks are: in the calmest, a thread goes on for two to the power of this many steps before another one may move.
const CALMEST: usize = 6;

/// Who walks, and until when.
pub(crate) struct Scout<'a> {
    pub draw: Draw,
    /// The time there is.
    pub time: Option<Duration>,
    pub observer: &'a mut dyn Observer,
}

impl Scout<'_> {
    /// Puts what a reduction relies on to the test, `most` steps at a time, and then what it relies on instead. Whether something was
    /// wrong. The state is the first one, and is again afterwards.
    pub fn test<S: System>(
        &mut self,
        system: &S,
        state: &mut S::State,
        reduction: &mut dyn Reduction<S>,
        most: u64,
    ) -> bool {
        // As much again as a search that was in vain may save many more of these.
        let mended = (0..ROUNDS).take_while(|_| {
            self.walk(system, state, reduction, most);
            reduction.mend(system, state)
        });
        mended.count() > 0
    }

    /// Shows a reduction the states along some walks.
    fn walk<S: System>(&mut self, system: &S, state: &mut S::State, reduction: &mut dyn Reduction<S>, most: u64) {
        let (mut menu, mut taken, mut enough, mut left) = (Menu::default(), Vec::new(), Vec::new(), most.min(STEPS));
        let mut pace = Pace::new();
        for walk in 0..WALKS {
            let mut last = None;
            let calm = 1 << (walk % (CALMEST + 1));
            while left > 0 {
                left -= 1;
                if pace.is_due() {
                    let (elapsed, _) = pace.look();
                    let is_over = elapsed >= self.time.map_or(LONGEST, |most| most.min(LONGEST));
                    if is_over || !self.observer.progress(&Figures::default()) {
                        left = 0;
                    }
                }
                menu.clear();
                system.pending(state, &mut menu);
                enough.clear();
                reduction.ample(system, state, &menu, last, &mut enough);
                let enabled = || menu.entries().iter().filter(|entry| entry.enabled);
                let goes_on = self.draw.below(calm) > 0;
                let same = enabled().find(|entry| goes_on && Some(entry.thread) == last);
                let any = self.draw.below(enabled().count());
                let Some(entry) = same.or_else(|| enabled().nth(any)) else {
                    break;
                };
                let action = entry.action;
                last = Some(entry.thread);
                let Ok(undo) = system.apply(state, action) else {
                    break;
                };
                taken.push(Taken { action, undo });
            }
            go_back(system, state, &mut taken, 0);
        }
    }
}
