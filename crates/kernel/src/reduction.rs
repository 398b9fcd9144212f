//! What a search asks before it expands a state.

use crate::{System, ThreadId, Transition, Transitions};

/// Chooses which threads are enough to be tried at a state.
///
/// SOUNDNESS: whatever is left out is left out for good, so "all of them" is the answer wherever a proof is missing. The
/// search itself sees to it that no thread is left out for ever around a cycle.
///
/// A worker of a search has one of its own, which may be made by another thread.
pub trait Reduction<S: System>: Send {
    /// Appends threads whose actions are enough here to `enough`, one with an enabled action among them: each of their
    /// current actions, disabled ones included, commutes with everything that the other threads may do before any of them
    /// moves. None: all must be tried. `last` moved last and is tried first, so that schedules stay sequential.
    fn ample(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    );

    /// Whether a state with a single successor need not be stored.
    fn is_atomic(&self) -> bool;

    /// Whether states may lie in the midst of a step.
    fn has_transactions(&self) -> bool;

    /// Whether the state that was asked about last lies in the midst of a step of the thread that is enough there: then it need not be
    /// stored if it has a single successor.
    fn in_transaction(&self) -> bool;

    /// A thread has gone round in a circle without coming to the end of its step.
    fn diverges(&mut self, system: &S, state: &mut S::State, thread: ThreadId);

    /// Whether actions fall asleep: one that was tried at a state is not tried again after others that commute with it.
    fn sleeps(&self) -> bool;

    /// Whether two enabled actions of different threads commute in this state: neither enables or disables the other, and
    /// both orders lead to the same state. Only asked if actions fall asleep.
    fn commute(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        one: &Transition<S::Action>,
        two: &Transition<S::Action>,
    ) -> bool;

    /// What an action of this state is called, by a name that means the same in every state with the same vector. An action
    /// without a name does not fall asleep.
    fn name(&self, system: &S, state: &mut S::State, action: S::Action) -> Option<u64>;

    /// Whether every execution that it leaves out has an equivalent one, among those that it keeps, with no more preemptions: switches
    /// away from a thread that could have gone on. Only then it goes with a bound on these.
    fn keeps_preemptions(&self) -> bool;

    /// Whether something that was relied on has turned out to be wrong: what was left out may have been needed.
    fn is_broken(&self) -> bool;

    /// Forgets what was relied on and is wrong: the search starts over from this state, its first. Whether there was any such
    /// thing.
    fn refine(&mut self, system: &S, state: &mut S::State) -> bool;

    /// Forgets all that it has learned, what it found to be wrong included: the system takes other steps from now on.
    fn renew(&mut self);
}
