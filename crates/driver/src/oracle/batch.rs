//! Programs that are compiled at once and searched one after the other, on one machine that goes back to its image for each.

use super::is_spurious;
use crate::batch::{Batch, Prepared};
use crate::jdk_operations::groups;
use crate::narrate::narrate;
use crate::sources::Sources;
use crate::subject::java::proved;
use crate::{Failure, certificate, discipline};
use kernel::{Assumptions, Instrumentation, Property};
use machine::discipline::Discipline;
use machine::system::{Action, Java};
use machine::{Machine, Mark, Operations, StepSemantics};
use oracle::compare::{Finding, Ran, Strategy, Subject, Summary, search};
use program::jdk::Jdk;
use program::world::{MethodId, Program};
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

/// The operations that may take effect at once: all of the table, certified or not.
static OPERATIONS: LazyLock<Arc<Operations>> = LazyLock::new(|| Arc::new(certificate::operations(&groups())));

/// Calls `body` for each program, given by the name of its class and its source, with its position. Its circumstances are those of a
/// seed.
pub fn each(
    jdk: &Jdk,
    programs: &[(String, String)],
    seeds: impl Fn(usize) -> u64,
    mut body: impl FnMut(usize, &mut Case<'_, '_>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let batch = Batch {
        jdk,
        class_path: "",
        programs,
    };
    batch.each(|position, prepared| {
        let Prepared {
            system,
            machine,
            class_path,
            ..
        } = prepared;
        let mut case = Case {
            system,
            machine,
            seed: seeds(position),
            class_path,
            proved: None,
        };
        body(position, &mut case)
    })
}

/// Rules of exclusive access for `optimistic`, where `P` stands for the program; most are wrong, and must be found to be so.
const RULES: &[&str] = &[
    "protected P.N.*: owner(this) == thread;",
    "protected P.N.*: has(this);",
    "protected int[]: owner(this) == thread; unprotected P.N.*;",
    "protected P.N[]: has(this) and not thread == main;",
    "protected P.N.*: this.k == 1 and has(this) or owner(this.next) == thread;",
    "protected P.i0: locked(java.lang.Object); protected P.i1: thread == main or locked(P.N);",
];

/// The rules for the program of a seed, as they are said of this class: there are some for two in three.
pub fn rules(seed: u64, class: &str) -> Option<String> {
    let number = seed as usize % (RULES.len() * 3 / 2);
    Some(RULES.get(number)?.replace("P.", &format!("{class}.")))
}

/// The same as what they mean, unless they name what the program does not have.
fn discipline(program: &Program, seed: u64, class: &str) -> Option<Arc<Discipline>> {
    discipline::parse(program, &rules(seed, class)?).ok().map(Arc::new)
}

/// One program of a batch.
pub struct Case<'p, 'm> {
    system: Java<'p>,
    machine: &'m mut Machine<'p>,
    /// What the circumstances of the program are drawn from: whether threads wake up for no reason, and which rules it has.
    seed: u64,
    class_path: &'m str,
    /// The places whose objects are proved never to be shared, once somebody wants to know.
    proved: Option<Arc<HashSet<(MethodId, u32)>>>,
}

impl Case<'_, '_> {
    fn begin(&mut self) -> Result<(), Failure> {
        let (machine, start) = (&mut *self.machine, &self.system.start);
        if self.system.semantics.has(Instrumentation::PROOFS) {
            if self.proved.is_none() {
                self.proved = Some(proved(machine, start, self.class_path)?);
            }
            machine.proved = self.proved.clone().unwrap_or_default();
        }
        machine.discipline = discipline(machine.program, self.seed, &start.class);
        self.system
            .begin(machine)
            .map_err(|error| Failure::unknown(error.to_string()))
    }

    /// Searches as the strategy says.
    fn ran(&mut self, strategy: &Strategy) -> Result<Ran<Action>, String> {
        // What other programs and strategies of the batch have shown has nothing to do with it.
        *self.system.shared.assumptions() = Assumptions::default();
        self.system.semantics = StepSemantics {
            locks: true,
            spurious: is_spurious(self.seed),
            ..StepSemantics::new(strategy.combination.instrumentation())
        };
        // Two orders of two steps must lead to one state, and not to two that are alike.
        self.system.semantics.names_threads |= strategy.commute;
        // Claims are about single steps: who is alone after the last step of another takes several at once, which commute one by one.
        self.system.semantics.solo &= !strategy.commute;
        self.system.operations = match strategy.at_once {
            true => OPERATIONS.clone(),
            false => Arc::default(),
        };
        self.begin().map_err(|failure| failure.to_string())?;
        search(&self.system, self.machine, strategy)
    }

    /// Property, message and line of the first violation that a strategy comes to.
    pub fn first_violation(&mut self, strategy: &Strategy) -> Option<(String, String, u32)> {
        self.violation(strategy, None)
    }

    fn violation(&mut self, strategy: &Strategy, wanted: Option<Finding>) -> Option<(String, String, u32)> {
        let outcome = self.ran(strategy).ok()?.outcome;
        let is_wanted = |finding| wanted.is_none_or(|wanted| wanted == finding);
        let found = outcome
            .found
            .iter()
            .find(|found| is_wanted(Finding::Flaw(found.flaw)))?;
        self.begin().ok()?;
        let told = narrate(&self.system, self.machine, found, &mut Sources::new(Vec::new()))?;
        Some((told.property, told.message, told.line))
    }
}

impl Subject for Case<'_, '_> {
    fn run(&mut self, strategy: &Strategy) -> Result<Summary, String> {
        let mut ran = self.ran(strategy)?;
        // Where an atomic block had to wait is no business of the program's.
        ran.outcome
            .marks
            .retain(|&mark| !matches!(Mark::read(mark), Mark::Interrupted(..)));
        Ok(Summary::new(&ran))
    }

    fn describe(&mut self, strategy: &Strategy, finding: Finding) -> String {
        match finding {
            Finding::Flaw(flaw) => match self.violation(strategy, Some(finding)) {
                Some((property, message, line)) if flaw.property != Property::RACE => {
                    format!("{property}, line {line}: {message}")
                }
                Some((_, message, line)) => format!("line {line}: {message}"),
                None => format!("{finding:?}"),
            },
            Finding::Mark(mark) => match Mark::read(mark) {
                Mark::Observed(method, pc, value) => {
                    let line = self.machine.frame(method, self.machine.bci(method, pc)).line;
                    format!("observation of {value}, line {line}")
                }
                other => format!("{other:?}"),
            },
            Finding::Deadlock => "a state in which nobody can move".to_owned(),
            Finding::End => "the end of the program".to_owned(),
            Finding::Ignored => "a state that the program asks to be forgotten".to_owned(),
        }
    }
}
