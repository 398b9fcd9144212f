//! A reduction as data: all that the command line, the reports, the tests and a system have to know of it.

use crate::Ample;
use kernel::{AssumptionKind, Instrumentation, Property};
use std::fmt;

/// Violations of these are lost unless a reduction says otherwise: what never changes cannot be told if steps are left out.
const LIVENESS: &[Property] = &[Property::LIVELOCK];

/// A lock that is left behind in a Java program counts only while somebody can reach it, which is no step's business.
const REACHABILITY: &[Property] = &[Property::LOCK];

/// A reduction as the user sees it, what it needs, and what it goes together with. Each has its own in its file.
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// What it can be combined with.
    pub goes: Goes,
    /// What it needs of the system.
    pub needs: Instrumentation,
    /// What it takes for granted, with the sentences for the report.
    pub assumes: &'static [&'static AssumptionKind],
    /// The option by which the user tells it something, if there is one.
    pub hears: Option<&'static str>,
    /// The properties whose violations it may leave out.
    pub loses: &'static [Property],
    /// The same for systems in which a violation may depend on who can still reach an object.
    pub loses_if_reached: &'static [Property],
    /// Whether it leaves nothing out.
    pub is_full: bool,
    /// Whether `auto` has it.
    pub in_auto: bool,
    /// Whether it goes with a bound on preemptions: an independence, about which `bounded` sees to that, or what only saves memory.
    pub keeps_preemptions: bool,
    /// Whether it keeps something with every state, of what was explored before: for depth-first search, and stores that have states.
    pub keeps_with_states: bool,
}

impl Description {
    /// One that goes with all others, needs nothing, takes nothing for granted, and loses what most of them lose.
    pub const fn new(name: &'static str, summary: &'static str) -> Description {
        Description {
            name,
            summary,
            goes: Goes::WithAll,
            needs: Instrumentation::NONE,
            assumes: &[],
            hears: None,
            loses: LIVENESS,
            loses_if_reached: REACHABILITY,
            is_full: false,
            in_auto: false,
            keeps_preemptions: false,
            keeps_with_states: false,
        }
    }
}

impl PartialEq for Description {
    fn eq(&self, other: &Description) -> bool {
        self.name == other.name
    }
}

impl Eq for Description {}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What a reduction can be combined with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// With all that go with it.
    WithAll,
    /// With none.
    Alone,
    /// With all, but not without this one.
    Needs(&'static str),
    /// With these only: it takes many steps as one, of which the others know nothing.
    Apart(&'static [&'static str]),
}

/// What a reduction does to systems of one kind.
pub struct Rule<S: kernel::View> {
    /// Which one.
    pub description: &'static Description,
    /// Adds what it does.
    pub add: fn(&mut Ample<S>),
}
