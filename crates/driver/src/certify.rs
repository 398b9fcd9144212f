//! Proves that operations of the JDK's library take effect at once, group by group, and writes certificates.
//!
//! For each group, the methods of some objects are called by several threads, and all that they can come to is compared: with every
//! interleaving inside of the group, and with its operations at once. What the layers below are certified for is at once on both sides.

use crate::certificate::{self, Bytecode, Certificate};
use crate::jdk_operations::{Group, full_name, groups};
use crate::linearize::class::{self, Known};
use crate::linearize::engine::NO_END;
use crate::linearize::{Engine, Examined, Judgement, Scenario};
use crate::observer::Observer;
use crate::options::Classes;
use crate::{Failure, budget, limits, target, verify};
use ::linearize::{Call, Wanted, choose};
use program::jdk::Jdk;
use reduction::Combination;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Objects of our own whose methods are called, by the names of their classes.
const SUBJECTS: [(&str, &str); 8] = [
    (
        "Completions",
        include_str!("../../../java/raddle/certify/Completions.java"),
    ),
    (
        "Conditions",
        include_str!("../../../java/raddle/certify/Conditions.java"),
    ),
    ("Forks", include_str!("../../../java/raddle/certify/Forks.java")),
    ("Pool", include_str!("../../../java/raddle/certify/Pool.java")),
    ("ReadWrite", include_str!("../../../java/raddle/certify/ReadWrite.java")),
    ("Scheduled", include_str!("../../../java/raddle/certify/Scheduled.java")),
    ("Stamped", include_str!("../../../java/raddle/certify/Stamped.java")),
    ("Task", include_str!("../../../java/raddle/certify/Task.java")),
];

/// The most threads and the most calls of each in any scenario.
pub(crate) const THREADS: usize = 3;
const CALLS: usize = 2;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Certify {
    /// Which JDK.
    pub classes: Classes,
    /// Only this layer.
    pub layer: Option<u32>,
    /// Only these groups, by name; all if there are none.
    pub groups: Vec<String>,
    /// The file with the certificates, which is read first and added to; those that come with Raddle count in any case.
    pub file: Option<PathBuf>,
    /// Whether what has a certificate is proved again.
    pub again: bool,
    /// How many scenarios of two threads with two calls each, for each object.
    pub sample: usize,
    /// How many scenarios of one call each at most, for each object, by two threads and by three.
    pub most: usize,
    /// Where choices come from.
    pub seed: u64,
    /// The most states of one search.
    pub states: u64,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Stop before the process holds more bytes than this.
    pub memory: Option<u64>,
}

/// How much more is done for two calls than for more.
const PATIENCE: u64 = 20;
/// The layer of pools.
const POOLS: u32 = 4;

/// Whether two threads make a call each.
fn is_pair(scenario: &Scenario) -> bool {
    scenario.calls() == 2
}

/// The same pair, where one of the two interrupts the other one before it makes its own call, or after.
fn interrupted(pair: &Scenario) -> Vec<Scenario> {
    let with = |by: usize, at: usize| {
        let mut scenario = pair.clone();
        if let Some(calls) = scenario.threads.get_mut(by) {
            calls.insert(at.min(calls.len()), Call::interrupt(1 - by));
        }
        scenario.canonical()
    };
    vec![with(0, 0), with(0, 1), with(1, 0), with(1, 1)]
}

/// What came of a group.
pub enum Proved {
    /// It had a certificate.
    Known(Certificate),
    /// It has one now.
    Certified(Certificate),
    /// It has none, because of this.
    Refused(String),
}

/// What was seen of a group.
#[derive(Default)]
struct Seen {
    layer: u32,
    within: u64,
    walked: u64,
    too_large: u64,
    states: u64,
    refused: Option<String>,
}

