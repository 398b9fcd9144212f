//! What searches hand to each other: choices, steps that were taken, and what came of them.

use crate::bounds::Schedule;
use kernel::{System, ThreadId, Unsupported};
use store::Seen;

/// An enabled action that is to be tried.
#[derive(Clone, Copy)]
pub(crate) struct Choice<A> {
    /// What to apply.
    pub action: A,
    /// Who acts.
    pub thread: ThreadId,
    /// Its position among the transitions.
    pub entry: u32,
    /// Whether it counts against the bound.
    pub costs: bool,
    /// Which of the path's sleepers are asleep after it: from one to before the other.
    pub asleep: (u32, u32),
}

/// A step that was taken, and how to go back over it.
pub(crate) struct Taken<S: System> {
    pub action: S::Action,
    pub undo: S::Undo,
}

/// Goes back over the latest steps, until so many are left.
pub(crate) fn go_back<S: System>(system: &S, state: &mut S::State, steps: &mut Vec<Taken<S>>, left: usize) {
    while steps.len() > left {
        if let Some(step) = steps.pop() {
            system.undo(state, step.undo);
        }
    }
}

/// Where a step led, and those after it for which there was nothing to choose.
pub(crate) enum Step<A> {
    /// To a state that was not known, with this schedule.
    New(Seen, Schedule),
    /// To a known state.
    Old(Seen, Schedule),
    /// To a known state where actions were asleep that are awake now: these are to be tried after all.
    Again(Seen, Schedule),
    /// Nowhere: after the steps that were taken, this one is not supported.
    Failed(Unsupported, A),
    /// Nowhere: the search is stopped.
    Halted,
}

/// What was seen when a state was opened.
#[derive(Clone, Copy, Default)]
pub(crate) struct Opened {
    /// There is a flaw to be reported: [`Explorer::report_fresh`](crate::expand::Explorer::report_fresh) wants to know the way.
    pub flawed: bool,
    /// Only the actions of some threads are to be tried.
    pub reduced: bool,
}

/// What a search looks like from outside at one moment.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shape {
    /// Steps from the start.
    pub depth: usize,
    /// States that are not done with.
    pub frontier: usize,
    /// Memory.
    pub bytes: usize,
}
