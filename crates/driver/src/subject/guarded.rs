//! Guarded-command models: `.rad` files.

use super::Subject;
use crate::Failure;
use crate::assumptions;
use crate::options::{Check, HEAP, STACK};
use kernel::{Assumption, Assumptions, Instrumentation, Instrumented, Location, Property};
use model::{Action, Model, State};
use program::input::{self, TEXT_LIMIT, quoted, quoted_path};
use report::model::{Dropped, Event, Held, Report, Row, Stack, Trace, Violation};
use search::{Found, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many values of an observation are named.
const SHOWN: usize = 20;

/// A model and its text.
pub struct Guarded {
    model: Model,
    file: String,
    lines: Vec<String>,
}

/// Whether a program is a model, by its name.
pub fn is_model(program: &str) -> bool {
    Path::new(program)
        .extension()
        .is_some_and(|extension| extension == "rad")
}

impl Guarded {
    /// Reads a model, and makes it ready for what reductions need.
    pub fn read(program: &str, needs: Instrumentation, spurious: bool) -> Result<Guarded, Failure> {
        let shown = quoted(program).to_string();
        let text = input::read_text(Path::new(program), TEXT_LIMIT)
            .map_err(|error| Failure::input(format!("cannot read {shown}: {error}")))?;
        let compiled = model::parse(&text).and_then(|tree| Model::new(&tree, false));
        let mut model = compiled.map_err(|error| Failure::input(error.show(&shown, &text)))?;
        model.instrument(needs);
        model.spurious = spurious;
        let name = Path::new(program).file_name().unwrap_or_default();
        Ok(Guarded {
            model,
            file: name.to_string_lossy().into_owned(),
            lines: text.lines().map(str::to_owned).collect(),
        })
    }

    /// Has variables accessed by the rules of a file.
    pub fn set_discipline(&mut self, file: &Path) -> Result<(), Failure> {
        let name = quoted_path(file).to_string();
        let text = input::read_text(file, TEXT_LIMIT)
            .map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
        let set = self.model.set_discipline(&text);
        set.map_err(|error| Failure::input(error.show(&name, &text)))
    }

    /// Races on these variables are fine.
    pub fn allow_races(&mut self, names: &[String]) -> Result<(), Failure> {
        for name in names {
            if !self.model.plain_variables().any(|known| known == name) {
                let known: Vec<&str> = self.model.plain_variables().collect();
                return Err(Failure::input(format!(
                    "--allow-race {name}: the model has no such `int` variable; it has {}",
                    if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    }
                )));
            }
        }
        self.model.allowed = names.to_vec();
        Ok(())
    }

    fn source(&self, line: u32) -> String {
        let line = (line as usize).checked_sub(1).and_then(|line| self.lines.get(line));
        line.map(|line| line.trim().to_owned()).unwrap_or_default()
    }

    fn row(&self, state: &mut State, action: Action) -> Row {
        let line = self.model.line(state, action.thread as usize).unwrap_or_default();
        Row {
            thread: action.thread as usize,
            file: self.file.clone(),
            line,
            source: self.source(line),
            events: self.model.events(state, action).into_iter().map(event).collect(),
            steps: 1,
            ..Row::default()
        }
    }

    fn locks(&self, state: &mut State) -> Vec<Held> {
        let held = self.model.held(state).into_iter();
        held.map(|held| Held {
            object: held.lock,
            owner: held.owner,
            wanted_by: held.wanted_by,
        })
        .collect()
    }

    fn stacks(&self, state: &mut State) -> Vec<Stack> {
        let threads = (0..self.model.threads()).map(|thread| {
            let line = self.model.line(state, thread);
            Stack {
                thread: self.model.thread_name(thread).to_owned(),
                state: self.model.status(state, thread),
                frames: line
                    .map(|line| format!("{}:{line}  {}", self.file, self.source(line)))
                    .into_iter()
                    .collect(),
            }
        });
        threads.collect()
    }
}

impl Subject for Guarded {
    type System = Model;

    fn system(&self) -> &Model {
        &self.model
    }

    fn proposition(&self, _state: &model::State, text: &str) -> Result<model::Proposition, String> {
        self.model.proposition(text)
    }

    fn start(&self) -> Result<State, Failure> {
        Ok(self.model.start())
    }

