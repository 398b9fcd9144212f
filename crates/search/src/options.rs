//! What a search is asked to do.

use kernel::{Kind, Property, Visible};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// Which state comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// A successor of the latest one: fast, long traces.
    #[default]
    Depth,
    /// The oldest one that was not looked at: slower, shortest traces.
    Breadth,
    /// Any successor, on walks from the start, until something stops it.
    Random,
}

/// How to search, for what, and how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which state comes next.
    pub order: Order,
    /// What to look for.
    pub properties: BTreeSet<Property>,
    /// Whether to go on after a violation. Each distinct flaw is reported once.
    pub all: bool,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Stop rather than enter one state more than this.
    pub states: Option<u64>,
    /// Leave out schedules with more preemptions: switches away from a thread that could have gone on.
    pub preemptions: Option<u32>,
    /// Where the numbers of a random or shuffled search come from.
    pub seed: u64,
    /// Try the actions of each state in a random order, instead of the thread that moved last first and then in the
    /// order of the transitions.
    pub shuffle: bool,
    /// How many random steps put what a reduction relies on to the test before the search begins. That saves searches that would have
    /// to start over; no verdict rests on it.
    pub trial: u64,
    /// Whether a violation that is met on such walks, and on a few more for the purpose, is enough. Not if all violations are asked for,
    /// or the one with fewest steps.
    pub random_walks: bool,
    /// Whether another search of the same system is under way. Then the system stays as it is, and where it rests on something that is wrong,
    /// the search ends ([`crate::Why::Broken`]) instead of starting over.
    pub beside: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            order: Order::Depth,
            properties: Property::defaults().collect(),
            all: false,
            time: None,
            states: None,
            preemptions: None,
            seed: 0,
            shuffle: false,
            trial: 0,
            random_walks: false,
            beside: false,
        }
    }
}

impl Options {
    /// Whether the parts go together.
    pub fn check(&self) -> Result<(), Conflict> {
        let endless = self.properties.iter().any(|property| property.is_endless());
        // SOUNDNESS: what nobody decides must not hold. `reachable` is decided by the marks of an outcome.
        let is_decided = |property: &Property| {
            matches!(property.kind(), Kind::State(_)) || [Property::LIVELOCK, Property::REACHABLE].contains(property)
        };
        if let Some(&property) = self.properties.iter().find(|property| !is_decided(property)) {
            return Err(Conflict::Undecided(property));
        }
        match self {
            _ if endless && self.order != Order::Depth => Err(Conflict::LivelockOrder),
            _ if endless && self.preemptions.is_some() => Err(Conflict::LivelockBound),
            _ => Ok(()),
        }
    }

    /// Whether they go together with a reduction, which is wanted for what falls asleep under it if `sleeps`.
    pub fn check_reduced(&self, sleeps: bool) -> Result<(), Conflict> {
        let sees_all = |property: &&Property| property.visible() == Visible::EveryStep;
        match self.properties.iter().find(sees_all) {
            _ if sleeps && self.order != Order::Depth => Err(Conflict::SleepOrder),
            Some(&property) => Err(Conflict::EveryStep(property)),
            None => Ok(()),
        }
    }
}

/// Options that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Livelocks are components of the state graph, which only depth-first search finds.
    LivelockOrder,
    /// A bound takes away the very steps that lead out of a component.
    LivelockBound,
    /// This property is about more than one state, and the search has no way to decide it.
    Undecided(Property),
    /// This property can see every step, so none may be left out.
    EveryStep(Property),
    /// The schedule that a reduction leaves out may be the one with few preemptions.
    BoundReduced,
    /// What may sleep is what was explored before, which only depth-first search knows.
    SleepOrder,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Conflict::EveryStep(property) => {
                return write!(
                    f,
                    "every step can be seen by `{}`: look for it with --reduce base, or drop the property",
                    property.name()
                );
            }
            Conflict::Undecided(property) => return write!(f, "no search decides `{}`", property.name()),
            Conflict::LivelockOrder => {
                "livelocks are only found by depth-first search: choose that or drop the property"
            }
            Conflict::LivelockBound => {
                "livelocks are not found under a bound on preemptions: drop the bound or the property"
            }
            Conflict::BoundReduced => {
                "a reduction may leave out the very schedule with few preemptions: bound them with --reduce base"
            }
            Conflict::SleepOrder => {
                "what `sleep` leaves out must have been explored before, which only depth-first search knows: choose --search dfs or \
                 drop `sleep`"
            }
        })
    }
}

impl std::error::Error for Conflict {}

/// How much may be spent on making a trace easier to read.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// States entered by searches for a better trace, and as many steps replayed to improve the one at hand.
    pub states: u64,
    /// Time, all in all.
    pub time: Duration,
    /// Whether to be content with what there is.
    pub stopped: fn() -> bool,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            states: 1_500_000,
            time: Duration::from_secs(5),
            stopped: || false,
        }
    }
}
