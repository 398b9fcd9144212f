//! `raddle check`.

use crate::arguments::{Check, Exploring, SearchOrder, StoreKind};
use crate::progress::Progress;
use crate::publish::{Publisher, check_writable, write_whole};
use crate::sources::Sources;
use crate::subject::guarded::{self, Guarded};
use crate::subject::java::{JavaProgram, source_places};
use crate::subject::{ActionOf, StateOf, Subject, SystemOf};
use crate::verdict::judge;
use crate::{Failure, budget, target, watchdog, world};
use kernel::{Property, Reduction, System};
use library::Library;
use machine::system::Java;
use machine::{Start, StepSemantics};
use reduction::{Ample, Assumptions, Combination, Illegal, REDUCTIONS};
use report::TraceFile;
use report::model::{Report, SCHEMA, Violation};
use search::{Effort, Ending, Found, Options, Order, Outcome, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::Visited;

/// How many steps put what is assumed to the test before a search: a few hundredths of a second.
const TRIAL: u64 = 10_000;

/// How long a schedule is made shorter even where no time is left.
const MOMENT: Duration = Duration::from_millis(200);

/// Checks a program; the status tells the verdict.
pub fn check(options: &Check) -> Result<u8, Failure> {
    let begun = Instant::now();
    let mut plan = Plan::new(options)?;
    for (name, path) in [("--html", &options.html), ("--trace", &options.trace)] {
        if path.as_deref() == Some(Path::new("-")) {
            return Err(Failure::input(format!(
                "{name} takes a file: only --json can be written to standard output"
            )));
        }
    }
    let written = [&options.json, &options.html, &options.trace];
    get_ready(written.into_iter().flatten(), &options.how)?;
    let publisher = Publisher {
        begun,
        json: options.json.clone(),
        html: options.html.clone(),
        quiet: options.quiet,
    };
    publisher.agree(plan.blank_report(options));
    plan.publisher = Some(publisher.clone());
    plan.keep_limits();
    let report = plan.examine(options)?.report;
    watchdog::speak();
    if let Some(path) = &options.trace {
        // The schedule is empty where a thread comes to the violation alone, before it has started any other.
        let with_trace = |violation: &&Violation| !violation.trace.rows.is_empty();
        if let Some(violation) = report.violations.iter().find(with_trace) {
            write_whole(path, &trace_file(options, &report.reductions, violation).to_json())?;
        }
    }
    publisher.publish(report)
}

/// Refuses to write two things into one file.
fn refuse_shared_outputs<'p>(mut written: impl Iterator<Item = &'p PathBuf>) -> Result<(), Failure> {
    // A file need not exist yet, but its folder must.
    let file = |path: &PathBuf| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let resolved = absolute.canonicalize().or_else(|_| {
            let folder = absolute.parent().unwrap_or(Path::new("/")).canonicalize()?;
            Ok::<_, std::io::Error>(folder.join(absolute.file_name().unwrap_or_default()))
        });
        resolved.unwrap_or(absolute)
    };
    let mut seen = BTreeSet::new();
    match written.find(|path| !seen.insert(file(path))) {
        None => Ok(()),
        Some(path) => Err(Failure::input(format!(
            "two outputs would be written to {}: give each a file of its own",
            program::input::quoted_path(path)
        ))),
    }
}

/// What comes before anything that may take long: whatever is to be written can be, and is not the program itself.
pub fn get_ready<'p>(written: impl Iterator<Item = &'p PathBuf> + Clone, how: &Exploring) -> Result<(), Failure> {
    let program = Path::new(&how.subject.program);
    refuse_shared_outputs(written.clone())?;
    for path in written {
        if path
            .canonicalize()
            .ok()
            .is_some_and(|path| program.canonicalize().is_ok_and(|program| path == program))
        {
            return Err(Failure::input(format!("{} is the program itself", path.display())));
        }
        if path != Path::new("-") {
            check_writable(path)?;
        }
    }
    Ok(())
}

