//! Explores scenarios: as they are, and with what is to be indivisible at once; and compares their histories.

use super::retell::retell;
use crate::batch::{Batch, Prepared};
use crate::narrate::narrate_inside;
use crate::observer::{Observer, Watch};
use crate::sources::Sources;
use crate::{Failure, limits};
use ::linearize::{Ended, History, METHODS_PATTERN, Noted, Scenario, Subject, explain, told};
use kernel::{Assumptions, Property, Reduction};
use machine::system::{Action, Java};
use machine::{Machine, Operations, StepSemantics, history};
use program::jdk::Jdk;
use reduction::Combination;
use report::model::Violation;
use search::{Effort, Ending, Found, Options, Order, Outcome, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Exact;

/// Of a scenario that never comes to its threads.
pub(crate) const NO_END: &str = "the scenario has no end: its initial calls wait, throw an exception, or run for ever";

/// Scenarios that are compiled in one go.
const TOGETHER: usize = 100;
/// If there are more than these, only a few come first: what is wrong is often found soon.
const MANY: usize = 50;
const FEW: usize = 12;
/// Random steps before a search that put what reductions rest on to the test.
const TRIAL: u64 = 500;
/// How many times as many states there may be with operations at once.
const PATIENCE_AT_ONCE: u64 = 10;
/// A trace may take so long to be made shorter.
const PATIENCE: Duration = Duration::from_secs(2);
/// Even without time, a trace may take so long to be made shorter.
const MOMENT: Duration = Duration::from_millis(200);

/// What is explored, and how.
pub struct Engine<'a> {
    /// The JDK whose library is used.
    pub jdk: &'a Jdk,
    /// Where the class is, and what it uses.
    pub class_path: &'a str,
    /// The class.
    pub subject: &'a Subject,
    /// A class that says what calls may come to, instead of the same one with calls that are indivisible.
    pub reference: Option<&'a Subject>,
    /// What takes effect at once on the first side.
    pub below: Operations,
    /// What takes effect at once on the second side; the same and each call as a whole if nothing is said.
    pub inside: Option<Operations>,
    /// Whether the interrupt status and the permit to park that calls leave behind are compared, too.
    pub flags: bool,
    /// Whether the permits are.
    pub permits: bool,
    /// What searches leave out. All that leave something out keep the states without successors, and so the histories.
    pub reductions: Combination,
    /// The most states of one search.
    pub states: u64,
    /// How many steps are walked at random through a scenario that has more states.
    pub walk: u64,
    /// Where sources are, for traces.
    pub sources: Vec<PathBuf>,
}

/// What came of a scenario.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What calls may come to, as it is.
    pub histories: Vec<History>,
    /// States of both searches.
    pub states: u64,
    /// Steps of both searches.
    pub transitions: u64,
    /// Longest path.
    pub max_depth: u64,
    /// Most threads alive at once.
    pub threads: u64,
    /// What there is to say.
    pub judgement: Judgement,
}

/// What there is to say about a scenario.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// Every history is one of indivisible calls.
    Within,
    /// This one is not, with the way to it and the reason.
    Beyond(Box<Violation>),
    /// There are too many states to tell. No walk at random has come past one that is not.
    Walked,
    /// Neither is known, because of this.
    Unknown(String),
}

/// What came of a search.
struct Explored {
    outcome: Outcome<Action>,
    histories: BTreeMap<History, u64>,
    /// Why that is perhaps not all.
    stopped: Option<String>,
}

