//! A check: options become parts, the parts explore, and what they find becomes a report.

use crate::deepening::{Bounded, Deepening};
use crate::observer::{Observer, Watch};
use crate::options::{Check, Exploring, StoreKind, order_name};
use crate::sources::Sources;
use crate::subject::guarded::{self, Guarded};
use crate::subject::java::{JavaProgram, source_places};
use crate::subject::{ActionOf, StateOf, Subject, SystemOf};
use crate::temporal::{self, Prepared, Wanted};
use crate::verdict::judge;
use crate::{Failure, budget, limits, operations, target, world};
use kernel::{Assumptions, Instrumentation, Instrumented, Property, Reduction};
use library::Library;
use machine::system::Java;
use machine::{Start, StepSemantics};
use reduction::{Ample, Combination, REDUCTIONS};
use report::model::{Report, SCHEMA, Verdict, Violation};
use search::{Effort, Ending, Found, Options, Order, Outcome, Why};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::StateTable;

/// How many steps put what is assumed to the test before a search: a few hundredths of a second.
const TRIAL: u64 = 10_000;

/// How long a schedule is made shorter even where no time is left.
const MOMENT: Duration = Duration::from_millis(200);

/// Checks a program: makes a [`Plan`] and examines it. The limits of time and memory are those of the process, so checks take turns;
/// they are lifted afterwards.
pub fn check(options: Check, observer: &mut dyn Observer) -> Result<Report, Failure> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let examined = Plan::new(options)?.examine(observer);
    limits::lift();
    Ok(examined?.report)
}

/// The user's options, checked.
#[derive(Clone)]
pub struct Plan {
    /// As they were given.
    pub(crate) given: Check,
    /// For the search.
    pub(crate) options: Options,
    /// Whether violations are told in words, for which schedules are made shorter first.
    pub(crate) tells: bool,
    pub(crate) memory: u64,
    pub(crate) combination: Combination,
    /// What is to hold besides.
    pub(crate) formulas: Vec<Wanted>,
}

