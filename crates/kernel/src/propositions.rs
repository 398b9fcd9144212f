//! What may be said about a state in words of its own: the atoms of formulas.

use crate::{System, Transition, Transitions};

/// A system whose states can be asked whether a proposition holds.
pub trait Propositions: System {
    /// A proposition, with its names looked up.
    type Proposition: Clone + std::fmt::Debug;

    /// Whether it holds in a state. What has no value there, like an element beyond the end of an array, does not hold.
    fn holds(&self, state: &mut Self::State, proposition: &Self::Proposition) -> bool;

    /// Whether a step of this state may change whether it holds: whoever reduces must take such a step to be visible.
    ///
    /// SOUNDNESS: `false` only where it is known that the step, and all the local work after it, does not.
    fn may_change(
        &self,
        state: &mut Self::State,
        transitions: &Transitions<Self::Action>,
        step: &Transition<Self::Action>,
        proposition: &Self::Proposition,
    ) -> bool;
}
