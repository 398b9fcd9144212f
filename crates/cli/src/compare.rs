//! `raddle compare`: what each strategy costs, on one program.

use crate::Failure;
use crate::arguments::{Check, Compare, SearchOrder};
use crate::check::{Examined, Plan, get_ready};
use crate::publish::{complain, print, style, write_whole};
use crate::verdict::cut_short;
use crate::watchdog::{self, Cause};
use reduction::Combination;
use report::Style;
use report::comparison::{Comparison, Strategy, csv, svg, table};
use search::Why;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

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

/// Compares strategies. The status is 1 if they disagree.
pub fn compare(options: &Compare) -> Result<u8, Failure> {
    if options.how.search == SearchOrder::Random {
        return Err(Failure::input(
            "random walks do not come to an end at which they could be compared: use --search dfs or bfs",
        ));
    }
    let strategies = strategies(options);
    let mut plans = Vec::new();
    for (index, (name, reductions)) in strategies.iter().enumerate() {
        let check = alone(options, reductions);
        let mut plan = Plan::new(&check)?;
        plan.tells = false;
        plan.title = format!("{name} ({} of {}) · ", index + 1, strategies.len());
        plans.push((plan, check));
    }
    get_ready([&options.csv, &options.svg].into_iter().flatten(), &options.how)?;
    let outputs = Outputs {
        csv: options.csv.clone(),
        svg: options.svg.clone(),
    };
    let mut comparison = Comparison {
        program: options.how.subject.program.clone(),
        strategies: Vec::new(),
    };
    for ((plan, check), (name, reductions)) in plans.iter().zip(&strategies) {
        agree(&comparison, name, reductions, &outputs);
        plan.keep_limits();
        comparison.strategies.push(entry(name, plan.examine(check)?));
        if watchdog::is_interrupted() {
            break;
        }
    }
    watchdog::speak();
    outputs.write(&comparison)?;
    Ok(comparison.disagrees().into())
}

/// Short names and reductions: those that the user has given, or all of the paper's that there are.
fn strategies(options: &Compare) -> Vec<(String, String)> {
    let is_known = |names: &str| Combination::named(names.split(',')).is_ok();
    if options.reduce.is_empty() {
        let known = PAPER.iter().filter(|(_, names)| is_known(names));
        return known
            .map(|&(short, names)| (short.to_owned(), names.to_owned()))
            .collect();
    }
    let same = |one: &str, two: &str| {
        let (one, two) = (Combination::named(one.split(',')), Combination::named(two.split(',')));
        one.is_ok() && one == two
    };
    let given = options.reduce.iter().map(|given| {
        let column = PAPER.iter().chain(YARDSTICKS).find(|(_, names)| same(names, given));
        (
            column.map_or(given.as_str(), |(short, _)| short).to_owned(),
            given.clone(),
        )
    });
    given.collect()
}

/// The strategy as a check by itself, which explores everything and writes nothing.
fn alone(options: &Compare, reductions: &str) -> Check {
    let mut how = options.how.clone();
    // The others have nothing to do with it.
    if !Combination::named(reductions.split(',')).is_ok_and(|combination| combination.hears("--discipline")) {
        how.discipline = None;
    }
    Check {
        how,
        reduce: reductions.split(',').map(str::to_owned).collect(),
        all: true,
        preemptions: None,
        json: None,
        html: None,
        trace: None,
        source: Vec::new(),
        quiet: false,
        seed: 0,
        shuffle: false,
        no_hunt: true,
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

/// Makes what is known so far the last words, should there be no time for more.
fn agree(comparison: &Comparison, name: &str, reductions: &str, outputs: &Outputs) {
    let (mut comparison, outputs) = (comparison.clone(), outputs.clone());
    let (name, reductions) = (name.to_owned(), reductions.to_owned());
    watchdog::agree(move |cause| {
        let (reason, _) = cut_short(match cause {
            Cause::Time => &Why::Time,
            Cause::Signal => &Why::Interrupted,
            Cause::Memory => &Why::Memory,
        });
        comparison.strategies.push(Strategy {
            name,
            reductions,
            verdict: "unknown".to_owned(),
            reason: Some(reason.to_owned()),
            ..Strategy::default()
        });
        match outputs.write(&comparison) {
            Ok(()) => comparison.disagrees().into(),
            Err(failure) => {
                complain(&format!("raddle: {}\n", failure.message));
                failure.status
            }
        }
    });
}

/// Where the comparison is wanted.
#[derive(Clone)]
struct Outputs {
    csv: Option<PathBuf>,
    svg: Option<PathBuf>,
}

impl Outputs {
    fn write(&self, comparison: &Comparison) -> Result<(), Failure> {
        let mut to_stdout = true;
        if let Some(path) = &self.csv {
            if path == Path::new("-") {
                to_stdout = false;
                print(&csv(comparison))?;
            } else {
                write_whole(path, &csv(comparison))?;
            }
        }
        if let Some(path) = &self.svg {
            write_whole(path, &svg(comparison))?;
        }
        if to_stdout {
            let style = match std::io::stdout().is_terminal() {
                true => style(),
                // Whoever reads a pipe has room for every column.
                false => Style {
                    width: 400,
                    colour: false,
                },
            };
            print(&table(comparison, &style))?;
        }
        Ok(())
    }
}