impl Engine<'_> {
    /// Examines scenarios in turn, and says what came of each, until `each` has heard enough.
    pub fn examine(
        &self,
        scenarios: &[Scenario],
        observer: &mut dyn Observer,
        each: &mut dyn FnMut(usize, Examined) -> bool,
    ) -> Result<(), Failure> {
        let (mut first, mut goes_on) = (0, true);
        while goes_on && first < scenarios.len() {
            let most = if first == 0 && scenarios.len() > MANY {
                FEW
            } else {
                TOGETHER
            };
            let count = most.min(scenarios.len() - first);
            let some = &scenarios[first..first + count];
            observer.turns_to(&format!("{first} of {} scenarios", scenarios.len()));
            self.examine_some(some, (first, scenarios.len()), observer, &mut |position, examined| {
                goes_on = each(position, examined);
                goes_on
            })?;
            first += count;
        }
        Ok(())
    }

    fn examine_some(
        &self,
        scenarios: &[Scenario],
        (first, of): (usize, usize),
        observer: &mut dyn Observer,
        each: &mut dyn FnMut(usize, Examined) -> bool,
    ) -> Result<(), Failure> {
        let mut programs = Vec::new();
        for (position, scenario) in scenarios.iter().enumerate() {
            if let Some(reference) = self.reference {
                programs.push(self.program(scenario, reference, &format!("RaddleReference{position}")));
            }
            programs.push(self.program(scenario, self.subject, &format!("RaddleScenario{position}")));
        }
        let batch = Batch {
            jdk: self.jdk,
            class_path: self.class_path,
            programs: &programs,
        };
        let mut specified: Option<Explored> = None;
        let mut scenario = 0;
        batch.each(|position, mut prepared| {
            let is_reference = self.reference.is_some() && position % 2 == 0;
            if self.reference.is_none() || is_reference {
                let class = &programs[position].0;
                specified = Some(self.search(&mut prepared, class, true, Order::Depth, observer)?);
            }
            if is_reference {
                return Ok(true);
            }
            let Some(at_once) = specified.take() else {
                return Ok(true);
            };
            let examined = self.compare(
                &mut prepared,
                &programs[position].0,
                &scenarios[scenario],
                at_once,
                observer,
            )?;
            scenario += 1;
            observer.turns_to(&format!("{} of {of} scenarios", first + scenario));
            Ok(each(first + scenario - 1, examined))
        })
    }

    /// A scenario as a program: the full name of its class, and its source.
    fn program(&self, scenario: &Scenario, subject: &Subject, class: &str) -> (String, String) {
        let full = match &*subject.package {
            "" => class.to_owned(),
            package => format!("{package}.{class}"),
        };
        (full, scenario.source(subject, class, self.flags))
    }

    /// Makes a program ready for a search as it is, or with what is to be indivisible at once.
    fn begin(&self, prepared: &mut Prepared<'_, '_>, class: &str, at_once: bool) -> Result<Combination, Failure> {
        let combination = self.reductions.clone();
        let operations = match &self.inside {
            _ if !at_once => self.below.clone(),
            Some(inside) => inside.clone(),
            None => {
                let mut operations = self.below.clone();
                let added = operations.assume(&format!("{class}.{METHODS_PATTERN}"));
                debug_assert_eq!(added, Ok(()));
                operations
            }
        };
        let system = &mut prepared.system;
        // What other programs and searches of the batch have shown has nothing to do with it.
        *system.shared.assumptions() = Assumptions::default();
        system.semantics = StepSemantics::new(combination.instrumentation());
        system.operations = Arc::new(operations);
        system
            .begin(prepared.machine)
            .map_err(|error| Failure::unknown(error.to_string()))?;
        Ok(combination)
    }

    fn search(
        &self,
        prepared: &mut Prepared<'_, '_>,
        class: &str,
        at_once: bool,
        order: Order,
        observer: &mut dyn Observer,
    ) -> Result<Explored, Failure> {
        let combination = self.begin(prepared, class, at_once)?;
        let most = match order {
            Order::Random => self.walk,
            // Whatever else is found is held against this.
            _ if at_once => self.states.saturating_mul(PATIENCE_AT_ONCE),
            _ => self.states,
        };
        let options = Options {
            order,
            properties: BTreeSet::from([Property::HISTORY]),
            all: true,
            time: limits::time_left(),
            states: Some(most),
            trial: TRIAL,
            ..Options::default()
        };
        let outcome = self.explore(prepared, &combination, &options, observer)?;
        let recorded = |found: &Found<Action>| {
            let recorded = prepared.system.shared.history(found.flaw.key)?;
            Some((history_of(recorded, self.permits), found.flaw.key))
        };
        let histories: BTreeMap<History, u64> = outcome.found.iter().filter_map(recorded).collect();
        let stopped = match (&outcome.ending, outcome.unsupported.first()) {
            (Ending::Stopped(why), _) => Some(self.reason(why)),
            (Ending::Complete, Some((what, _))) => Some(what.to_string()),
            _ if histories.is_empty() => Some(NO_END.to_owned()),
            _ => None,
        };
        Ok(Explored {
            outcome,
            histories,
            stopped,
        })
    }

    fn explore(
        &self,
        prepared: &mut Prepared<'_, '_>,
        combination: &Combination,
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<Outcome<Action>, Failure> {
        let mut ample = combination.make(Assumptions::default());
        search::explore(
            &prepared.system,
            prepared.machine,
            &mut Exact::new(),
            options,
            ample.as_mut().map(|ample| ample as &mut dyn Reduction<Java<'_>>),
            &mut Watch(observer),
        )
        .map_err(|conflict| Failure::input(conflict.to_string()))
    }

    fn reason(&self, why: &Why) -> String {
        match why {
            Why::Time => "the time that --time allows is used up".to_owned(),
            Why::Memory => "the memory that --memory allows is used up".to_owned(),
            Why::States => format!("a scenario has more than {} states", self.states),
            Why::Interrupted => "the search was interrupted".to_owned(),
            Why::Unsupported(what) => what.to_string(),
            other => format!("the search ended early ({other:?})"),
        }
    }

    /// Holds a scenario against what indivisible calls may come to.
    fn compare(
        &self,
        prepared: &mut Prepared<'_, '_>,
        class: &str,
        scenario: &Scenario,
        at_once: Explored,
        observer: &mut dyn Observer,
    ) -> Result<Examined, Failure> {
        let mut whole = self.search(prepared, class, false, Order::Depth, observer)?;
        let is_too_large = whole.outcome.ending == Ending::Stopped(Why::States) && at_once.stopped.is_none();
        if is_too_large && self.walk > 0 {
            let met = self.search(prepared, class, false, Order::Random, observer)?;
            whole.histories.extend(met.histories);
            whole.outcome.found.extend(met.outcome.found);
        }
        let judgement = self.judge(prepared, class, scenario, &whole, &at_once, observer)?;
        let figures = [&whole, &at_once].map(|one| one.outcome.figures);
        Ok(Examined {
            histories: whole.histories.into_keys().collect(),
            states: figures.iter().map(|one| one.states).sum(),
            transitions: figures.iter().map(|one| one.transitions).sum(),
            max_depth: figures.iter().map(|one| one.max_depth).max().unwrap_or_default(),
            threads: whole.outcome.figures.threads.into(),
            judgement,
        })
    }

    fn judge(
        &self,
        prepared: &mut Prepared<'_, '_>,
        class: &str,
        scenario: &Scenario,
        whole: &Explored,
        at_once: &Explored,
        observer: &mut dyn Observer,
    ) -> Result<Judgement, Failure> {
        if let Some(why) = &at_once.stopped {
            return Ok(Judgement::Unknown(why.clone()));
        }
        let beyond = whole
            .histories
            .iter()
            .find(|(history, _)| !at_once.histories.contains_key(history));
        if let Some((history, &key)) = beyond {
            let specified: Vec<History> = at_once.histories.keys().cloned().collect();
            let mut violation = self.tell(prepared, class, scenario, whole, key)?.unwrap_or_default();
            violation.message = format!("not linearizable: {}", scenario.line());
            violation.why = told(scenario, history);
            violation.why.extend(explain(scenario, history, &specified));
            if !history.is_pending() {
                violation.stacks.clear();
            }
            return Ok(Judgement::Beyond(Box::new(violation)));
        }
        if let Some(found) = whole.outcome.endless.as_ref()
            && at_once.outcome.endless.is_none()
        {
            if self.reference.is_some() {
                let why = "calls may spin for ever, and whether those of --against may is not known";
                return Ok(Judgement::Unknown(why.to_owned()));
            }
            if !self.spins_at_once(prepared, class, observer)? {
                self.begin(prepared, class, false)?;
                let mut violation = self.narrate(prepared, scenario, found).unwrap_or_default();
                violation.message = format!("may spin for ever: {}", scenario.line());
                violation.why.push("calls that take effect at once do not".to_owned());
                return Ok(Judgement::Beyond(Box::new(violation)));
            }
        }
        if whole.outcome.ending == Ending::Stopped(Why::States) && self.walk > 0 {
            return Ok(Judgement::Walked);
        }
        if let Some(why) = &whole.stopped {
            return Ok(Judgement::Unknown(why.clone()));
        }
        // Indivisible calls are calls, so all that they come to must be there.
        if self.reference.is_none() && at_once.histories.keys().any(|one| !whole.histories.contains_key(one)) {
            return Ok(Judgement::Unknown(
                "a history of indivisible calls was not found again, which is a defect of Raddle".to_owned(),
            ));
        }
        Ok(Judgement::Within)
    }

    /// Whether indivisible calls may run for ever, too. No reduction is used, so none hides it. If it is not found out, they may.
    fn spins_at_once(
        &self,
        prepared: &mut Prepared<'_, '_>,
        class: &str,
        observer: &mut dyn Observer,
    ) -> Result<bool, Failure> {
        self.begin(prepared, class, true)?;
        let combination = Combination::base();
        prepared.system.semantics = StepSemantics::new(combination.instrumentation());
        let begun = prepared.system.begin(prepared.machine);
        begun.map_err(|error| Failure::unknown(error.to_string()))?;
        let options = Options {
            properties: BTreeSet::from([Property::LIVELOCK]),
            time: limits::time_left(),
            states: Some(self.states),
            ..Options::default()
        };
        let outcome = self.explore(prepared, &combination, &options, observer)?;
        Ok(outcome.ending != Ending::Complete || !outcome.found.is_empty())
    }

    /// The way to a history, as short as can be.
    fn tell(
        &self,
        prepared: &mut Prepared<'_, '_>,
        class: &str,
        scenario: &Scenario,
        whole: &Explored,
        key: u64,
    ) -> Result<Option<Violation>, Failure> {
        self.begin(prepared, class, false)?;
        let Some(found) = whole.outcome.found.iter().find(|found| found.flaw.key == key) else {
            return Ok(None);
        };
        let mut effort = Effort {
            time: PATIENCE,
            stopped: limits::is_interrupted,
            ..Effort::default()
        };
        if let Some(left) = limits::time_left() {
            effort.time = effort.time.min(left.max(MOMENT));
        }
        let short = search::minimise(&prepared.system, prepared.machine, found, &effort);
        Ok(self.narrate(prepared, scenario, &short))
    }

    fn narrate(
        &self,
        prepared: &mut Prepared<'_, '_>,
        scenario: &Scenario,
        found: &Found<Action>,
    ) -> Option<Violation> {
        let mut places = vec![prepared.folder.to_path_buf()];
        places.extend(self.sources.iter().cloned());
        let machine: &mut Machine<'_> = prepared.machine;
        let violation = narrate_inside(
            &prepared.system,
            machine,
            found,
            &mut Sources::new(places),
            &self.subject.class,
        )?;
        Some(Violation {
            property: "linearizable".to_owned(),
            class: self.subject.class.clone(),
            file: String::new(),
            line: 0,
            trace: retell(
                violation.trace,
                scenario,
                &prepared.system.start.class.replace('/', "."),
            ),
            ..violation
        })
    }
}

fn history_of(recorded: history::History, permits: bool) -> History {
    let ended = |ended: history::Ended| Ended {
        threw: ended.threw,
        result: ended.result,
        interrupted: ended.interrupted,
        permit: ended.permit && permits,
    };
    let call = |call: history::Call| Noted {
        after: call.after,
        ended: call.ended.map(ended),
    };
    let threads = recorded.into_iter().map(|calls| calls.into_iter().map(call).collect());
    History {
        threads: threads.collect(),
    }
}
