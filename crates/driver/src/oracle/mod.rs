//! Thousands of small random programs, each searched with every strategy. All must say the same; if one does not, the program is made as
//! small as possible.
//!
//! Programs are Java programs and guarded-command models, in turn: the ones are what is wanted, the others are so fast that rare
//! cases come up.

mod batch;
mod guarded;
mod strategies;
mod tally;

use crate::Failure;
use crate::options::Oracle;
use oracle::compare::{Difference, Judgement, Strategy, Subject, judge};
use oracle::java::{self, Program};
use oracle::shrink::shrink;
use program::jdk::Jdk;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use tally::Tally;

/// The most programs that are compiled and searched together.
const BATCH: u64 = 200;

/// What a random program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Java,
    Model,
}

/// What a comparison on random programs came to.
pub struct Compared {
    options: Oracle,
    jdk: Option<Jdk>,
    java: Tally,
    models: Tally,
}

/// A program on which some strategies disagree.
pub struct Disagreement {
    /// The number of the random program.
    pub seed: u64,
    /// Whether it is a model.
    pub is_model: bool,
    /// The smallest that it shrinks to, as a fixture, and who says what about it.
    pub smallest: String,
}

/// Compares. `heard` is told now and then how many programs of a kind are done.
pub fn oracle(options: Oracle, heard: &(dyn Fn(u64) + Sync)) -> Result<Compared, Failure> {
    let jdk = match options.models {
        true => None,
        false => Some(Jdk::find(options.jdk.as_deref()).map_err(|error| Failure::input(error.to_string()))?),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let batch = options.count.div_ceil(cores).clamp(1, BATCH);
    let run = Run {
        options: &options,
        jdk: jdk.as_ref(),
        batch,
        java: Mutex::new(Tally::default()),
        models: Mutex::new(Tally::default()),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        heard,
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
    let (java, models) = (taken(run.java), taken(run.models));
    Ok(Compared {
        options,
        jdk,
        java,
        models,
    })
}

impl Compared {
    /// What was searched, and what was found, in words.
    pub fn text(&self) -> String {
        self.java.text("programs") + &self.models.text("models")
    }

    /// The first program on which strategies disagree, made as small as possible, which takes a while.
    pub fn disagreement(&self) -> Result<Option<Disagreement>, Failure> {
        if let Some(&seed) = self.models.disagreeing.first() {
            return Ok(Some(Disagreement {
                seed,
                is_model: true,
                smallest: guarded::smallest(&self.options, seed)?,
            }));
        }
        if let (Some(&seed), Some(jdk)) = (self.java.disagreeing.first(), &self.jdk) {
            let smallest = smaller(&self.options, jdk, seed)?;
            return Ok(Some(Disagreement {
                seed,
                is_model: false,
                smallest: told(&self.options, jdk, seed, &smallest)?,
            }));
        }
        Ok(None)
    }
}

/// The Java program of a seed.
fn program(options: &Oracle, seed: u64) -> Program {
    match options.concurrent {
        true => java::random_concurrent(seed, options.size),
        false => java::random(seed, options.size),
    }
}

/// Whether in the program or model of a seed threads wake up for no reason.
fn is_spurious(seed: u64) -> bool {
    seed % 4 == 3
}

fn taken(tally: Mutex<Tally>) -> Tally {
    tally.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What the workers share.
struct Run<'o> {
    options: &'o Oracle,
    /// Where there is one, there are Java programs.
    jdk: Option<&'o Jdk>,
    /// How many programs are compiled together.
    batch: u64,
    java: Mutex<Tally>,
    models: Mutex<Tally>,
    next: AtomicU64,
    stop: AtomicBool,
    heard: &'o (dyn Fn(u64) + Sync),
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
            let result = match self.jdk {
                Some(jdk) if self.options.java || (from / self.batch).is_multiple_of(2) => self.batch(jdk, &seeds),
                _ => self.models(&seeds),
            };
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            result?;
        }
        Ok(())
    }

    fn batch(&self, jdk: &Jdk, seeds: &[u64]) -> Result<(), Failure> {
        let named = |&seed: &u64| {
            let name = format!("P{seed}");
            let source = program(self.options, seed).source(&name);
            (name, source)
        };
        let programs: Vec<_> = seeds.iter().map(named).collect();
        let mut last = Instant::now();
        batch::each(
            jdk,
            &programs,
            |position| seeds[position],
            |position, case| self.judge(Kind::Java, seeds[position], case, &mut last),
        )
    }

    fn models(&self, seeds: &[u64]) -> Result<(), Failure> {
        let mut last = Instant::now();
        for &seed in seeds {
            let program = model::random(seed);
            if !self.judge(Kind::Model, seed, &mut guarded::case(&program, seed)?, &mut last)? {
                break;
            }
        }
        Ok(())
    }

    /// Holds one program against all strategies; whether to go on.
    fn judge(&self, kind: Kind, seed: u64, case: &mut dyn Subject, last: &mut Instant) -> Result<bool, Failure> {
        let strategies = match kind {
            Kind::Java => strategies::for_programs(self.options, seed),
            Kind::Model => strategies::for_models(self.options, seed),
        };
        let judged = judge(case, &strategies).map_err(|why| Failure::unknown(format!("seed {seed}: {why}")))?;
        let tally = match kind {
            Kind::Java => &self.java,
            Kind::Model => &self.models,
        };
        let mut tally = tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        tally.add(seed, judged, last.elapsed());
        *last = Instant::now();
        if tally.cases.is_multiple_of(10) {
            (self.heard)(tally.cases);
        }
        if !tally.disagreeing.is_empty() {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(!self.stop.load(Ordering::Relaxed))
    }
}

/// The smallest program on which strategies disagree that the one of a seed shrinks to.
fn smaller(options: &Oracle, jdk: &Jdk, seed: u64) -> Result<Program, Failure> {
    let program = program(options, seed);
    let strategies = disagreeing(options, jdk, seed, &program)?;
    let mut failure = None;
    let smallest = shrink(program, Program::shrinks, |candidates| {
        let named = |(number, program): (usize, &Program)| {
            let name = format!("P{number}");
            (name.clone(), program.source(&name))
        };
        let programs: Vec<_> = candidates.iter().enumerate().map(named).collect();
        let mut first = None;
        let result = batch::each(
            jdk,
            &programs,
            |_| seed,
            |position, case| {
                if let Ok(Judgement::Disagree(_)) = judge(case, &strategies) {
                    first = Some(position);
                }
                Ok(first.is_none())
            },
        );
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
    let all = strategies::for_programs(options, seed);
    let mut chosen = Vec::new();
    let programs = [("P".to_owned(), program.source("P"))];
    batch::each(
        jdk,
        &programs,
        |_| seed,
        |_, case| {
            if let Ok(Judgement::Disagree(differences)) = judge(case, &all) {
                let others = differences.iter().map(|difference| difference.strategy);
                chosen.extend(std::iter::once(0).chain(others).map(|number| all[number].clone()));
            }
            Ok(true)
        },
    )?;
    Ok(chosen)
}

/// A program as a fixture, and who says what about it.
fn told(options: &Oracle, jdk: &Jdk, seed: u64, program: &Program) -> Result<String, Failure> {
    let strategies = strategies::for_programs(options, seed);
    let name = format!("Oracle{seed}");
    let mut text = String::new();
    let programs = [(name.clone(), program.source(&name))];
    if is_spurious(seed) {
        text.push_str("//@ options: --spurious\n");
    }
    batch::each(
        jdk,
        &programs,
        |_| seed,
        |_, case| {
            let reference = &strategies[0];
            let violation = case.first_violation(reference);
            let rules = batch::rules(seed, &name).map(|rules| format!("// --discipline: {rules}\n"));
            let rules = rules.unwrap_or_default();
            if let Some((property, _, line)) = violation {
                // The line is one of the fixture, which begins with these lines.
                let line = line as usize + text.lines().count() + 2 + rules.lines().count();
                text.push_str(&format!("//@ property: {property}\n//@ line: {line}\n"));
            }
            text.push_str(&rules);
            text.push_str(&programs[0].1);
            if let Ok(Judgement::Disagree(differences)) = judge(case, &strategies) {
                for difference in &differences {
                    text.push_str(&compared(case, &strategies, difference));
                }
            }
            Ok(true)
        },
    )?;
    Ok(text)
}

fn compared(case: &mut dyn Subject, strategies: &[Strategy], difference: &Difference) -> String {
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
