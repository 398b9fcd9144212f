//! The reduction, and what it says about the state at hand.

use crate::bounds::Schedule;
use kernel::{Reduction, System, ThreadId, Transitions};

/// How many more steps, besides as many as were taken, show what else is wrong with what a reduction relies on.
const MORE_TO_BREAK: u64 = 5000;

/// A reduction, if there is one.
pub(crate) struct Reducing<'a, S: System> {
    pub reduction: Option<&'a mut dyn Reduction<S>>,
    /// The threads that are enough at the state that was looked at last; none for all.
    enough: Vec<ThreadId>,
    /// How many steps had been taken when something that the reduction relies on turned out to be wrong.
    broken_after: Option<u64>,
}

impl<'a, S: System> Reducing<'a, S> {
    /// No reduction, or this one.
    pub fn new(reduction: Option<&'a mut dyn Reduction<S>>) -> Self {
        Reducing {
            reduction,
            enough: Vec::new(),
            broken_after: None,
        }
    }

    /// All threads are to be tried at the state at hand.
    pub fn try_all(&mut self) {
        self.enough.clear();
    }

    /// Asks which threads are enough at the state at hand, if there is a reduction to ask.
    pub fn choose(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        schedule: Schedule,
    ) {
        if let Some(reduction) = &mut self.reduction {
            reduction.ample(system, state, transitions, schedule.last, &mut self.enough);
        }
    }

    /// Whether only some threads are to be tried.
    pub fn is_reduced(&self) -> bool {
        !self.enough.is_empty()
    }

    /// Whether a thread is to be tried.
    #[inline]
    pub fn includes(&self, thread: ThreadId) -> bool {
        self.enough.is_empty() || self.enough.contains(&thread)
    }

    /// Whether the state at hand lies in the midst of a step of the thread that is enough there.
    pub fn in_transaction(&self) -> bool {
        self.reduction
            .as_ref()
            .is_some_and(|reduction| reduction.in_transaction())
    }

    /// A thread has gone round in a circle in the midst of a step.
    pub fn diverges(&mut self, system: &S, state: &mut S::State, thread: ThreadId) {
        if let Some(reduction) = &mut self.reduction {
            reduction.diverges(system, state, thread);
        }
    }

    /// Whether something that was relied on is wrong.
    pub fn is_broken(&self) -> bool {
        self.reduction.as_ref().is_some_and(|reduction| reduction.is_broken())
    }

    /// The same, and so many steps have been taken that going on would show little more of that kind.
    pub fn is_broken_for_long(&mut self, steps: u64) -> bool {
        if !self.is_broken() {
            return false;
        }
        let first = *self.broken_after.get_or_insert(steps);
        steps >= 2 * first + MORE_TO_BREAK
    }
}
