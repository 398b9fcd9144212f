//! Executions that an automaton accepts: those that break a temporal formula, if it is the automaton of the formula's negation.
//!
//! `product` runs the automaton along with the system, `emptiness` looks for an accepting component while it explores the product, and
//! `witness` makes an execution of one: a stem, and a loop that it ends in.
//!
//! An execution goes on as long as a thread can move. One that is over, or in which no thread can move, stays in its last state for ever.
//! A step on which nobody can count (`spurious`) need not happen.

mod emptiness;
mod product;
mod witness;

use crate::monitor::Monitor;
use crate::{Ending, Figures, Observer, Options, Why};
use emptiness::Emptiness;
use kernel::{Propositions, Unsupported};
use ltl::Automaton;
use std::time::Instant;
use store::StateTable;

/// Which executions count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All of them.
    None,
    /// Those in which every thread that can always move from some time on, moves again and again. A time limit need not end and nobody need
    /// wake up for no reason, so a thread that waits can always move only if it has been woken.
    #[default]
    Weak,
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Question<P> {
    /// Accepts the executions that are looked for.
    pub automaton: Automaton,
    /// What its atoms mean.
    pub propositions: Vec<P>,
    /// Which executions count.
    pub fairness: Fairness,
}

/// An execution that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution<A> {
    /// The steps; `None` where the last state of an execution stays as it is.
    pub steps: Vec<Option<A>>,
    /// Where the loop begins: after the last step comes this one again. The loop has a step.
    pub loop_start: usize,
    /// The propositions that hold before each step, as a set.
    pub letters: Vec<u64>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Answer<A> {
    /// Whether that is all there is.
    pub ending: Ending,
    /// An execution that was looked for.
    pub execution: Option<Execution<A>>,
    /// The counts, of states of the product.
    pub figures: Figures,
    /// Distinct unsupported steps, with the schedule up to and including each.
    pub unsupported: Vec<(Unsupported, Vec<A>)>,
    /// How often the search started over because the system rested on something that is wrong.
    pub restarts: u32,
}

/// Looks for an execution from `state`, which is the initial one and is again afterwards. `visited` is empty and numbers its states. Of the
/// options, the limits count.
pub fn find_execution<S: Propositions, V: StateTable + ?Sized>(
    system: &S,
    state: &mut S::State,
    visited: &mut V,
    question: &Question<S::Proposition>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Answer<S::Action> {
    let begun = Instant::now();
    let mut restarts = 0;
    loop {
        let left = Options {
            time: options.time.map(|time| time.saturating_sub(begun.elapsed())),
            ..options.clone()
        };
        let search = Emptiness::new(system, &*visited, question, &left, Monitor::new(observer));
        let mut answer = search.run(state);
        answer.restarts = restarts;
        answer.figures.elapsed = begun.elapsed();
        // An execution is one whatever the search rests on, and a limit is a limit.
        let is_over = match &answer.ending {
            Ending::Complete => false,
            Ending::Stopped(why) => !matches!(why, Why::Inexact | Why::Unsupported(_) | Why::Broken),
        };
        if is_over || !system.is_broken() {
            return answer;
        }
        visited.clear();
        let why = match system.refine(state) {
            Ok(true) => {
                restarts += 1;
                continue;
            }
            Ok(false) => Why::Broken,
            Err(unsupported) => Why::Unsupported(unsupported),
        };
        answer.ending = Ending::Stopped(why);
        return answer;
    }
}