impl Seen {
    fn add(&mut self, subject: &str, scenario: &Scenario, examined: Examined) {
        self.states += examined.states;
        match examined.judgement {
            Judgement::Within => self.within += 1,
            Judgement::Walked if is_pair(scenario) && self.layer < POOLS => {
                self.refused = Some(format!("{subject}, {}: too many states", scenario.line()));
            }
            Judgement::Walked => self.walked += 1,
            Judgement::Beyond(violation) => {
                let why = violation.why.join("; ");
                self.refused = Some(format!("{subject}, {}: {why}", violation.message));
            }
            // Such as two things that are put into what has room for one.
            Judgement::Unknown(why) if why == NO_END => {}
            Judgement::Unknown(why) if is_pair(scenario) => {
                self.refused = Some(format!("{subject}, {}: {why}", scenario.line()));
            }
            Judgement::Unknown(_) => self.too_large += 1,
        }
    }
}

impl Certify {
    /// Certifies one group after another, those of lower layers first, and says what came of each. Whatever is certified is written at once.
    pub fn run(&self, observer: &mut dyn Observer, told: &mut dyn FnMut(&Group, &Proved)) -> Result<(), Failure> {
        limits::limit_time(self.time);
        let memory = self.memory.unwrap_or_else(crate::check::usual_memory);
        budget::limit(memory);
        let jdk = Jdk::find(self.classes.jdk.as_deref()).map_err(|error| Failure::input(error.to_string()))?;
        let mut certificates = certificate::built_in(jdk.feature());
        if let Some(file) = self.file.as_deref().filter(|file| file.exists()) {
            certificates.extend(certificate::load(file)?);
        }
        let unknown = self
            .groups
            .iter()
            .find(|name| !groups().iter().any(|group| group.name == **name));
        if let Some(name) = unknown {
            let names: Vec<String> = groups().into_iter().map(|group| group.name).collect();
            return Err(Failure::input(format!(
                "there is no group {name}: {}",
                names.join(", ")
            )));
        }
        observer.begins(self.time, memory);
        let wanted = |group: &Group| {
            self.layer.is_none_or(|layer| layer == group.layer)
                && (self.groups.is_empty() || self.groups.contains(&group.name))
        };
        for group in groups().iter().filter(|group| wanted(group)) {
            let known = certificate::certified(&jdk, &certificates);
            let proved = match known.into_iter().find(|(one, _)| one.name == group.name) {
                Some((_, certificate)) if !self.again => Proved::Known(certificate),
                _ => self.prove(&jdk, group, &certificates, observer)?,
            };
            if let Proved::Certified(certificate) = &proved {
                certificates.push(certificate.clone());
                self.keep(&jdk, certificate)?;
            }
            told(group, &proved);
            if limits::is_over() {
                break;
            }
        }
        observer.ends();
        Ok(())
    }

    fn prove(
        &self,
        jdk: &Jdk,
        group: &Group,
        certificates: &[Certificate],
        observer: &mut dyn Observer,
    ) -> Result<Proved, Failure> {
        let Some(bytecode) = Bytecode::new(jdk).of(group) else {
            return Ok(Proved::Refused("this JDK has no such classes".to_owned()));
        };
        let known = certificate::certified(jdk, certificates);
        let lower: Vec<&Group> = known
            .iter()
            .map(|(one, _)| one)
            .filter(|one| one.layer < group.layer)
            .collect();
        let mut seen = Seen {
            layer: group.layer,
            ..Seen::default()
        };
        for (class, new) in &group.subjects {
            self.examine(group, class, new, &lower, &mut seen, observer)?;
            if seen.refused.is_some() || limits::is_over() {
                break;
            }
        }
        if let Some(why) = seen.refused {
            return Ok(Proved::Refused(why));
        }
        if limits::is_over() {
            return Ok(Proved::Refused("there was no time for all of it".to_owned()));
        }
        if seen.within < seen.walked + seen.too_large {
            return Ok(Proved::Refused(format!(
                "only {} of {} scenarios could be explored to their end",
                seen.within,
                seen.within + seen.walked + seen.too_large
            )));
        }
        Ok(Proved::Certified(Certificate {
            group: group.name.clone(),
            bytecode,
            scenarios: seen.within,
            walked: seen.walked,
            too_large: seen.too_large,
            threads: THREADS as u64,
            calls: CALLS as u64,
            states: seen.states,
            date: today(),
        }))
    }

