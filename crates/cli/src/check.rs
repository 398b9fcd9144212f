//! `raddle check`.

use crate::arguments::{Check, SearchOrder, StoreKind};
use crate::narrate::narrate;
use crate::progress::{self, Progress};
use crate::publish::publish;
use crate::remarks::{habits, interrupted_blocks, random_numbers, unreached, weak_accesses};
use crate::sources::Sources;
use crate::verdict::judge;
use crate::{Failure, growth, target, world};
use kernel::Property;
use library::Library;
use machine::system::{Action, Java};
use machine::{Machine, Manner, Shared, Start};
use report::TraceFile;
use report::model::{Report, SCHEMA, Violation};
use search::{Effort, Ending, Options, Order, Outcome, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;
use store::Visited;

/// The reductions and what each is, in a line.
pub const REDUCTIONS: [(&str, &str); 2] = [
    ("none", "every instruction is a step: for comparisons and for tests"),
    (
        "base",
        "a step is one access to heap, statics, monitors or threads, and all local work after it",
    ),
];

/// Checks a program; the status tells the verdict.
pub fn check(options: &Check) -> Result<u8, Failure> {
    let begun = Instant::now();
    let subject = &options.subject;
    let plan = Plan::new(options)?;
    let target = target::resolve(&subject.classes, &subject.program, options.entry.as_deref())?;
    let class_path = target.class_path_text.clone();
    let sources = source_places(&options.source, &subject.program, &class_path);
    progress::listen();
    for path in [&options.json, &options.html, &options.trace].into_iter().flatten() {
        // Whoever cannot write the answer down should not work for hours first.
        if path != Path::new("-") {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))?;
        }
    }
    let report = world::with_shared(target, &Library::exploring(), subject, |shared, main_class| {
        let (system, mut machine, visited, outcome) = plan.explore(shared, main_class, options, &class_path)?;
        let mut report = plan.report(options, &outcome, &*visited);
        drop(visited);
        let mut sources = Sources::new(sources);
        for found in &outcome.found {
            let short = search::minimise(&system, &mut machine, found, &Effort::default());
            report
                .violations
                .extend(narrate(&system, &mut machine, &short, &mut sources));
        }
        let all_seen = match &outcome.ending {
            Ending::Complete => true,
            Ending::Stopped(why) => *why == Why::Inexact && options.store == StoreKind::Fingerprint,
        };
        if plan.options.properties.contains(&Property::Reachable) && all_seen {
            report.violations.extend(unreached(&machine, &outcome, &mut sources));
        }
        judge(&mut report, &outcome, &plan, options);
        report.notes.extend(interrupted_blocks(&machine, &outcome));
        report.rests_on.extend(weak_accesses(&machine));
        report.rests_on.extend(random_numbers(&machine));
        report.rests_on.extend(habits(&machine, options));
        if matches!(
            outcome.ending,
            Ending::Stopped(Why::Time | Why::Memory | Why::States | Why::Interrupted | Why::Full)
        ) && report.verdict == "unknown"
            && let Some(what) = growth::growing(&system, &mut machine)
        {
            report.notes.push(what);
        }
        report.seconds = begun.elapsed().as_secs_f64();
        report.peak_bytes = peak_bytes();
        Ok(report)
    })?;
    let with_trace = |violation: &&Violation| !violation.trace.schedule.is_empty();
    if let (Some(path), Some(violation)) = (&options.trace, report.violations.iter().find(with_trace)) {
        trace_file(options, violation).write(path).map_err(Failure::input)?;
    }
    publish(&report, options.json.as_deref(), options.html.as_deref(), options.quiet)
}

/// The user's options, checked.
pub struct Plan {
    /// For the search.
    pub options: Options,
    manner: Manner,
    memory: u64,
}

impl Plan {
    fn new(options: &Check) -> Result<Plan, Failure> {
        for name in &options.reduce {
            if !REDUCTIONS.iter().any(|(known, _)| known == name) {
                return Err(unknown_name(
                    "reduction",
                    name,
                    REDUCTIONS.iter().map(|(known, _)| *known),
                ));
            }
        }
        let none = options.reduce.iter().any(|name| name == "none");
        if none && options.reduce.len() > 1 {
            return Err(Failure::input("--reduce none goes with no other reduction: choose one"));
        }
        let mut properties = BTreeSet::new();
        for name in &options.property {
            let property = Property::named(name)
                .ok_or_else(|| unknown_name("property", name, Property::ALL.into_iter().map(Property::name)))?;
            properties.insert(property);
        }
        if properties.is_empty() {
            properties.extend(Property::ALL.into_iter().filter(|property| property.is_default()));
        }
        if options.search == SearchOrder::Random && options.time.is_none() && options.states.is_none() {
            return Err(Failure::input(
                "a random search does not end by itself: give --time or --states",
            ));
        }
        let memory = options.memory.unwrap_or_else(|| available_bytes() / 4 * 3);
        let manner = Manner {
            every: none,
            spurious: options.spurious,
            locks: properties.contains(&Property::Lock),
            prints: false,
        };
        let options = Options {
            order: match options.search {
                SearchOrder::Dfs => Order::Depth,
                SearchOrder::Bfs => Order::Breadth,
                SearchOrder::Random => Order::Random,
            },
            properties,
            all: options.all,
            time: options.time,
            memory: Some(memory),
            states: options.states,
            preemptions: options.preemptions,
            seed: options.seed,
            shuffle: options.shuffle,
        };
        options
            .check()
            .map_err(|conflict| Failure::input(conflict.to_string()))?;
        Ok(Plan {
            options,
            manner,
            memory,
        })
    }

