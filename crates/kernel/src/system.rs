//! A concurrent system that can go forward, back, and be written down.

use crate::{Footprint, Unsupported};

/// A thread of a system; small numbers, reused after a thread's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// The next action of a thread, which may or may not be possible now.
#[derive(Clone, Debug)]
pub struct Pending<A> {
    /// Who would act.
    pub thread: ThreadId,
    /// What to hand to [`System::apply`].
    pub action: A,
    /// Whether it can be applied in this state.
    pub enabled: bool,
    /// What it touches.
    pub footprint: Footprint,
}

/// A concurrent system: programs on the machine, guarded-command models, and products of either with an automaton.
pub trait System {
    /// A state that actions are applied to and undone in.
    type State;
    /// One step of one thread.
    type Action: Copy + Eq + std::fmt::Debug;
    /// What is needed to go back over one step.
    type Undo;

    /// The state in which everything begins.
    fn initial(&self) -> Result<Self::State, Unsupported>;

    /// The next actions of every live thread, blocked ones and alternatives (a choice, whom to notify, a timeout)
    /// included, in a fixed order, into `out`. A state may keep caches, so it is lent for writing; it does not change.
    fn pending(&self, state: &mut Self::State, out: &mut Vec<Pending<Self::Action>>);

    /// Takes one enabled step: the action and all the footprint-free work after it. On an error, nothing has happened.
    fn apply(&self, state: &mut Self::State, action: Self::Action) -> Result<Self::Undo, Unsupported>;

    /// Goes back over the latest step that is not undone yet.
    fn undo(&self, state: &mut Self::State, undo: Self::Undo);

    /// Appends the state to `out`: equal vectors mean states that are equal up to the names of objects and threads.
    fn encode(&self, state: &mut Self::State, out: &mut Vec<u32>);

    /// Puts a state of this system, whatever it was before, into the one that a vector stands for. Steps taken before
    /// can no longer be undone.
    fn decode(&self, state: &mut Self::State, words: &[u32]) -> Result<(), Unsupported>;
}