    /// Calls the methods of one object.
    fn examine(
        &self,
        group: &Group,
        class: &str,
        new: &str,
        lower: &[&Group],
        seen: &mut Seen,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let own = SUBJECTS.iter().find(|(name, _)| *name == class);
        let (named, wanted) = match own {
            Some((name, text)) => {
                let path = verify::written(Path::new("raddle/certify").join(format!("{name}.java")).as_path(), text)?;
                (path.to_string_lossy().into_owned(), Vec::new())
            }
            None => (full_name(class), group.names(&full_name(class))),
        };
        let target = target::resolve(&self.classes, &named, Some("main"), observer)?;
        let Known { subject, mut methods } = class::read(&target, &named, Some(new), &[])?;
        methods.retain(|method| wanted.is_empty() || wanted.contains(&method.name));
        let scenarios = self.scenarios(&methods);
        let (pairs, others): (Vec<Scenario>, Vec<Scenario>) = scenarios.into_iter().partition(is_pair);
        let mut engine = Engine {
            jdk: &target.jdk,
            class_path: if own.is_some() { &target.class_path_text } else { "" },
            subject: &subject,
            reference: None,
            below: certificate::operations(lower.iter().copied()),
            inside: Some(certificate::operations(lower.iter().copied().chain([group]))),
            flags: true,
            permits: false,
            reductions: Combination::auto(),
            // These are to be explored to their end, if that can be. Of pools it cannot.
            states: match group.layer < POOLS {
                true => self.states.saturating_mul(PATIENCE),
                false => self.states,
            },
            walk: self.states,
            sources: Vec::new(),
        };
        for scenarios in [pairs, others] {
            if seen.refused.is_none() {
                engine.examine(&scenarios, observer, &mut |position, examined| {
                    seen.add(new, &scenarios[position], examined);
                    seen.refused.is_none() && !limits::is_over()
                })?;
            }
            engine.states = self.states;
        }
        Ok(())
    }

    /// Every pair of calls by two threads, every triple by three, some of two calls each by two threads; also with interrupts.
    fn scenarios(&self, methods: &[::linearize::Method]) -> Vec<Scenario> {
        let wanted = |threads, calls, most, interrupts| Wanted {
            threads,
            calls,
            init: None,
            most,
            seed: self.seed,
            interrupts,
        };
        let pairs = choose(methods, &wanted(2, 1, self.most, false)).scenarios;
        let mut all: Vec<Scenario> = pairs.iter().flat_map(interrupted).collect();
        all.extend(pairs);
        let others = [
            wanted(THREADS, 1, self.most, false),
            wanted(2, CALLS, self.sample, false),
            wanted(2, CALLS, self.sample / 2, true),
        ];
        all.extend(others.iter().flat_map(|wanted| choose(methods, wanted).scenarios));
        let mut known = BTreeSet::new();
        all.retain(|scenario| known.insert(scenario.clone()));
        all.sort_by_key(|scenario| (scenario.calls(), scenario.threads.len()));
        all
    }

    fn keep(&self, jdk: &Jdk, certificate: &Certificate) -> Result<(), Failure> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let failed = |error: std::io::Error| Failure::input(format!("cannot write {}: {error}", file.display()));
        let before = match file.exists() {
            true => String::new(),
            false => format!("# What was proved of JDK {}, by raddle certify.\n", jdk.version()),
        };
        // What is there already stays, whatever happens.
        let mut out = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(file)
            .map_err(failed)?;
        out.write_all(format!("{before}\n{}", certificate.to_text()).as_bytes())
            .map_err(failed)
    }
}

/// The day in Greenwich.
fn today() -> String {
    let days = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() / 86_400);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [
        31,
        28 + u64::from(is_leap(year)),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}", month + 1, left + 1)
}