/// The user's options, checked.
pub struct Plan {
    /// For the search.
    pub options: Options,
    /// Whether violations are told in words, for which schedules are made shorter first.
    pub tells: bool,
    /// Who is told what is known as soon as the search is over, if anybody.
    pub publisher: Option<Publisher>,
    /// What stands before the figures while the search runs.
    pub title: String,
    time: Option<Duration>,
    memory: u64,
    combination: Combination,
}

/// What an exploration came to.
struct Explored<S: Subject> {
    state: StateOf<S>,
    visited: Box<dyn Visited>,
    outcome: Outcome<ActionOf<S>>,
    assumptions: Assumptions,
    restarts: u32,
    time: Duration,
}

/// What there is to say about a program, and what that took.
pub struct Examined {
    /// What there is to say.
    pub report: Report,
    /// Time of the search.
    pub time: Duration,
    /// Memory of the visited store.
    pub bytes: u64,
    /// Whether everything was explored.
    pub complete: bool,
    /// How many assumptions were wrong.
    pub dropped: usize,
}

impl Plan {
    /// Checks the options.
    pub fn new(options: &Check) -> Result<Plan, Failure> {
        let how = &options.how;
        let mut combination = combination(options.reduce.iter().map(String::as_str))?;
        let mut properties = BTreeSet::new();
        for name in &how.property {
            let property = Property::named(name)
                .ok_or_else(|| unknown_name("property", name, Property::ALL.into_iter().map(Property::name)))?;
            properties.insert(property);
        }
        if properties.is_empty() {
            properties.extend(Property::ALL.into_iter().filter(|property| property.is_default()));
        }
        if guarded::is_model(&how.subject.program) {
            properties.remove(&Property::Reachable);
        }
        if how.search == SearchOrder::Random && how.time.is_none() && how.states.is_none() {
            return Err(Failure::input(
                "a random search does not end by itself: give --time or --states",
            ));
        }
        let memory = how.memory.unwrap_or_else(|| available_bytes() / 4 * 3);
        let options = Options {
            order: match how.search {
                SearchOrder::Dfs => Order::Depth,
                SearchOrder::Bfs => Order::Breadth,
                SearchOrder::Random => Order::Random,
            },
            properties,
            all: options.all,
            time: None,
            states: how.states,
            preemptions: options.preemptions,
            seed: options.seed,
            shuffle: options.shuffle,
            trial: TRIAL,
            random_walks: !options.no_hunt,
        };
        let checked = options.check();
        let is_model = guarded::is_model(&how.subject.program);
        let loses_locks = |combination: &Combination| {
            options.properties.contains(&Property::Lock) && !combination.preserves(Property::Lock, !is_model)
        };
        if combination.is_auto() && (loses_locks(&combination) || options.check_reduced(false).is_err()) {
            // Whoever leaves the choice to us gets what there is.
            combination = Combination::named(["base"]).unwrap_or(combination);
        }
        if loses_locks(&combination) {
            return Err(Failure::input(
                "`lock` asks who can still reach a lock that is left behind, and a reduction may leave that moment out: \
                 choose --reduce base, or drop `lock`",
            ));
        }
        let keeper = combination.keeps_with_states();
        let checked = match combination.is_full() {
            true => checked,
            false => checked.and_then(|()| options.check_reduced(keeper.is_some())),
        };
        checked.map_err(|conflict| Failure::input(conflict.to_string()))?;
        if let Some(name) = keeper
            && how.store == StoreKind::Bits
        {
            return Err(Failure::input(format!(
                "`{name}` keeps something with every state, and --store bits does not keep states: choose another store or drop `{name}`",
            )));
        }
        refuse_idle_claims(how, &combination)?;
        Ok(Plan {
            options,
            tells: true,
            publisher: None,
            title: String::new(),
            time: how.time,
            memory,
            combination,
        })
    }

    /// From now on the limits of time and memory hold, whatever is going on.
    pub fn keep_limits(&self) {
        watchdog::limit_time(self.time);
        budget::limit(self.memory);
    }

