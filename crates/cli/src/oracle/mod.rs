//! `raddle oracle`: thousands of small random programs, each searched with every strategy. All must say the same; if one does not, the
//! program is made as small as possible and printed.

mod batch;
mod strategies;

use crate::Failure;
use crate::arguments::Oracle;
use batch::Case;
use kernel::Property;
use oracle::compare::{Difference, Finding, Judgement, Strategy, Subject, Summary, judge};
use oracle::java::{self, Program};
use oracle::shrink::shrink;
use program::jdk::Jdk;
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// The most programs that are compiled and searched together.
const BATCH: u64 = 200;

/// Compares; status 1 if some strategies disagree.
pub fn oracle(options: &Oracle) -> Result<u8, Failure> {
    let jdk = Jdk::find(options.jdk.as_deref()).map_err(|error| Failure::input(error.to_string()))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let batch = options.count.div_ceil(cores).clamp(1, BATCH);
    let run = Run {
        options,
        jdk,
        batch,
        tally: Mutex::new(Tally::default()),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        begun: Instant::now(),
    };
    let workers = options.count.div_ceil(batch).min(cores);
    let results: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| run.work())).collect();
        let ended = workers.into_iter().map(|worker| {
            let panicked = |_| Err(Failure::unknown("a search ended in a panic"));
            worker.join().unwrap_or_else(panicked)
        });
        ended.collect()
    });
    results.into_iter().collect::<Result<(), Failure>>()?;
    let tally = run.tally.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    print!("{}", tally.text(run.begun.elapsed().as_secs_f64()));
    let Some(&seed) = tally.disagreeing.first() else {
        return Ok(0);
    };
    let smallest = smaller(options, &run.jdk, seed)?;
    println!("\nseed {seed}: strategies disagree. The smallest program on which they do:\n");
    println!("{}", told(options, &run.jdk, seed, &smallest)?);
    Ok(1)
}

/// What the workers share.
struct Run<'o> {
    options: &'o Oracle,
    jdk: Jdk,
    /// How many programs are compiled together.
    batch: u64,
    tally: Mutex<Tally>,
    next: AtomicU64,
    stop: AtomicBool,
    begun: Instant,
}

impl Run<'_> {
    fn work(&self) -> Result<(), Failure> {
        let (first, count) = (self.options.seed, self.options.count);
        while !self.stop.load(Ordering::Relaxed) {
            let from = self.next.fetch_add(self.batch, Ordering::Relaxed);
            if from >= count {
                break;
            }
            let seeds: Vec<u64> = (from..count.min(from + self.batch))
                .map(|at| first.wrapping_add(at))
                .collect();
            let result = self.batch(&seeds);
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            result?;
        }
        Ok(())
    }

    fn batch(&self, seeds: &[u64]) -> Result<(), Failure> {
        let named = |&seed: &u64| {
            let name = format!("P{seed}");
            let source = java::random(seed, self.options.size).source(&name);
            (name, source)
        };
        let programs: Vec<_> = seeds.iter().map(named).collect();
        batch::each(&self.jdk, &programs, |position, case| {
            let seed = seeds[position];
            let strategies = strategies::all(self.options.states, seed, self.options.blind);
            let judged = judge(case, &strategies).map_err(|why| Failure::unknown(format!("seed {seed}: {why}")))?;
            let mut tally = self.tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            tally.add(seed, judged);
            if std::io::stderr().is_terminal() && tally.cases.is_multiple_of(10) {
                let seconds = self.begun.elapsed().as_secs_f64();
                eprint!(
                    "\r\x1b[K{} of {} programs, {seconds:.0} s",
                    tally.cases, self.options.count
                );
                let _ = std::io::stderr().flush();
            }
            if !tally.disagreeing.is_empty() {
                self.stop.store(true, Ordering::Relaxed);
            }
            Ok(!self.stop.load(Ordering::Relaxed))
        })
    }
}

/// What came out so far.
#[derive(Default)]
struct Tally {
    cases: u64,
    too_large: u64,
    clean: u64,
    states: Vec<u64>,
    with: BTreeMap<Property, u64>,
    disagreeing: Vec<u64>,
}

impl Tally {
    fn add(&mut self, seed: u64, judgement: Judgement) {
        self.cases += 1;
        match judgement {
            Judgement::Agree(summary) => self.agree(&summary),
            Judgement::TooLarge => self.too_large += 1,
            Judgement::Disagree(_) => self.disagreeing.push(seed),
        }
    }

