//! Whether the methods of a class take effect at once: scenarios are made, explored, and told of.

pub(crate) mod class;
pub(crate) mod engine;
mod retell;

pub use ::linearize::{Call, Choice, History, Method, Scenario, Subject, Wanted, callable, choose};
pub use engine::{Engine, Examined, Judgement};

use crate::observer::Observer;
use crate::options::Classes;
use crate::target::{self, Target};
use crate::{Failure, budget, limits, operations};
use ::linearize::{MOST_CALLS, MOST_THREADS};
use class::Known;
use machine::Operations;
use program::input::quoted;
use reduction::Combination;
use report::model::{Report, SCHEMA, Verdict, Violation};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What every verdict rests on.
const RESTS_ON: [&str; 2] = [
    "sequential consistency: data races inside of the class are not looked for",
    "calls that run for ever are noticed where the search comes past them, and not looked for",
];

/// What is asked.
#[derive(Clone, Debug)]
pub struct Linearize {
    /// Where classes come from.
    pub classes: Classes,
    /// A .java file, or the name of a class on the class path or of the JDK.
    pub class: String,
    /// A constructor with its arguments.
    pub new: Option<String>,
    /// The methods to call; all that can be expected to be right if there are none.
    pub methods: Vec<String>,
    /// What is called first, with commas between the calls.
    pub init: Option<String>,
    /// A class that says what calls may come to: a .java file or a name.
    pub against: Option<String>,
    /// The calls of each thread, with `|` between threads and commas between calls: these scenarios, and no others.
    pub given: Vec<String>,
    /// How many threads at most.
    pub threads: usize,
    /// How many calls each at most.
    pub calls: usize,
    /// How many scenarios at most.
    pub scenarios: usize,
    /// Where choices come from.
    pub seed: u64,
    /// Whether threads also interrupt each other.
    pub interrupts: bool,
    /// Whether the interrupt status and the permit to park that calls leave behind are compared, too.
    pub flags: bool,
    /// Methods that take effect at once by the user's word.
    pub operation: Vec<String>,
    /// The most states of one search.
    pub states: u64,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Stop before the process holds more bytes than this.
    pub memory: Option<u64>,
}

impl Linearize {
    /// A class, with all else as it is when nothing is said.
    pub fn new(class: impl Into<String>) -> Linearize {
        Linearize {
            classes: Classes::default(),
            class: class.into(),
            new: None,
            methods: Vec::new(),
            init: None,
            against: None,
            given: Vec::new(),
            threads: 2,
            calls: 2,
            scenarios: 400,
            seed: 0,
            interrupts: false,
            flags: false,
            operation: Vec::new(),
            states: 1_000_000,
            time: None,
            memory: None,
        }
    }