    /// Explores a program and says what there is to say about it.
    pub fn examine(&self, options: &Check) -> Result<Examined, Failure> {
        if guarded::is_model(&options.how.subject.program) {
            self.examine_model(options)
        } else {
            self.examine_java(options)
        }
    }

    fn examine_model(&self, options: &Check) -> Result<Examined, Failure> {
        guarded::refuse_java_options(options)?;
        let how = &options.how;
        let needs = self.combination.instrumentation();
        let mut subject = Guarded::read(&how.subject.program, needs, how.spurious)?;
        subject.allow_races(&how.allow_race)?;
        if let Some(file) = &how.discipline {
            subject.set_discipline(file)?;
        }
        self.check(&mut subject, options)
    }

    fn examine_java(&self, options: &Check) -> Result<Examined, Failure> {
        let (how, subject) = (&options.how, &options.how.subject);
        let target = target::resolve(&subject.classes, &subject.program, how.entry.as_deref())?;
        let (class_path, entry) = (target.class_path_text.clone(), target.entry.clone());
        let sources = source_places(&options.source, &subject.program, &class_path);
        world::with_shared(target, &Library::exploring(), subject, |shared, main_class| {
            let mut system = Java {
                shared,
                start: Start {
                    class: main_class.to_owned(),
                    entry,
                    arguments: subject.arguments.clone(),
                },
                semantics: StepSemantics {
                    spurious: how.spurious,
                    locks: self.options.properties.contains(&Property::Lock),
                    ..StepSemantics::default()
                },
                allowed: how.allow_race.clone(),
            };
            system.instrument(self.combination.instrumentation());
            let mut subject = JavaProgram {
                system,
                sources: Sources::new(sources),
                class_path,
                discipline: how.discipline.clone(),
            };
            self.check(&mut subject, options)
        })
    }

    /// Explores a subject and says what there is to say about it.
    fn check<S: Subject>(&self, subject: &mut S, options: &Check) -> Result<Examined, Failure> {
        let Explored {
            mut state,
            visited,
            outcome,
            assumptions,
            restarts,
            time,
        } = self.explore(subject, options)?;
        let mut report = self.report(options, &outcome, &*visited);
        let bytes = visited.bytes();
        drop(visited);
        report.restarts = restarts;
        subject.tell_assumptions(&mut state, &assumptions, &mut report);
        if outcome.by_walk {
            // Nothing was left out, so nothing was relied on.
            report.assumed.clear();
            report.notes.push(found_by_walk(outcome.walked.walks));
        }
        if let Some(publisher) = &self.publisher {
            let mut known = report.clone();
            known.violations = outcome.found.iter().map(cut_off).collect();
            publisher.agree(known);
        }
        for found in &outcome.found {
            let told = self.tell(subject, &mut state, found);
            report.violations.push(told.unwrap_or_else(|| untold(found)));
        }
        if let Some(endless) = outcome.endless.as_ref().filter(|_| self.tells) {
            let told = subject.narrate(&mut state, endless);
            report.notes.extend(told.map(|told| never_ends(&told)));
        }
        let all_seen = match &outcome.ending {
            Ending::Complete => true,
            Ending::Stopped(why) => *why == Why::Inexact && options.how.store == StoreKind::Fingerprint,
        };
        if self.looks_for(Property::Reachable) && all_seen {
            report.violations.extend(subject.unreached(&mut state, &outcome));
        }
        let races = self.looks_for(Property::Race);
        let consistency = subject.consistency(races);
        judge(&mut report, &outcome, self, options, consistency);
        subject.remark(&mut state, &outcome, options, &mut report);
        if self.tells
            && report.verdict == "unknown"
            && matches!(
                outcome.ending,
                Ending::Stopped(Why::Time | Why::Memory | Why::States | Why::Interrupted | Why::Full)
            )
        {
            report.notes.extend(subject.growing(&mut state));
        }
        Ok(Examined {
            report,
            time,
            bytes,
            complete: all_seen,
            dropped: assumptions.refuted().len(),
        })
    }

    fn looks_for(&self, property: Property) -> bool {
        self.options.properties.contains(&property)
    }

