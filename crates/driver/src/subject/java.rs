//! Java programs.

use super::Subject;
use crate::analyze::entry_method;
use crate::narrate::narrate;
use crate::operations::Known;
use crate::options::{Check, LibraryMode};
use crate::remarks::{habits, idle_allowances, interrupted_blocks, observations, random_numbers, unreached};
use crate::sources::Sources;
use crate::{Failure, assumptions, consistency, discipline, growth, operations, propositions, world};
use analysis::{Escape, Verdict};
use kernel::{Assumptions, Instrumentation};
use machine::system::{Action, Java};
use machine::{Caveat, Machine, Proposition, Start};
use program::world::MethodId;
use report::model::{Report, Violation};
use search::{Found, Outcome};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A Java program.
pub struct JavaProgram<'p> {
    /// The program on the machine.
    pub system: Java<'p>,
    /// Its sources, for traces.
    pub sources: Sources,
    /// Where its classes are, for messages.
    pub class_path: String,
    /// Rules by which its fields are accessed.
    pub discipline: Option<PathBuf>,
    /// What takes effect at once.
    pub operations: Known,
}

impl JavaProgram<'_> {
    /// What executions have shown that the verdict does not cover.
    fn caveats(&self) -> BTreeSet<Caveat> {
        let caveats = self.system.shared.caveats.lock();
        caveats.unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}

impl<'p> Subject for JavaProgram<'p> {
    type System = Java<'p>;

    fn system(&self) -> &Java<'p> {
        &self.system
    }

    fn proposition(&self, state: &Machine<'p>, text: &str) -> Result<Proposition, String> {
        propositions::read(state, text)
    }

    fn start(&self) -> Result<Machine<'p>, Failure> {
        let mut machine = self
            .system
            .machine()
            .map_err(|error| world::launch_failure(error, &self.class_path))?;
        if self.system.semantics.has(Instrumentation::PROOFS) {
            let start = &self.system.start;
            machine.proved = proved(&machine, start, &self.class_path)?;
        }
        if let Some(file) = &self.discipline {
            machine.discipline = Some(Arc::new(discipline::read(machine.program, file)?));
        }
        self.system
            .go_ahead(&mut machine)
            .map_err(|error| world::launch_failure(error, &self.class_path))?;
        Ok(machine)
    }

    fn assumptions(&self, machine: &mut Machine<'p>, options: &Check) -> Result<Assumptions, Failure> {
        assumptions::claims(machine, options)
    }

    fn tell_assumptions(&self, machine: &mut Machine<'p>, assumptions: &Assumptions, report: &mut Report) {
        report.assumed = assumptions::assumed(machine, assumptions);
        report.dropped = assumptions::dropped(machine, assumptions);
        report.notes.extend(assumptions.doubts().iter().map(assumptions::doubt));
    }

    fn narrate(&mut self, machine: &mut Machine<'p>, found: &Found<Action>) -> Option<Violation> {
        narrate(&self.system, machine, found, &mut self.sources)
    }

    fn unreached(&mut self, machine: &mut Machine<'p>, outcome: &Outcome<Action>) -> Vec<Violation> {
        unreached(machine, outcome, &mut self.sources)
    }

    fn consistency(&self, races: bool) -> Option<String> {
        Some(consistency::line(self.system.shared.program, races, &self.caveats()))
    }

    fn remark(&mut self, machine: &mut Machine<'p>, outcome: &Outcome<Action>, options: &Check, report: &mut Report) {
        report.observations = observations(machine, outcome);
        report.notes.extend(interrupted_blocks(machine, outcome));
        report.rests_on.extend(random_numbers(machine));
        report.rests_on.extend(habits(machine, options, &self.caveats()));
        report.notes.extend(idle_allowances(machine, &options.how.allow_race));
        let assumed = machine.operations_used(false);
        report.rests_on.extend(operations::assumed_line(&assumed));
        report.notes.extend(operations::idle(&options.how.operation, &assumed));
        if report.verdict == report::model::Verdict::Unknown && options.how.library == LibraryMode::Whole {
            report.notes.push(operations::SUGGESTION.to_owned());
        }
        report.operations = machine.operations_used(true);
        report
            .rests_on
            .extend(self.operations.certified_line(&report.operations));
    }

    fn growing(&mut self, machine: &mut Machine<'p>) -> Option<String> {
        growth::growing(&self.system, machine)
    }
}

/// The places, by method and instruction, whose objects are proved never to be shared.
pub fn proved(
    machine: &Machine<'_>,
    start: &Start,
    class_path: &str,
) -> Result<Arc<HashSet<(MethodId, u32)>>, Failure> {
    let (program, natives) = (machine.program, machine.shared.natives);
    let entry = entry_method(program, &start.class, start.entry.as_deref(), class_path)?;
    let escape = Escape::of(program, entry, &|method| natives.stands_in(program, method));
    let local = escape.sites().iter().filter(|site| site.verdict == Verdict::Local);
    Ok(Arc::new(local.map(|site| (site.method, site.at)).collect()))
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
