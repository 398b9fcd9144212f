//! A schedule that a check has written down, followed once more.

use crate::observer::Observer;
use crate::options::{self, Classes, HEAP, LibraryMode, Replay, STACK};
use crate::sources::Sources;
use crate::subject::guarded::{self, Guarded};
use crate::subject::java::{JavaProgram, source_places};
use crate::subject::{ActionOf, Subject};
use crate::{Failure, operations, target, world};
use kernel::{Flaw, Property, System};
use library::Library;
use machine::system::Java;
use machine::{Start, StepSemantics};
use program::input::{self, FILE_LIMIT, quoted, quoted_path};
use reduction::Combination;
use report::TraceFile;
use report::model::{Report, SCHEMA, Verdict};
use search::Found;
use std::path::PathBuf;

/// A schedule to be followed.
pub struct Schedule {
    options: Replay,
    file: TraceFile,
    property: Property,
}

impl Schedule {
    /// Reads a file that a check has written.
    pub fn read(options: Replay) -> Result<Schedule, Failure> {
        let shown = quoted_path(&options.trace);
        let text = input::read_text(&options.trace, FILE_LIMIT)
            .map_err(|error| Failure::input(format!("cannot read {shown}: {error}")))?;
        let file =
            TraceFile::from_json(&text).map_err(|error| Failure::input(format!("{shown}: {}", quoted(error))))?;
        let property = Property::named(&file.property)
            .ok_or_else(|| Failure::input(format!("there is no property `{}`", quoted(&file.property))))?;
        Ok(Schedule {
            options,
            file,
            property,
        })
    }

    /// Follows the schedule. The verdict is that it is violated if that leads to the violation that the file names; else unknown.
    pub fn replay(&self, observer: &mut dyn Observer) -> Result<Report, Failure> {
        if guarded::is_model(&self.file.program) {
            let needs = self.combination()?.instrumentation();
            let spurious = self.option("spurious").is_some();
            self.follow(&mut Guarded::read(&self.file.program, needs, spurious)?)
        } else {
            self.follow_java(observer)
        }
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.file.options.get(name).map(String::as_str)
    }

    fn reduce(&self) -> &str {
        self.option("reduce").unwrap_or("base")
    }

    /// A report before anything was followed.
    pub fn blank_report(&self) -> Report {
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: self.file.program.clone(),
            verdict: Verdict::Unknown,
            reductions: self.reduce().split(',').map(str::to_owned).collect(),
            properties: vec![self.property.name().to_owned()],
            search: "replay".to_owned(),
            store: "exact".to_owned(),
            ..Report::default()
        }
    }

    /// The reductions that were used.
    fn combination(&self) -> Result<Combination, Failure> {
        Combination::named(self.reduce().split(',')).map_err(|illegal| {
            Failure::input(format!(
                "{}: {}",
                quoted_path(&self.options.trace),
                quoted(illegal.to_string())
            ))
        })
    }

    fn follow_java(&self, observer: &mut dyn Observer) -> Result<Report, Failure> {
        let needs = self.combination()?.instrumentation();
        let (options, file) = (&self.options, &self.file);
        let number = |name: &str, otherwise: u64| {
            let given = self.option(name).and_then(|text| text.parse().ok());
            given.unwrap_or(otherwise)
        };
        let subject = options::Subject {
            classes: Classes {
                class_path: file.class_path.clone(),
                jdk: options.jdk.clone(),
            },
            define: self
                .option("define")
                .map(|text| text.lines().map(str::to_owned).collect())
                .unwrap_or_default(),
            heap: number("heap", HEAP),
            stack: number("stack", STACK),
            program: file.program.clone(),
            arguments: file.arguments.clone(),
        };
        let target = target::resolve(&subject.classes, &subject.program, file.entry.as_deref(), observer)?;
        let (class_path, entry) = (target.class_path_text.clone(), target.entry.clone());
        let sources = source_places(&options.source, &subject.program, &class_path);
        let mut semantics = StepSemantics {
            spurious: self.option("spurious").is_some(),
            locks: self.property == Property::LOCK,
            ..StepSemantics::new(needs)
        };
        let lessons: Vec<&str> = self.option("learned").unwrap_or_default().split(',').collect();
        semantics.drop_named(&lessons);
        let patterns = self.option("operation").unwrap_or_default();
        let patterns: Vec<String> = patterns
            .split(',')
            .filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect();
        let mode = match self.option("library") {
            Some("operations") => LibraryMode::Operations,
            _ => LibraryMode::Whole,
        };
        let certificates = self.option("certificates").map(PathBuf::from);
        let operations = operations::read(mode, &target.jdk, certificates.as_deref(), &patterns)?;
        world::with_shared(target, &Library::exploring(), &subject, |shared, main_class| {
            let system = Java {
                shared,
                start: Start {
                    class: main_class.to_owned(),
                    entry,
                    arguments: file.arguments.clone(),
                },
                semantics,
                alone: true,
                allowed: Vec::new(),
                operations: operations.table.clone(),
            };
            self.follow(&mut JavaProgram {
                system,
                sources: Sources::new(sources),
                class_path,
                discipline: None,
                operations,
            })
        })
    }

    /// Follows the schedule in its subject, to the violation that the file names.
    fn follow<S: Subject>(&self, subject: &mut S) -> Result<Report, Failure> {
        let (file, property) = (&self.file, self.property);
        let actions: Vec<ActionOf<S>> = file
            .schedule
            .iter()
            .map(|word| word.parse())
            .collect::<Result<_, String>>()
            .map_err(|error| Failure::input(format!("{}: {}", quoted_path(&self.options.trace), quoted(error))))?;
        let mut state = subject.start()?;
        let system = subject.system();
        let mut flaws = Vec::new();
        let undos = search::replay(system, &mut state, &actions, |state, transitions, action| {
            if action.is_some() {
                return;
            }
            flaws = search::flaws_of(system, state, transitions, property);
            if property.is_endless() {
                let key = system.stuck(state);
                flaws.push(Flaw { property, key });
            }
        });
        let undos = undos.map_err(|blocked| {
            Failure::unknown(format!(
                "the schedule cannot be followed beyond step {} of {}: the program or the JDK is another one now",
                blocked.at,
                actions.len()
            ))
        })?;
        search::rewind(system, &mut state, undos);
        let mut report = Report {
            transitions: actions.len() as u64,
            max_depth: actions.len() as u64,
            ..self.blank_report()
        };
        flaws.dedup();
        for flaw in flaws {
            let found = Found {
                flaw,
                actions: actions.clone(),
                loop_start: self.option("loop").and_then(|text| text.parse().ok()),
            };
            if let Some(violation) = subject.narrate(&mut state, &found)
                && violation.message == file.message
            {
                report.verdict = Verdict::Violated;
                report.violations.push(violation);
                break;
            }
        }
        if report.violations.is_empty() {
            report.reason = Some(format!("the schedule no longer leads to: {}", file.message));
            report.help = Some("check the program again".to_owned());
        }
        Ok(report)
    }
}