    /// A violation in words, or at least its name. Its schedule is made shorter as long as the user's time allows, or a moment at least.
    fn tell<S: Subject>(
        &self,
        subject: &mut S,
        state: &mut StateOf<S>,
        found: &Found<ActionOf<S>>,
    ) -> Option<Violation> {
        if !self.tells {
            return Some(Violation {
                property: found.flaw.property.name().to_owned(),
                ..Violation::default()
            });
        }
        let mut effort = Effort {
            stopped: watchdog::is_interrupted,
            ..Effort::default()
        };
        if let Some(left) = watchdog::time_left() {
            effort.time = effort.time.min(left.max(MOMENT));
        }
        let short = search::minimise(subject.system(), state, found, &effort);
        subject.narrate(state, &short)
    }

    /// Explores a subject, until it is content with the step semantics. Time and restarts are those of all attempts.
    fn explore<S: Subject>(&self, subject: &mut S, options: &Check) -> Result<Explored<S>, Failure> {
        let (mut restarts, mut time) = (0, Duration::ZERO);
        loop {
            let mut state = subject.start()?;
            let mut visited: Box<dyn Visited> = match options.how.store {
                StoreKind::Exact => Box::new(store::Exact::new()),
                StoreKind::Fingerprint => Box::new(store::Fingerprint::new()),
                StoreKind::Bits => Box::new(store::Bits::new(budget::left() / 2)),
            };
            let limits = Options {
                time: watchdog::time_left(),
                ..self.options.clone()
            };
            let assumptions = subject.assumptions(&mut state, options)?;
            let mut ample = self.combination.make::<SystemOf<S>>(assumptions);
            let reduction = ample.as_mut().map(|ample| ample as &mut dyn Reduction<SystemOf<S>>);
            let (system, has_news) = (subject.system(), || subject.has_news());
            let mut watch = Progress::new(options.quiet, limits.time, self.memory, &self.title, &has_news);
            let outcome = search::explore(system, &mut state, &mut *visited, &limits, reduction, &mut watch);
            let outcome = outcome.map_err(|conflict| Failure::input(conflict.to_string()))?;
            watch.finish();
            time += outcome.figures.elapsed;
            // What was stopped by a limit or by a violation is not done again.
            let is_over = match &outcome.ending {
                Ending::Complete => false,
                Ending::Stopped(why) => {
                    !matches!(why, Why::Inexact | Why::Preemptions | Why::Unsupported(_) | Why::Again)
                }
            };
            if is_over || !subject.begins_again() {
                return Ok(Explored {
                    state,
                    visited,
                    assumptions: ample.map(Ample::into_assumptions).unwrap_or_default(),
                    // What an attempt that was given up went through does not count.
                    restarts: restarts + outcome.restarts,
                    outcome,
                    time,
                });
            }
            restarts += 1;
        }
    }

    fn report<A>(&self, options: &Check, outcome: &Outcome<A>, visited: &dyn Visited) -> Report {
        let figures = &outcome.figures;
        let mut report = self.blank_report(options);
        if outcome.by_walk {
            report.search = "walk".to_owned();
        }
        Report {
            states: figures.states,
            transitions: figures.transitions,
            end_states: outcome.finals,
            walks: outcome.walked.walks,
            walk_steps: outcome.walked.steps,
            max_depth: figures.max_depth,
            threads: figures.threads.into(),
            bytes_per_state: visited.bytes() as f64 / (visited.len().max(1)) as f64,
            collision_probability: visited.collision_probability(),
            ..report
        }
    }

    /// A report before anything was explored.
    fn blank_report(&self, options: &Check) -> Report {
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: options.how.subject.program.clone(),
            reductions: self.combination.names().into_iter().map(str::to_owned).collect(),
            properties: self
                .options
                .properties
                .iter()
                .map(|property| property.name().to_owned())
                .collect(),
            search: name_of(&options.how.search),
            store: name_of(&options.how.store),
            ..Report::default()
        }
    }
}

