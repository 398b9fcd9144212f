//! A concurrent system that can go forward, back, and be written down.

use crate::{StateVector, Transition, Transitions, Unsupported};

/// A thread of a system; small numbers, reused after a thread's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// A concurrent system: programs on the machine, guarded-command models, and products of either with an automaton.
pub trait System {
    /// A state that actions are applied to and undone in.
    type State;
    /// One step of one thread.
    type Action: Copy + Eq + std::fmt::Debug + Send;
    /// What is needed to go back over one step.
    type Undo;

    /// The state in which everything begins.
    fn initial(&self) -> Result<Self::State, Unsupported>;

    /// The next actions of every live thread, blocked ones and alternatives (a choice, whom to notify, a timeout)
    /// included, in a fixed order, and what is wrong with the state already, into `transitions`. A state may keep caches, so
    /// it is lent for writing; it does not change.
    fn transitions(&self, state: &mut Self::State, transitions: &mut Transitions<Self::Action>);

    /// Takes one enabled step: the action and all the footprint-free work after it. On an error, nothing has happened.
    fn apply(&self, state: &mut Self::State, action: Self::Action) -> Result<Self::Undo, Unsupported>;

    /// Goes back over the latest step that is not undone yet.
    fn undo(&self, state: &mut Self::State, undo: Self::Undo);

    /// Whether a step may have changed more that threads can see than its footprint says. A step of a thread that is the only one
    /// alive may: nobody was there to see it.
    fn wrote(&self, undo: &Self::Undo) -> bool;

    /// Appends the state to `out`: equal vectors mean states that are equal up to the names of objects and threads.
    fn encode(&self, state: &mut Self::State, out: &mut StateVector);

    /// Puts a state of this system, whatever it was before, into the one that a vector stands for. Steps taken before
    /// can no longer be undone.
    fn decode(&self, state: &mut Self::State, words: &[u32]) -> Result<(), Unsupported>;

    /// The number by which the vector of a state calls a thread, if it is alive there.
    fn canonical_id(&self, state: &mut Self::State, thread: ThreadId) -> Option<ThreadId>;

    /// Names a state in which nobody can move: the same defect has the same number.
    fn stuck(&self, state: &mut Self::State) -> u64;

    /// Whether an execution has shown something to be wrong that the steps of this system rest on. What was explored is
    /// then not trusted; but it consists of real states, so what was found is found.
    fn is_broken(&self) -> bool;

    /// Drops what is wrong, and puts the state before the first step of the system, whose steps do not rest on it any more.
    /// Whether there was any such thing.
    fn refine(&self, state: &mut Self::State) -> Result<bool, Unsupported>;

    /// Names a data race between two actions of this state, or excuses it.
    fn race(
        &self,
        state: &mut Self::State,
        one: &Transition<Self::Action>,
        two: &Transition<Self::Action>,
    ) -> Option<u64>;
}