    /// A report before anything was explored.
    pub fn blank_report(&self) -> Report {
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: self.class.clone(),
            reductions: vec!["auto".to_owned()],
            properties: vec!["linearizable".to_owned()],
            search: "dfs".to_owned(),
            store: "exact".to_owned(),
            ..Report::default()
        }
    }

    /// Explores scenarios until one breaks the property, and says what there is to say.
    pub fn examine(&self, observer: &mut dyn Observer) -> Result<Report, Failure> {
        let begun = Instant::now();
        limits::limit_time(self.time);
        let memory = self.memory.unwrap_or_else(crate::check::usual_memory);
        budget::limit(memory);
        // How far one search is says little about the time that is left for all.
        observer.begins(None, memory);
        let report = self.report(observer);
        observer.ends();
        let mut report = report?;
        report.seconds = begun.elapsed().as_secs_f64();
        report.peak_bytes = budget::peak();
        Ok(report)
    }

    fn report(&self, observer: &mut dyn Observer) -> Result<Report, Failure> {
        let target = self.target(&self.class, observer)?;
        let Known { subject, methods } = class::read(&target, &self.class, self.new.as_deref(), &self.methods)?;
        let mut class_path = target.class_path_text.clone();
        let reference = match &self.against {
            None => None,
            Some(against) => {
                let other = self.target(against, observer)?;
                class_path = format!("{class_path}:{}", other.class_path_text);
                let names: Vec<String> = methods.iter().map(|method| method.name.clone()).collect();
                Some(class::read(&other, against, self.new.as_deref(), &names)?.subject)
            }
        };
        let chosen = match self.given.is_empty() {
            true => choose(&methods, &self.wanted()),
            false => self.given_scenarios(&methods)?,
        };
        if chosen.scenarios.is_empty() {
            let names: Vec<String> = chosen.left_out.iter().map(|method| method.signature()).collect();
            return Err(Failure::input(format!(
                "no arguments are known for {}",
                names.join(", ")
            )));
        }
        let engine = Engine {
            jdk: &target.jdk,
            class_path: &class_path,
            subject: &subject,
            reference: reference.as_ref(),
            below: Operations::new(self.operation.iter().map(String::as_str)).map_err(|pattern| {
                Failure::input(format!("{pattern} is no pattern for methods: write Class.method"))
            })?,
            inside: None,
            flags: self.flags,
            permits: self.flags,
            reductions: Combination::auto(),
            states: self.states,
            walk: 0,
            sources: self.sources(),
        };
        let mut seen = Seen::default();
        engine.examine(&chosen.scenarios, observer, &mut |position, examined| {
            seen.add(&chosen.scenarios[position], examined);
            seen.found.is_none() && !limits::is_over()
        })?;
        if let Some((scenario, _)) = seen.found.clone() {
            observer.knows(&self.tell(&seen, &chosen));
            seen.shrink(&engine, scenario, observer)?;
        }
        Ok(self.tell(&seen, &chosen))
    }

    /// The scenarios that are given.
    fn given_scenarios(&self, methods: &[Method]) -> Result<Choice, Failure> {
        let init = self.wanted().init.unwrap_or_default();
        let mut scenarios = Vec::new();
        for text in &self.given {
            let threads: Vec<Vec<Call>> = text
                .split('|')
                .map(|calls| split(calls).iter().map(|call| known(call, methods)).collect())
                .collect::<Result<_, _>>()?;
            let most = threads.iter().map(Vec::len).max().unwrap_or_default();
            if threads.len() > MOST_THREADS || most > MOST_CALLS || threads.iter().any(Vec::is_empty) {
                return Err(Failure::input(format!(
                    "--scenario takes at most {MOST_THREADS} threads of 1 to {MOST_CALLS} calls each, as 'add(1),size() | add(2)'"
                )));
            }
            let init = init.clone();
            scenarios.push(Scenario { init, threads });
        }
        Ok(Choice {
            all: scenarios.len() as u64,
            scenarios,
            left_out: Vec::new(),
        })
    }

    fn wanted(&self) -> Wanted {
        let calls = |text: &String| split(text).iter().map(|call| Call::written(call)).collect();
        Wanted {
            threads: self.threads,
            calls: self.calls,
            init: self.init.as_ref().map(calls),
            most: self.scenarios,
            seed: self.seed,
            interrupts: self.interrupts,
        }
    }

    fn target(&self, class: &str, observer: &mut dyn Observer) -> Result<Target, Failure> {
        // A class needs no `main`.
        target::resolve(&self.classes, class, Some("main"), observer)
    }

    fn sources(&self) -> Vec<PathBuf> {
        let files = [Some(&self.class), self.against.as_ref()].into_iter().flatten();
        let files = files.map(Path::new).filter(|path| path.is_file());
        let folders = files.clone().filter_map(Path::parent).map(Path::to_path_buf);
        let folders: Vec<PathBuf> = folders.collect();
        files.map(Path::to_path_buf).chain(folders).collect()
    }

    fn tell(&self, seen: &Seen, chosen: &Choice) -> Report {
        let mut report = self.blank_report();
        report.states = seen.states;
        report.transitions = seen.transitions;
        report.max_depth = seen.max_depth;
        report.threads = seen.threads;
        report.verdict = match (&seen.found, seen.within.len() == chosen.scenarios.len()) {
            (Some(_), _) => Verdict::Violated,
            (None, true) => Verdict::Holds,
            (None, false) => Verdict::Unknown,
        };
        let covered = seen.covered(chosen);
        match report.verdict {
            Verdict::Holds => {
                report.rests_on.push(covered);
                report.rests_on.extend(RESTS_ON.map(str::to_owned));
                report.rests_on.extend(operations::assumed_line(&self.operation));
            }
            _ => report.notes.push(covered),
        }
        if report.verdict == Verdict::Unknown {
            report.reason = Some(seen.reason(chosen));
            report.help = Some("give more time or memory, fewer --calls or --threads, or name --methods".to_owned());
        }
        if !chosen.left_out.is_empty() {
            let names: Vec<String> = chosen.left_out.iter().map(|method| method.signature()).collect();
            let note = format!("left out, since no arguments are known: {}", names.join(", "));
            report.notes.push(note);
        }
        report
            .violations
            .extend(seen.found.iter().map(|(_, violation)| violation.clone()));
        report
    }
}