    /// Explores the program; once more, with printing as the JDK does it, if that turns out to matter.
    #[allow(clippy::type_complexity)] // used once
    fn explore<'p>(
        &self,
        shared: &'p Shared<'p>,
        main_class: &str,
        options: &Check,
        class_path: &str,
    ) -> Result<(Java<'p>, Machine<'p>, Box<dyn Visited>, Outcome<Action>), Failure> {
        let mut system = self.system(shared, main_class, options);
        loop {
            let mut machine = system
                .machine()
                .map_err(|error| world::launch_failure(error, class_path))?;
            let mut visited: Box<dyn Visited> = match options.store {
                StoreKind::Exact => Box::new(store::Exact::new()),
                StoreKind::Fingerprint => Box::new(store::Fingerprint::new()),
                StoreKind::Bits => Box::new(store::Bits::new(self.memory / 2)),
            };
            let mut watch = Progress::new(options.quiet, options.time, self.memory);
            let outcome = search::explore(&system, &mut machine, &mut *visited, &self.options, &mut watch);
            let outcome = outcome.map_err(|conflict| Failure::input(conflict.to_string()))?;
            watch.finish();
            // SOUNDNESS: printing is left out of the interleavings only as long as nobody could tell.
            let matters = shared.console_matters.load(Ordering::Relaxed);
            if !matters || system.manner.prints || !outcome.found.is_empty() {
                return Ok((system, machine, visited, outcome));
            }
            system.manner.prints = true;
        }
    }

    fn system<'p>(&self, shared: &'p Shared<'p>, main_class: &str, options: &Check) -> Java<'p> {
        Java {
            shared,
            start: Start {
                class: main_class.to_owned(),
                entry: options.entry.clone(),
                arguments: options.subject.arguments.clone(),
            },
            manner: self.manner,
            allowed: options.allow_race.clone(),
        }
    }

    fn report(&self, options: &Check, outcome: &Outcome<Action>, visited: &dyn Visited) -> Report {
        let figures = &outcome.figures;
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: options.subject.program.clone(),
            reductions: options.reduce.clone(),
            properties: self
                .options
                .properties
                .iter()
                .map(|property| property.name().to_owned())
                .collect(),
            search: name_of(&options.search),
            store: name_of(&options.store),
            states: figures.states,
            transitions: figures.transitions,
            end_states: outcome.finals,
            max_depth: figures.max_depth,
            threads: figures.threads.into(),
            bytes_per_state: visited.bytes() as f64 / (visited.len().max(1)) as f64,
            collision_probability: visited.collision_probability(),
            ..Report::default()
        }
    }
}

fn name_of(value: &impl clap::ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

fn unknown_name(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Failure {
    let known: Vec<&str> = known.collect();
    Failure::input(format!("there is no {kind} `{name}`; there are {}", known.join(", ")))
}

/// Where the sources of a program may be.
pub fn source_places(named: &[PathBuf], program: &str, class_path: &str) -> Vec<PathBuf> {
    let mut places = named.to_vec();
    let path = Path::new(program);
    if path.extension().is_some_and(|extension| extension == "java") {
        places.push(path.to_path_buf());
        places.extend(path.parent().map(Path::to_path_buf));
    }
    for entry in class_path.split(':').filter(|entry| !entry.is_empty()) {
        let entry = PathBuf::from(entry);
        if entry.is_dir() {
            places.push(entry);
        } else {
            places.extend(entry.parent().map(Path::to_path_buf));
        }
    }
    places.push(PathBuf::from("."));
    places
}

fn trace_file(options: &Check, violation: &Violation) -> TraceFile {
    let subject = &options.subject;
    let mut kept = BTreeMap::new();
    kept.insert("reduce".to_owned(), options.reduce.join(","));
    if violation.prints {
        kept.insert("prints".to_owned(), "true".to_owned());
    }
    if options.spurious {
        kept.insert("spurious".to_owned(), "true".to_owned());
    }
    if !subject.define.is_empty() {
        kept.insert("define".to_owned(), subject.define.join("\n"));
    }
    kept.insert("heap".to_owned(), subject.heap.to_string());
    kept.insert("stack".to_owned(), subject.stack.to_string());
    if let Some(start) = violation.trace.loop_start {
        let steps: usize = violation.trace.rows[..start.min(violation.trace.rows.len())]
            .iter()
            .map(|row| row.steps)
            .sum();
        kept.insert("loop".to_owned(), steps.to_string());
    }
    TraceFile {
        schema: report::json::TRACE_SCHEMA,
        program: subject.program.clone(),
        class_path: subject.classes.class_path.clone(),
        entry: options.entry.clone(),
        arguments: subject.arguments.clone(),
        options: kept,
        property: violation.property.clone(),
        message: violation.message.clone(),
        schedule: violation.trace.schedule.clone(),
    }
}

/// Memory that is free, in bytes; 4 GB where the system does not say.
fn available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(4 << 30, |kilobytes| kilobytes * 1024)
}

/// The most memory that the process has held, in bytes; 0 where the system does not say.
pub fn peak_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
