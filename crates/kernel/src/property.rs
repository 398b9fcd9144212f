//! What is looked for, and what was found at one state.
//!
//! A property is a file, with its name, its line of help, what it is about, what it can see and its check, and a line in the list
//! (`properties`). A search takes any [`Property`], whether it is in the list or not.

use crate::{End, MemoryAccess, ThreadId};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A kind of defect that the search looks for: a handle, known by the name of its definition.
#[derive(Clone, Copy)]
pub struct Property(&'static Definition);

/// All that there is to know about a property.
pub struct Definition {
    /// Its name on the command line and in reports. No other property has it.
    pub name: &'static str,
    /// What it means, in a line.
    pub summary: &'static str,
    /// Whether it is looked for unless the user says otherwise.
    pub is_default: bool,
    /// What it is about, and its check.
    pub kind: Kind,
    /// What it can see.
    pub visible: Visible,
}

/// What a property is about.
#[derive(Clone, Copy)]
pub enum Kind {
    /// One state. A violation is what the system has noticed by itself ([`crate::Transitions::flaws`]), or what the check finds.
    State(Option<Check>),
    /// Executions that never end. The search decides it on cycles of the state graph, depth-first only: so far `livelock` alone, and
    /// it refuses others.
    Endless,
    /// All states together: it is decided when the search has seen every one of them, and no schedule shows a violation. So far this is
    /// `reachable` alone.
    Whole,
}

/// Appends a key for each defect of a state.
pub type Check = fn(&mut dyn Inspected, &mut Vec<u64>);

/// What of an execution a property depends on.
///
/// SOUNDNESS: this is what a reduction must keep (the condition C2 of ample sets). Whoever adds a property takes `EveryStep`, unless there
/// is a proof that less is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visible {
    /// Whether anybody can move, and who waits for whom for good.
    Enabled,
    /// What a thread shows by itself after a step of its own, whatever the others do before or after.
    OwnSteps,
    /// Two accesses of the same place that are both about to happen.
    Conflicts,
    /// Every step, and the order of all of them. No reduction keeps that.
    EveryStep,
}

/// A state as a check sees it.
pub trait Inspected {
    /// Whether it is an end.
    fn end(&self) -> End;

    /// Whether nobody can move and that is no end.
    fn is_dead(&self) -> bool;

    /// The next steps of all live threads, in their fixed order: `None` beyond the last one.
    fn next_step(&self, position: usize) -> Option<NextStep<'_>>;

    /// Names what all threads are doing: the same where they stand at the same places.
    fn stuck(&mut self) -> u64;

    /// Appends a key for each data race that is not excused.
    fn races(&mut self, keys: &mut Vec<u64>);
}

/// A step that may be possible now.
#[derive(Clone, Copy, Debug)]
pub struct NextStep<'s> {
    /// Who would act.
    pub thread: ThreadId,
    /// Whether it is possible.
    pub enabled: bool,
    /// What it would touch.
    pub footprint: &'s [MemoryAccess],
}

impl Property {
    /// The property that is defined like this.
    pub const fn new(definition: &'static Definition) -> Property {
        Property(definition)
    }

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it means, in a line.
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// What a violation of it is called where nobody can tell more.
    pub fn violated(self) -> String {
        format!("{}: {}", self.0.name, self.0.summary)
    }

    /// Whether it is looked for unless the user says otherwise.
    pub fn is_default(self) -> bool {
        self.0.is_default
    }

    /// What it is about.
    pub fn kind(self) -> Kind {
        self.0.kind
    }

    /// What it can see.
    pub fn visible(self) -> Visible {
        self.0.visible
    }

    /// Whether it is about executions that never end.
    pub fn is_endless(self) -> bool {
        matches!(self.0.kind, Kind::Endless)
    }
}

impl PartialEq for Property {
    fn eq(&self, other: &Property) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Property {}

impl Hash for Property {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

/// In the order of the list; those that are not in it come last, by their names.
impl Ord for Property {
    fn cmp(&self, other: &Property) -> Ordering {
        let rank = |one: &Property| {
            let position = Property::ALL.iter().position(|listed| listed == one);
            (position.unwrap_or(Property::ALL.len()), one.name())
        };
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Property {
    fn partial_cmp(&self, other: &Property) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A defect at one state. Two with the same property and key are the same defect met twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flaw {
    /// What is broken.
    pub property: Property,
    /// Tells distinct defects of one property apart.
    pub key: u64,
}
