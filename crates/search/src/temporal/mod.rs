//! Executions that an automaton accepts: those that break a temporal formula, if it is the automaton of the formula's negation.
//!
//! `reduced` decides which threads are enough at each state, `product` runs the automaton along with the system, `emptiness` looks for an accepting component while it explores the product, and
//! `witness` makes an execution of one: a stem, and a loop that it ends in.
//!
//! An execution goes on as long as a thread can move. One that is over, or in which no thread can move, stays in its last state for ever.
//! A step on which nobody can count (`spurious`) need not happen.

mod emptiness;
mod product;
mod reduced;
mod strong;
mod witness;

use crate::monitor::Monitor;
use crate::{Ending, Figures, Observer, Options, Why};
use emptiness::Emptiness;
use kernel::{Propositions, Reduction, Unsupported};
use ltl::Automaton;
use reduced::Deciding;
use std::time::Instant;
use store::{Exact, StateTable};

/// Which executions count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All of them.
    None,
    /// Those in which every thread that can always move from some time on, moves again and again. A time limit need not end and nobody need
    /// wake up for no reason, so a thread that waits can always move only if it has been woken.
    #[default]
    Weak,
    /// Those in which every thread that can move again and again does so, in the same sense: whoever waits for a lock that is free again and
    /// again gets it at some time.
    Strong,
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
///
/// SOUNDNESS: a reduction is for formulas that cannot tell how often a state is repeated, those without `X`. With fairness, or if it takes
/// several steps as one, it is not asked.
pub fn find_execution<S: Propositions, V: StateTable + ?Sized>(
    system: &S,
    state: &mut S::State,
    visited: &mut V,
    question: &Question<S::Proposition>,
    options: &Options,
    reduction: Option<&mut dyn Reduction<S>>,
    observer: &mut dyn Observer,
) -> Answer<S::Action> {
    let begun = Instant::now();
    let mut restarts = 0;
    let is_sound =
        |reduction: &&mut dyn Reduction<S>| question.fairness == Fairness::None && !reduction.has_transactions();
    let mut reduction = reduction.filter(is_sound);
    loop {
        let left = Options {
            time: options.time.map(|time| time.saturating_sub(begun.elapsed())),
            ..options.clone()
        };
        let table = Exact::new();
        let decisions = match &mut reduction {
            None => Ok(None),
            Some(reduction) => {
                let deciding = Deciding {
                    system,
                    propositions: &question.propositions,
                    reduction: &mut **reduction,
                    options: &left,
                    monitor: Monitor::new(observer),
                };
                deciding.decide(state, &table).map(Some)
            }
        };
        let mut answer = match decisions {
            Ok(decisions) => {
                Emptiness::new(system, &*visited, question, decisions, &left, Monitor::new(observer)).run(state)
            }
            Err(why) => Answer {
                ending: Ending::Stopped(why),
                execution: None,
                figures: Figures::default(),
                unsupported: Vec::new(),
                restarts,
            },
        };
        answer.restarts = restarts;
        answer.figures.elapsed = begun.elapsed();
        // An execution is one whatever the search rests on, and a limit is a limit.
        let is_over = match &answer.ending {
            Ending::Complete => false,
            Ending::Stopped(why) => !matches!(why, Why::Inexact | Why::Unsupported(_) | Why::Broken),
        };
        let is_reduction_broken = reduction.as_ref().is_some_and(|reduction| reduction.is_broken());
        if is_over || !system.is_broken() && !is_reduction_broken {
            return answer;
        }
        visited.clear();
        // The system comes first, since what the reduction relies on is about its steps.
        let refined = match (&mut reduction, system.is_broken()) {
            (Some(reduction), false) => Ok(reduction.refine(system, state)),
            (reduction, _) => {
                reduction.iter_mut().for_each(|reduction| reduction.renew());
                system.refine(state)
            }
        };
        let why = match refined {
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
