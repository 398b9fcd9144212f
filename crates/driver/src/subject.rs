//! What can be checked: a system, and all that is said about it besides that it is one.
//!
//! `check` and `replay` work on any [`Subject`]: a Java program ([`java`]) or a guarded-command model ([`guarded`]).

pub mod guarded;
pub mod java;

use crate::Failure;
use crate::options::Check;
use kernel::{Assumptions, Propositions, System, View};
use report::model::{Report, Violation};
use search::{Found, Outcome};
use std::fmt::Display;
use std::str::FromStr;

/// A subject's system.
pub type SystemOf<S> = <S as Subject>::System;
/// A state of it.
pub type StateOf<S> = <<S as Subject>::System as System>::State;
/// A proposition about its states.
pub type PropositionOf<S> = <<S as Subject>::System as Propositions>::Proposition;
/// A step of it.
pub type ActionOf<S> = <<S as Subject>::System as System>::Action;

/// A system and the words for it.
pub trait Subject {
    /// What is explored. Its steps can be written into a trace file and read again.
    type System: View<Action: Display + FromStr<Err = String>> + Propositions;

    /// The system.
    fn system(&self) -> &Self::System;

    /// A state before the first step.
    fn start(&self) -> Result<StateOf<Self>, Failure>;

    /// The proposition of a formula that a text stands for, or what is wrong with the text. The state is before the first step.
    fn proposition(&self, state: &StateOf<Self>, text: &str) -> Result<PropositionOf<Self>, String>;

    /// What reductions may take for granted, by the user's word. The state is before the first step.
    fn assumptions(&self, _state: &mut StateOf<Self>, _options: &Check) -> Result<Assumptions, Failure> {
        Ok(Assumptions::default())
    }

    /// Adds to the report what reductions took for granted, and what of it was wrong.
    fn tell_assumptions(&self, _state: &mut StateOf<Self>, _assumptions: &Assumptions, _report: &mut Report) {}

    /// Follows a schedule and tells what happens; `None` if it cannot be followed. The state is before the first step, and is
    /// again afterwards.
    fn narrate(&mut self, state: &mut StateOf<Self>, found: &Found<ActionOf<Self>>) -> Option<Violation>;

    /// What should have been reached and was not, when everything was explored.
    fn unreached(&mut self, _state: &mut StateOf<Self>, _outcome: &Outcome<ActionOf<Self>>) -> Vec<Violation> {
        Vec::new()
    }

    /// Why interleavings of single steps are all that can happen, if that rests on anything. `races` is whether these were
    /// looked for.
    fn consistency(&self, _races: bool) -> Option<String> {
        None
    }

    /// Adds to the report what the verdict rests on, and remarks.
    fn remark(
        &mut self,
        state: &mut StateOf<Self>,
        outcome: &Outcome<ActionOf<Self>>,
        options: &Check,
        report: &mut Report,
    );

    /// What keeps growing, if the states seem to have no end.
    fn growing(&mut self, _state: &mut StateOf<Self>) -> Option<String> {
        None
    }
}