    fn tell_assumptions(&self, _state: &mut State, assumptions: &Assumptions, report: &mut Report) {
        let sentence = |assumption: Assumption| {
            let sentence = assumption.kind.sentence_for_models?;
            let (object, cell) = (assumption.class, assumption.cell);
            Some(sentence(&self.model.location_name(Location { object, cell })))
        };
        report
            .assumed
            .extend(assumptions.relied().into_iter().filter_map(sentence));
        for violation in assumptions.refuted() {
            let Some(sentence) = sentence(violation.assumption) else {
                continue;
            };
            report.dropped.push(Dropped {
                what: sentence + &assumptions::other_access(&violation),
                thread: violation.at.thread,
                file: self.file.clone(),
                line: violation.at.line,
                ..Dropped::default()
            });
        }
        report.notes.extend(assumptions.doubts().iter().map(assumptions::doubt));
    }

    fn narrate(&mut self, state: &mut State, found: &Found<Action>) -> Option<Violation> {
        let mut trace = Trace {
            threads: (0..self.model.threads())
                .map(|thread| self.model.thread_name(thread).to_owned())
                .collect(),
            sources: BTreeMap::from([(self.file.clone(), self.lines.clone())]),
            schedule: found.actions.iter().map(Action::to_string).collect(),
            ..Trace::default()
        };
        let mut row_of_step = Vec::new();
        let mut last = None;
        let undos = search::replay(&self.model, state, &found.actions, |state, transitions, action| {
            if let Some(row) = trace.rows.last_mut() {
                row.locks = self.locks(state);
            }
            let Some(action) = action else {
                last = Some((self.model.explain(state, transitions, found.flaw), self.stacks(state)));
                return;
            };
            let row = self.row(state, action);
            match trace.rows.last_mut() {
                Some(before) if (before.thread, before.line) == (row.thread, row.line) => {
                    before.events.extend(row.events);
                    before.steps += 1;
                }
                _ => trace.rows.push(row),
            }
            row_of_step.push(trace.rows.len() - 1);
        });
        search::rewind(&self.model, state, undos.ok()?);
        let (explanation, stacks) = last?;
        trace.loop_start = found
            .loop_start
            .map(|step| row_of_step.get(step).copied().unwrap_or(trace.rows.len()));
        Some(Violation {
            property: found.flaw.property.name().to_owned(),
            message: explanation.message,
            file: self.file.clone(),
            line: explanation.line,
            why: explanation.why,
            stacks,
            trace,
            ..Violation::default()
        })
    }

    fn remark(&mut self, _state: &mut State, outcome: &Outcome<Action>, _options: &Check, report: &mut Report) {
        let mut observed: BTreeMap<(u32, &str), BTreeSet<i32>> = BTreeMap::new();
        for (text, line, value) in outcome.marks.iter().filter_map(|&mark| self.model.observation(mark)) {
            observed.entry((line, text)).or_default().insert(value);
        }
        for ((line, text), values) in observed {
            let more = if values.len() > SHOWN { ", …" } else { "" };
            let shown: Vec<String> = values.iter().take(SHOWN).map(i32::to_string).collect();
            let note = format!("line {line} observes {text}: {}{more}", shown.join(", "));
            report.notes.push(note);
        }
    }
}

/// Refuses what only a Java program has, in words.
pub fn refuse_java_options(options: &Check) -> Result<(), Failure> {
    let (how, subject) = (&options.how, &options.how.subject);
    let given = [
        ("-cp", !subject.classes.class_path.is_empty()),
        ("--jdk", subject.classes.jdk.is_some()),
        ("-D", !subject.define.is_empty()),
        ("--heap", subject.heap != HEAP),
        ("--stack", subject.stack != STACK),
        ("--entry", how.entry.is_some()),
        ("--operation", !how.operation.is_empty()),
        ("--self-locking", !how.self_locking.is_empty()),
        ("--shared", !how.shared.is_empty()),
        ("--source", !options.source.is_empty()),
    ];
    if let Some((name, _)) = given.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!(
            "{name} is for Java programs, and {} is a model",
            subject.program
        )));
    }
    if let Some(argument) = subject.arguments.first() {
        return Err(Failure::input(format!(
            "{} is a model, and a model takes no arguments, such as `{argument}`",
            subject.program
        )));
    }
    if how.properties.contains(&Property::REACHABLE) {
        return Err(Failure::input(
            "--property reachable is for Java programs: use `observe` in a model, and see what it says was observed",
        ));
    }
    Ok(())
}

fn event(event: model::Event) -> Event {
    match event {
        model::Event::Read { location, value } => Event::Read {
            place: location,
            value: value.to_string(),
        },
        model::Event::Write { location, old, new } => Event::Write {
            place: location,
            old: old.to_string(),
            new: new.to_string(),
        },
        model::Event::Lock(object) => Event::Lock { object },
        model::Event::Unlock(object) => Event::Unlock { object },
        model::Event::Other(text) => Event::Other { text },
    }
}