/// A call as a user writes it. Whether it returns something is a matter of the methods of its name, which are of one mind.
fn known(text: &str, methods: &[Method]) -> Result<Call, Failure> {
    let name = text.split('(').next().unwrap_or(text).trim();
    let mut of_name = methods.iter().filter(|method| method.name == name);
    match of_name.next() {
        None => Err(Failure::input(format!(
            "{} is no call of a method that can be called",
            quoted(text.trim())
        ))),
        Some(first) if first.result.is_none() => Ok(Call::written(text)),
        Some(_) => Ok(Call::asking(text)),
    }
}

/// Calls with commas between them: those in brackets separate arguments.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut calls) = (0_usize, vec![String::new()]);
    for letter in text.chars() {
        match letter {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                calls.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = calls.last_mut() {
            last.push(letter);
        }
    }
    calls.retain(|call| !call.trim().is_empty());
    calls
}

/// What was seen so far.
#[derive(Default)]
struct Seen {
    within: BTreeSet<Scenario>,
    histories: usize,
    states: u64,
    transitions: u64,
    max_depth: u64,
    threads: u64,
    unknown: Vec<(Scenario, String)>,
    found: Option<(Scenario, Violation)>,
}

impl Seen {
    fn add(&mut self, scenario: &Scenario, examined: Examined) {
        self.histories += examined.histories.len();
        self.states += examined.states;
        self.transitions += examined.transitions;
        self.max_depth = self.max_depth.max(examined.max_depth);
        self.threads = self.threads.max(examined.threads);
        match examined.judgement {
            Judgement::Within => {
                self.within.insert(scenario.clone());
            }
            Judgement::Beyond(violation) => self.found = Some((scenario.clone(), *violation)),
            Judgement::Walked => {}
            Judgement::Unknown(why) => self.unknown.push((scenario.clone(), why)),
        }
    }

    /// Looks for a smaller scenario that is broken, too.
    fn shrink(
        &mut self,
        engine: &Engine<'_>,
        mut scenario: Scenario,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        loop {
            let mut smaller = scenario.smaller();
            smaller.retain(|one| !self.within.contains(one));
            let mut found = None;
            engine.examine(&smaller, observer, &mut |position, examined| {
                if let Judgement::Beyond(violation) = examined.judgement {
                    found = Some((smaller[position].clone(), *violation));
                }
                found.is_none() && !limits::is_over()
            })?;
            let Some(better) = found else {
                return Ok(());
            };
            scenario = better.0.clone();
            self.found = Some(better);
        }
    }

    fn covered(&self, chosen: &Choice) -> String {
        let threads = chosen
            .scenarios
            .iter()
            .map(|one| one.threads.len())
            .max()
            .unwrap_or_default();
        let calls = chosen.scenarios.iter().flat_map(|one| &one.threads);
        let calls = calls.map(Vec::len).max().unwrap_or_default();
        let done = self.within.len() + self.unknown.len() + usize::from(self.found.is_some());
        let of = match chosen.all == chosen.scenarios.len() as u64 || chosen.all < 2 * chosen.scenarios.len() as u64 {
            true => "all there are".to_owned(),
            false => format!("chosen from about {}", chosen.all),
        };
        format!(
            "{done} of {} scenarios ({of}) with at most {threads} threads of at most {calls} calls each; {} histories, every interleaving",
            chosen.scenarios.len(),
            self.histories
        )
    }

    fn reason(&self, chosen: &Choice) -> String {
        let left = chosen.scenarios.len() - self.within.len();
        match self.unknown.first() {
            None => format!("{left} scenarios were not examined"),
            Some((scenario, why)) => format!(
                "{left} of {} scenarios: {why}, as in {}",
                chosen.scenarios.len(),
                scenario.line()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn calls_are_separated_by_commas_outside_of_brackets() {
        assert_eq!(split("put(1, 2),remove(1)"), ["put(1, 2)", "remove(1)"]);
        assert_eq!(split(" "), [""; 0]);
    }
}