/// What is left to say of a violation where there is no time to tell how it comes about.
fn cut_off<A>(found: &Found<A>) -> Violation {
    let property = found.flaw.property.name();
    Violation {
        property: property.to_owned(),
        message: format!("{property}: found, but there was no time to tell how it comes about"),
        ..Violation::default()
    }
}

/// What is left to say of a violation whose schedule cannot be followed, which is a mistake of ours: that there is one.
fn untold<A>(found: &Found<A>) -> Violation {
    let property = found.flaw.property.name();
    Violation {
        property: property.to_owned(),
        message: format!(
            "{property}: found, but not again on the way to it, which is a defect of Raddle; --search dfs may tell more"
        ),
        ..Violation::default()
    }
}

/// A livelock as a note, where nobody has asked for livelocks.
fn never_ends(told: &Violation) -> String {
    let what = told.message.strip_prefix("livelock: ").unwrap_or(&told.message);
    let place = match told.line {
        0 => String::new(),
        line => format!(" ({}:{line})", told.file),
    };
    format!("some executions never end: {what}{place}; --property livelock shows one")
}

/// How a violation was found without a search.
fn found_by_walk(walks: u64) -> String {
    let which = match walks {
        1 => "the first random walk".to_owned(),
        _ => format!("the last of {walks} random walks"),
    };
    format!("{which} through the program came past this, so no search was needed; the figures are those of the walks")
}

fn name_of(value: &impl clap::ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

fn unknown_name(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Failure {
    let known: Vec<&str> = known.collect();
    let likeness = |other: &&&str| (strsim::jaro(name, other) * 1000.0) as u32;
    let meant = known.iter().max_by_key(likeness).filter(|other| likeness(other) > 700);
    let hint = meant.map_or(String::new(), |other| format!("; did you mean `{other}`?"));
    Failure::input(format!(
        "there is no {kind} `{name}`{hint}\nthere are {}",
        known.join(", ")
    ))
}

/// The combination with these names.
fn combination<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Combination, Failure> {
    Combination::named(names).map_err(|illegal| match illegal {
        Illegal::Unknown(name) => unknown_name("reduction", &name, REDUCTIONS.iter().map(|entry| entry.name)),
        other => Failure::input(other.to_string()),
    })
}

/// Refuses to be told what nobody would ask about.
fn refuse_idle_claims(how: &Exploring, combination: &Combination) -> Result<(), Failure> {
    let names = combination.names().join(",");
    let told = [
        ("--self-locking", !how.self_locking.is_empty()),
        ("--discipline", how.discipline.is_some()),
    ];
    let idle = told.iter().find(|(option, told)| *told && !combination.hears(option));
    if let Some(&(option, _)) = idle {
        let hears = REDUCTIONS.iter().find(|description| description.hears == Some(option));
        return Err(Failure::input(format!(
            "{option} tells something to the reduction `{}`, which --reduce {names} does not have",
            hears.map_or("", |description| description.name)
        )));
    }
    if !how.shared.is_empty() && combination.is_full() {
        return Err(Failure::input(format!(
            "--shared takes something away from what reductions assume, and --reduce {names} assumes nothing"
        )));
    }
    Ok(())
}

/// What a replay needs. The reductions are those that were used, which are not always those that were asked for.
fn trace_file(options: &Check, reductions: &[String], violation: &Violation) -> TraceFile {
    let (how, subject) = (&options.how, &options.how.subject);
    let mut kept = BTreeMap::new();
    kept.insert("reduce".to_owned(), reductions.join(","));
    if !violation.learned.is_empty() {
        kept.insert("learned".to_owned(), violation.learned.join(","));
    }
    if how.spurious {
        kept.insert("spurious".to_owned(), "true".to_owned());
    }
    if !subject.define.is_empty() {
        kept.insert("define".to_owned(), subject.define.join("\n"));
    }
    if !guarded::is_model(&subject.program) {
        kept.insert("heap".to_owned(), subject.heap.to_string());
        kept.insert("stack".to_owned(), subject.stack.to_string());
    }
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
        entry: how.entry.clone(),
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