    fn agree(&mut self, summary: &Summary) {
        self.states.push(summary.states);
        let flawed = |property| {
            let is_such = |finding: &Finding| matches!(finding, Finding::Flaw(flaw) if flaw.property == property);
            summary.findings.iter().any(is_such)
        };
        let broken: Vec<Property> = Property::ALL.into_iter().filter(|&property| flawed(property)).collect();
        self.clean += u64::from(broken.is_empty());
        for property in broken {
            *self.with.entry(property).or_default() += 1;
        }
    }

    fn text(&self, seconds: f64) -> String {
        let mut states = self.states.clone();
        states.sort_unstable();
        let at = |part: usize| {
            states
                .get(states.len().saturating_sub(1) * part / 100)
                .copied()
                .unwrap_or(0)
        };
        let share = |count: u64| count * 100 / (states.len() as u64).max(1);
        let mut text = format!(
            "{} programs in {seconds:.1} s, {:.1} a second; {} too large, {} on which strategies disagree\n\
             states under base: half up to {}, nine in ten up to {}, most {}\n\
             no flaw: {} %",
            self.cases,
            self.cases as f64 / seconds.max(0.001),
            self.too_large,
            self.disagreeing.len(),
            at(50),
            at(90),
            at(100),
            share(self.clean),
        );
        for (property, count) in &self.with {
            text.push_str(&format!(", {}: {} %", property.name(), share(*count)));
        }
        text.push('\n');
        text
    }
}

/// The smallest program on which strategies disagree that the one of a seed shrinks to.
fn smaller(options: &Oracle, jdk: &Jdk, seed: u64) -> Result<Program, Failure> {
    let program = java::random(seed, options.size);
    let strategies = disagreeing(options, jdk, seed, &program)?;
    let mut failure = None;
    let smallest = shrink(program, Program::shrinks, |candidates| {
        let named = |(number, program): (usize, &Program)| {
            let name = format!("P{number}");
            (name.clone(), program.source(&name))
        };
        let programs: Vec<_> = candidates.iter().enumerate().map(named).collect();
        let mut first = None;
        let result = batch::each(jdk, &programs, |position, case| {
            if let Ok(Judgement::Disagree(_)) = judge(case, &strategies) {
                first = Some(position);
            }
            Ok(first.is_none())
        });
        failure = result.err();
        first
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(smallest),
    }
}

/// The first strategy and those that say something else about a program.
fn disagreeing(options: &Oracle, jdk: &Jdk, seed: u64, program: &Program) -> Result<Vec<Strategy>, Failure> {
    let all = strategies::all(options.states, seed, options.blind);
    let mut chosen = Vec::new();
    let programs = [("P".to_owned(), program.source("P"))];
    batch::each(jdk, &programs, |_, case| {
        if let Ok(Judgement::Disagree(differences)) = judge(case, &all) {
            let others = differences.iter().map(|difference| difference.strategy);
            chosen.extend(std::iter::once(0).chain(others).map(|number| all[number].clone()));
        }
        Ok(true)
    })?;
    Ok(chosen)
}

/// A program as a fixture, and who says what about it.
fn told(options: &Oracle, jdk: &Jdk, seed: u64, program: &Program) -> Result<String, Failure> {
    let strategies = strategies::all(options.states, seed, options.blind);
    let name = format!("Oracle{seed}");
    let mut text = String::new();
    let programs = [(name.clone(), program.source(&name))];
    batch::each(jdk, &programs, |_, case| {
        let reference = &strategies[0];
        text.push_str(&match case.first_violation(reference) {
            None => "//@ states: base=?\n".to_owned(),
            Some((property, _, line)) => format!("//@ property: {property}\n//@ line: {line}\n//@ states: base=?\n"),
        });
        text.push_str(&programs[0].1);
        if let Ok(Judgement::Disagree(differences)) = judge(case, &strategies) {
            for difference in &differences {
                text.push_str(&compared(case, &strategies, difference));
            }
        }
        Ok(true)
    })?;
    Ok(text)
}

fn compared(case: &mut Case<'_, '_>, strategies: &[Strategy], difference: &Difference) -> String {
    let (first, other) = (&strategies[0], &strategies[difference.strategy]);
    let mut text = format!("\n`{}` is not as `{}`:\n", other.name, first.name);
    if let Some(stopped) = &difference.stopped {
        text.push_str(&format!("  it ends {stopped}\n"));
    }
    for &finding in &difference.missing {
        text.push_str(&format!("  misses {}\n", case.describe(first, finding)));
    }
    for &finding in &difference.extra {
        text.push_str(&format!("  has besides {}\n", case.describe(other, finding)));
    }
    text
}
