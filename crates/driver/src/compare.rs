//! What each strategy costs, on one program.

use crate::Failure;
use crate::check::{Examined, Plan};
use crate::limits::Cause;
use crate::observer::Observer;
use crate::options::{Check, Compare};
use crate::verdict::cut_short;
use reduction::Combination;
use report::Verdict;
use report::comparison::Strategy;
use search::Order;

/// The strategies of Dwyer, Hatcliff, Robby and Ranganath (2004), tables 1 and 2, by the names of their columns.
const PAPER: &[(&str, &str)] = &[
    ("B", "base"),
    ("S", "escape-static"),
    ("D", "escape"),
    ("DA", "escape,atomic"),
    ("SDA", "escape-static,escape,atomic"),
    ("WSL", "escape,atomic,selflock"),
    ("WSLdom", "escape,atomic,selflock,dominated"),
    ("LD", "escape,atomic,lockset"),
    ("LD+WSLdom", "escape,atomic,selflock,dominated,lockset"),
];

/// Those of Stoller and Cohen (2006), table 1, by the names of their columns.
const YARDSTICKS: &[(&str, &str)] = &[("None", "none"), ("LocalFinal", "final"), ("Optimistic", "optimistic")];

/// A strategy, ready to be tried on the program.
#[derive(Clone)]
pub struct Contender {
    /// Its short name.
    pub name: String,
    /// Its reductions, as they were given.
    pub reductions: String,
    plan: Plan,
}

impl Contender {
    /// What the strategy costs.
    pub fn examine(&self, observer: &mut dyn Observer) -> Result<Strategy, Failure> {
        Ok(entry(&self.name, self.plan.examine(observer)?))
    }

    /// What there is to say of it where there had to be an end.
    pub fn cut_short(&self, cause: Cause) -> Strategy {
        Strategy {
            name: self.name.clone(),
            reductions: self.reductions.clone(),
            verdict: Verdict::Unknown,
            reason: Some(cut_short(cause).0.to_owned()),
            ..Strategy::default()
        }
    }
}

/// The strategies to be compared, in their order.
pub fn contenders(options: &Compare) -> Result<Vec<Contender>, Failure> {
    if options.how.search == Order::Random {
        return Err(Failure::input(
            "random walks do not come to an end at which they could be compared: use --search dfs or bfs",
        ));
    }
    let ready = strategies(options).into_iter().map(|(name, reductions, combination)| {
        let mut plan = Plan::new(alone(options, combination))?;
        plan.tells = false;
        Ok(Contender { name, reductions, plan })
    });
    ready.collect()
}

/// Short names, names of reductions and what they mean: those that the user has given, or all of the paper's that there are.
fn strategies(options: &Compare) -> Vec<(String, String, Combination)> {
    let known = |&(short, names): &(&'static str, &'static str)| {
        let combination = Combination::named(names.split(',')).ok()?;
        Some((short.to_owned(), names.to_owned(), combination))
    };
    if options.strategies.is_empty() {
        return PAPER.iter().filter_map(known).collect();
    }
    let columns: Vec<_> = PAPER.iter().chain(YARDSTICKS).filter_map(known).collect();
    let given = options.strategies.iter().map(|(given, combination)| {
        let column = columns.iter().find(|(_, _, other)| other == combination);
        let name = column.map_or(given, |(short, ..)| short);
        (name.clone(), given.clone(), combination.clone())
    });
    given.collect()
}

/// The strategy as a check by itself, which explores everything and writes nothing.
fn alone(options: &Compare, reductions: Combination) -> Check {
    let mut how = options.how.clone();
    // The others have nothing to do with it.
    if !reductions.hears("--discipline") {
        how.discipline = None;
    }
    Check {
        reductions,
        all: true,
        random_walks: false,
        how,
        ..Check::new("")
    }
}

fn entry(name: &str, examined: Examined) -> Strategy {
    let report = examined.report;
    Strategy {
        name: name.to_owned(),
        reductions: report.reductions.join(","),
        states: report.states,
        transitions: report.transitions,
        seconds: examined.time.as_secs_f64(),
        bytes: examined.bytes,
        verdict: report.verdict,
        reason: report.reason,
        complete: examined.complete,
        restarts: report.restarts,
        dropped: examined.dropped,
    }
}