/// What an exploration came to.
struct Explored<S: Subject> {
    state: StateOf<S>,
    visited: Box<dyn StateTable>,
    outcome: Outcome<ActionOf<S>>,
    /// What is known of schedules with few preemptions, if not of all.
    few: Option<Bounded>,
    assumptions: Assumptions,
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
    pub fn new(given: Check) -> Result<Plan, Failure> {
        let how = &given.how;
        let mut combination = given.reductions.clone();
        let mut properties = how.properties.clone();
        if properties.is_empty() {
            properties.extend(Property::defaults());
        }
        if guarded::is_model(&how.subject.program) {
            properties.remove(&Property::REACHABLE);
        }
        if how.search == Order::Random && how.time.is_none() && how.states.is_none() {
            return Err(Failure::input(
                "a random search does not end by itself: give --time or --states",
            ));
        }
        let memory = how.memory.unwrap_or_else(usual_memory);
        let options = Options {
            order: how.search,
            properties,
            all: given.all,
            time: None,
            states: how.states,
            preemptions: given.preemptions,
            seed: given.seed,
            shuffle: given.shuffle,
            trial: TRIAL,
            random_walks: given.random_walks,
            beside: false,
        };
        let checked = options.check();
        let is_model = guarded::is_model(&how.subject.program);
        let loses_locks = |combination: &Combination| {
            options.properties.contains(&Property::LOCK) && !combination.preserves(Property::LOCK, !is_model)
        };
        if combination.is_auto() && (loses_locks(&combination) || options.check_reduced(false).is_err()) {
            // Whoever leaves the choice to us gets what there is.
            combination = Combination::base();
        }
        if options.preemptions.is_some() && !combination.is_full() {
            combination = combination
                .bounded()
                .map_err(|illegal| Failure::input(illegal.to_string()))?;
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
        if combination.is_finest() && !how.operation.is_empty() {
            return Err(Failure::input(
                "--operation takes many instructions as one step, and --reduce none takes each as a step of its own: choose --reduce base",
            ));
        }
        refuse_idle_claims(how, &combination)?;
        let formulas = temporal::read(&given)?;
        Ok(Plan {
            given,
            options,
            tells: true,
            memory,
            combination,
            formulas,
        })
    }

    /// Explores the program and says what there is to say about it. The limits of time and memory begin to hold, whatever is going
    /// on, and hold until they are lifted or another check begins.
    pub fn examine(&self, observer: &mut dyn Observer) -> Result<Examined, Failure> {
        let begun = Instant::now();
        limits::limit_time(self.given.how.time);
        budget::limit(self.memory);
        let mut examined = if guarded::is_model(&self.given.how.subject.program) {
            self.examine_model(observer)?
        } else {
            self.examine_java(observer)?
        };
        examined.report.seconds = begun.elapsed().as_secs_f64();
        examined.report.peak_bytes = budget::peak();
        Ok(examined)
    }

    fn examine_model(&self, observer: &mut dyn Observer) -> Result<Examined, Failure> {
        guarded::refuse_java_options(&self.given)?;
        let how = &self.given.how;
        let needs = self.combination.instrumentation();
        let mut subject = Guarded::read(&how.subject.program, needs, how.spurious)?;
        subject.allow_races(&how.allow_race)?;
        if let Some(file) = &how.discipline {
            subject.set_discipline(file)?;
        }
        let prepared = match self.formulas.is_empty() {
            true => None,
            false => {
                let fine = Guarded::read(&how.subject.program, Instrumentation::EVERY_STEP, how.spurious)?;
                Some(Prepared::new(fine, &self.formulas)?)
            }
        };
        self.check(&mut subject, prepared, observer)
    }

    fn examine_java(&self, observer: &mut dyn Observer) -> Result<Examined, Failure> {
        let (how, subject) = (&self.given.how, &self.given.how.subject);
        let target = target::resolve(&subject.classes, &subject.program, how.entry.as_deref(), observer)?;
        let (class_path, entry) = (target.class_path_text.clone(), target.entry.clone());
        let sources = source_places(&self.given.source, &subject.program, &class_path);
        let operations = operations::read(how.library, &target.jdk, how.certificates.as_deref(), &how.operation)?;
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
                    locks: self.options.properties.contains(&Property::LOCK),
                    ..StepSemantics::default()
                },
                alone: true,
                allowed: how.allow_race.clone(),
                operations: operations.table.clone(),
            };
            system.instrument(self.combination.instrumentation());
            let prepared = match self.formulas.is_empty() {
                true => None,
                false => {
                    let fine = JavaProgram {
                        system: self.fine(&system),
                        sources: Sources::new(sources.clone()),
                        class_path: class_path.clone(),
                        discipline: None,
                        operations: operations.clone(),
                    };
                    Some(Prepared::new(fine, &self.formulas)?)
                }
            };
            let mut subject = JavaProgram {
                system,
                sources: Sources::new(sources),
                class_path,
                discipline: how.discipline.clone(),
                operations,
            };
            self.check(&mut subject, prepared, observer)
        })
    }

    /// Explores a subject and says what there is to say about it.
    fn check<S: Subject>(
        &self,
        subject: &mut S,
        prepared: Option<Prepared<S>>,
        observer: &mut dyn Observer,
    ) -> Result<Examined, Failure> {
        let options = &self.given;
        let Explored {
            mut state,
            visited,
            mut outcome,
            few,
            assumptions,
        } = self.explore(subject, observer)?;
        let mut report = self.report(&outcome, &*visited);
        let bytes = bytes_held(&outcome, &*visited);
        drop(visited);
        report.restarts = outcome.restarts;
        subject.tell_assumptions(&mut state, &assumptions, &mut report);
        if outcome.by_walk {
            // Nothing was left out, so nothing was relied on.
            report.assumed.clear();
            report.notes.push(found_by_walk(outcome.walked.walks));
        }
        observer.knows(&Report {
            violations: outcome.found.iter().map(cut_off).collect(),
            ..report.clone()
        });
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
        if self.looks_for(Property::REACHABLE) && all_seen {
            report.violations.extend(subject.unreached(&mut state, &outcome));
        }
        if let Some(prepared) = prepared {
            let is_first = options.all || report.violations.is_empty();
            match is_first
                && !matches!(
                    outcome.ending,
                    Ending::Stopped(Why::Time | Why::Memory | Why::Interrupted)
                ) {
                true => {
                    let decided = self.check_formulas(prepared, &mut report, observer);
                    outcome.unsupported.extend(decided.unsupported);
                    if all_seen && decided.ending != Ending::Complete {
                        outcome.ending = decided.ending;
                    }
                }
                false => report.notes.push("formulas were not decided".to_owned()),
            }
        }
        let races = self.looks_for(Property::RACE);
        let consistency = subject.consistency(races);
        judge(&mut report, &outcome, options, consistency);
        if let Some(few) = few.filter(|_| report.verdict == Verdict::Unknown && outcome.unsupported.is_empty()) {
            (report.preemptions, report.known) = (Some(few.held), Some(few.to_string()));
        }
        if report.verdict == Verdict::Holds {
            report.rests_on.extend(self.fairness_line());
        }
        subject.remark(&mut state, &outcome, options, &mut report);
        if self.tells
            && report.verdict == Verdict::Unknown
            && matches!(
                outcome.ending,
                Ending::Stopped(Why::Time | Why::Memory | Why::States | Why::Interrupted | Why::Full)
            )
        {
            report.notes.extend(subject.growing(&mut state));
        }
        Ok(Examined {
            report,
            time: outcome.figures.elapsed,
            bytes,
            complete: all_seen,
            dropped: assumptions.refuted().len(),
        })
    }

    /// What goes with a bound on preemptions, if searches with such bounds are of use beside the exhaustive one.
    fn deepens(&self) -> Option<Combination> {
        let how = &self.given.how;
        let is_plain = self.combination.is_auto()
            && how.search == Order::Depth
            && how.store == StoreKind::Exact
            && !self.options.all
            && self.options.preemptions.is_none();
        is_plain.then(|| self.combination.bounded().ok())?
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
            stopped: limits::is_interrupted,
            ..Effort::default()
        };
        if let Some(left) = limits::time_left() {
            effort.time = effort.time.min(left.max(MOMENT));
        }
        let short = search::minimise(subject.system(), state, found, &effort);
        subject.narrate(state, &short)
    }

    /// Explores a subject.
    fn explore<S: Subject>(&self, subject: &S, observer: &mut dyn Observer) -> Result<Explored<S>, Failure> {
        let options = &self.given;
        let mut state = subject.start()?;
        let mut visited: Box<dyn StateTable> = match options.how.store {
            StoreKind::Exact => Box::new(store::Exact::new()),
            StoreKind::Fingerprint => Box::new(store::Fingerprint::new()),
            StoreKind::Bits => Box::new(store::Bits::new(budget::left() / 2)),
        };
        let bounded = Options {
            time: limits::time_left(),
            ..self.options.clone()
        };
        let assumptions = subject.assumptions(&mut state, options)?;
        let claims = assumptions.clone();
        let mut ample = self.combination.make::<SystemOf<S>>(assumptions);
        let reduction = ample.as_mut().map(|ample| ample as &mut dyn Reduction<SystemOf<S>>);
        observer.begins(bounded.time, self.memory);
        let watch = Watch(&mut *observer);
        let start = || subject.start().ok();
        let explore = |observer: &mut dyn search::Observer| {
            let outcome = search::explore(
                subject.system(),
                &mut state,
                &mut *visited,
                &bounded,
                reduction,
                observer,
            );
            outcome.map_err(|conflict| Failure::input(conflict.to_string()))
        };
        let (outcome, few) = match self.deepens() {
            Some(combination) => {
                let mut deepening = Deepening::new(subject.system(), &start, &bounded, combination, claims, watch);
                let outcome = explore(&mut deepening)?;
                deepening.finish(outcome)
            }
            None => (explore(&mut { watch })?, None),
        };
        observer.ends();
        Ok(Explored {
            state,
            visited,
            outcome,
            few,
            assumptions: ample.map(Ample::into_assumptions).unwrap_or_default(),
        })
    }

    fn report<A>(&self, outcome: &Outcome<A>, visited: &dyn StateTable) -> Report {
        let figures = &outcome.figures;
        let mut report = self.blank_report();
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
            bytes_per_state: bytes_held(outcome, visited) as f64 / (visited.len().max(1)) as f64,
            collision_probability: visited.collision_probability(),
            ..report
        }
    }

    /// A report before anything was explored.
    pub fn blank_report(&self) -> Report {
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: self.given.how.subject.program.clone(),
            reductions: self.combination.names().into_iter().map(str::to_owned).collect(),
            properties: self
                .options
                .properties
                .iter()
                .map(|property| property.name().to_owned())
                .chain(self.formula_names())
                .collect(),
            search: order_name(self.given.how.search).to_owned(),
            store: self.given.how.store.name().to_owned(),
            ..Report::default()
        }
    }
}

/// The memory of the visited states, with what the search itself remembered of them.
fn bytes_held<A>(outcome: &Outcome<A>, visited: &dyn StateTable) -> u64 {
    outcome.figures.store_bytes.max(visited.bytes())
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
    format!("found by random walk {walks}, before the exhaustive search")
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

/// What the process may hold where nothing is said: three quarters of what is free.
pub fn usual_memory() -> u64 {
    available_bytes() / 4 * 3
}

/// Memory that is free, in bytes; 4 GB where the system does not say.
fn available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(4 << 30, |kilobytes| kilobytes * 1024)
}
