//! What a search says, while it runs and in the end.

use kernel::{Flaw, Unsupported};
use std::collections::HashSet;
use std::time::Duration;

/// Counts, so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Distinct states. Under a bound on preemptions, a state counts once for each distinct remainder of the schedule.
    pub states: u64,
    /// Steps taken, those to known states included.
    pub transitions: u64,
    /// Steps from the start to the state at hand.
    pub depth: u64,
    /// The largest `depth` so far.
    pub max_depth: u64,
    /// States that were entered and are not done with.
    pub frontier: u64,
    /// The most threads alive in one state.
    pub threads: u32,
    /// Memory of the store.
    pub store_bytes: u64,
    /// Memory of the search itself, as far as it can tell.
    pub frontier_bytes: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Random walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// How many.
    pub walks: u64,
    /// Their steps, all together, and those to where they begin.
    pub steps: u64,
}

impl Walked {
    /// These and others.
    pub(crate) fn and(self, other: Walked) -> Walked {
        Walked {
            walks: self.walks + other.walks,
            steps: self.steps + other.steps,
        }
    }
}

/// Hears of a search while it runs.
pub trait Observer {
    /// Called every now and then, some tens of milliseconds apart; `false` ends the search.
    fn progress(&mut self, figures: &Figures) -> bool;

    /// Whether there is memory to go on. Asked every few milliseconds; the search ends where there is none.
    fn has_room(&self) -> bool {
        true
    }
}

/// Hears nothing.
pub struct Silent;

impl Observer for Silent {
    fn progress(&mut self, _figures: &Figures) -> bool {
        true
    }
}

/// A flaw and how to get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<A> {
    /// What is wrong.
    pub flaw: Flaw,
    /// The schedule from the initial state to the state with the flaw; for an endless flaw, once around its loop.
    pub actions: Vec<A>,
    /// Where in `actions` the loop begins.
    pub loop_start: Option<usize>,
}

/// Why a search says less than it might have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its time was up.
    Time,
    /// Its memory was used up.
    Memory,
    /// It had entered as many states as it was allowed to.
    States,
    /// The observer ended it.
    Interrupted,
    /// Some schedule was left out because of the bound on preemptions.
    Preemptions,
    /// Some step is not supported: the first such.
    Unsupported(Unsupported),
    /// The store may have taken a new state for a known one, or the search was random.
    Inexact,
    /// The store had no numbers left.
    Full,
    /// Something that the steps of the system or the reduction rest on is wrong: it must start over without.
    Broken,
    /// It was not asked to go on after a violation.
    FirstViolation,
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every reachable state was looked at.
    Complete,
    /// Perhaps not.
    Stopped(Why),
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome<A> {
    /// Whether that is all there is.
    pub ending: Ending,
    /// The flaws, each once, in the order in which they were met.
    pub found: Vec<Found<A>>,
    /// The counts.
    pub figures: Figures,
    /// All marks of all states.
    pub marks: HashSet<u128>,
    /// The first few distinct unsupported steps, with the schedule up to and including each.
    pub unsupported: Vec<(Unsupported, Vec<A>)>,
    /// Distinct states in which the program was over.
    pub finals: u64,
    /// Distinct states in which nobody could move.
    pub deadlocks: u64,
    /// Distinct states that the program asked to be forgotten.
    pub ignored: u64,
    /// How often the search started over because something was wrong that it rested on. What the reduction went through before the
    /// system took other steps does not count.
    pub restarts: u32,
    /// The first livelock that was noticed although nobody has asked for any.
    pub endless: Option<Found<A>>,
    /// How much was walked at random before the search, and before it started over.
    pub walked: Walked,
    /// Whether the last of these walks met what was found. Then no state was stored, and the figures are those of the walks.
    pub by_walk: bool,
}

impl<A> Default for Outcome<A> {
    fn default() -> Outcome<A> {
        Outcome {
            ending: Ending::Complete,
            found: Vec::new(),
            figures: Figures::default(),
            marks: HashSet::new(),
            unsupported: Vec::new(),
            finals: 0,
            deadlocks: 0,
            ignored: 0,
            restarts: 0,
            endless: None,
            walked: Walked::default(),
            by_walk: false,
        }
    }
}
