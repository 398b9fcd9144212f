//! `raddle replay`.

use crate::arguments::{Classes, Replay, Subject};
use crate::check::{peak_bytes, source_places};
use crate::narrate::narrate;
use crate::publish::publish;
use crate::sources::Sources;
use crate::{Failure, target, world};
use kernel::{Flaw, Property, System};
use library::Library;
use machine::system::{Action, Java};
use machine::{Manner, Start};
use report::TraceFile;
use report::model::{Report, SCHEMA};
use search::Found;
use std::time::Instant;

/// Follows a schedule; the status tells whether it leads to the violation that the file names.
pub fn replay(options: &Replay) -> Result<u8, Failure> {
    let begun = Instant::now();
    let file = TraceFile::read(&options.trace).map_err(Failure::input)?;
    let actions: Vec<Action> = file
        .schedule
        .iter()
        .map(|word| word.parse())
        .collect::<Result<_, String>>()
        .map_err(|error| Failure::input(format!("{}: {error}", options.trace.display())))?;
    let property = Property::named(&file.property)
        .ok_or_else(|| Failure::input(format!("there is no property `{}`", file.property)))?;
    let option = |name: &str| file.options.get(name).map(String::as_str);
    let number = |name: &str, otherwise: u64| option(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let subject = Subject {
        classes: Classes {
            class_path: file.class_path.clone(),
            jdk: options.jdk.clone(),
        },
        define: option("define")
            .map(|text| text.lines().map(str::to_owned).collect())
            .unwrap_or_default(),
        heap: number("heap", 1 << 30),
        stack: number("stack", 1 << 20),
        program: file.program.clone(),
        arguments: file.arguments.clone(),
    };
    let target = target::resolve(&subject.classes, &subject.program, file.entry.as_deref())?;
    let class_path = target.class_path_text.clone();
    let sources = source_places(&options.source, &subject.program, &class_path);
    let reduce = option("reduce").unwrap_or("base").to_owned();
    let report = world::with_shared(target, &Library::exploring(), &subject, |shared, main_class| {
        let system = Java {
            shared,
            start: Start {
                class: main_class.to_owned(),
                entry: file.entry.clone(),
                arguments: file.arguments.clone(),
            },
            manner: Manner {
                every: reduce == "none",
                spurious: option("spurious").is_some(),
                locks: property == Property::Lock,
                prints: option("prints").is_some(),
            },
            allowed: Vec::new(),
        };
        let mut machine = system
            .machine()
            .map_err(|error| world::launch_failure(error, &class_path))?;
        let mut flaws = Vec::new();
        let undos = search::replay(&system, &mut machine, &actions, |machine, menu, action| {
            if action.is_some() {
                return;
            }
            flaws.extend(menu.flaws.iter().copied());
            flaws.extend(menu.races().filter_map(|(one, two)| {
                let key = system.race(machine, one, two)?;
                let property = Property::Race;
                Some(Flaw { property, key })
            }));
            for property in [Property::Deadlock, Property::Livelock] {
                let key = system.stuck(machine);
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
        search::rewind(&system, &mut machine, undos);
        let mut report = Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: file.program.clone(),
            verdict: "unknown".to_owned(),
            reductions: reduce.split(',').map(str::to_owned).collect(),
            properties: vec![property.name().to_owned()],
            search: "replay".to_owned(),
            store: "exact".to_owned(),
            transitions: actions.len() as u64,
            max_depth: actions.len() as u64,
            ..Report::default()
        };
        let mut sources = Sources::new(sources);
        flaws.dedup();
        for flaw in flaws.into_iter().filter(|flaw| flaw.property == property) {
            let found = Found {
                flaw,
                actions: actions.clone(),
                loop_start: option("loop").and_then(|text| text.parse().ok()),
            };
            if let Some(violation) = narrate(&system, &mut machine, &found, &mut sources)
                && violation.message == file.message
            {
                report.verdict = "violated".to_owned();
                report.violations.push(violation);
                break;
            }
        }
        if report.violations.is_empty() {
            report.reason = Some(format!("the schedule no longer leads to: {}", file.message));
            report.help = Some("check the program again".to_owned());
        }
        report.seconds = begun.elapsed().as_secs_f64();
        report.peak_bytes = peak_bytes();
        Ok(report)
    })?;
    publish(&report, options.json.as_deref(), options.html.as_deref(), options.quiet)
}
