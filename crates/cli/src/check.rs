//! `raddle check`.

use crate::arguments::{Check, SearchOrder, StoreKind};
use crate::narrate::narrate;
use crate::progress::{self, Progress};
use crate::sources::Sources;
use crate::{Failure, growth, target, world};
use kernel::Property;
use library::Library;
use machine::system::{Action, Java};
use machine::{Machine, Manner, Mark, Shared, Start};
use program::ir::Instr;
use program::world::LoaderId;
use report::model::{Report, SCHEMA, Violation};
use report::{Style, TraceFile};
use search::{Effort, Ending, Options, Order, Outcome, Why};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;
use store::Visited;

/// The reductions and what each is, in a line.
pub const REDUCTIONS: [(&str, &str); 2] = [
    ("none", "every instruction is a step: for comparisons and for tests"),
    (
        "base",
        "a step is one access to heap, statics, monitors or threads, and all local work after it",
    ),
];

/// Checks a program; the status tells the verdict.
pub fn check(options: &Check) -> Result<u8, Failure> {
    let begun = Instant::now();
    let subject = &options.subject;
    let plan = Plan::new(options)?;
    let target = target::resolve(&subject.classes, &subject.program, options.entry.as_deref())?;
    let class_path = target.class_path_text.clone();
    let sources = source_places(&options.source, &subject.program, &class_path);
    progress::listen();
    for path in [&options.json, &options.html, &options.trace].into_iter().flatten() {
        // Whoever cannot write the answer down should not work for hours first.
        if path != Path::new("-") {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .map_err(|error| Failure::input(format!("cannot write {}: {error}", path.display())))?;
        }
    }
    let report = world::with_shared(target, &Library::exploring(), subject, |shared, main_class| {
        let (system, mut machine, visited, outcome) = plan.explore(shared, main_class, options, &class_path)?;
        let mut report = plan.report(options, &outcome, &*visited);
        drop(visited);
        let mut sources = Sources::new(sources);
        for found in &outcome.found {
            let short = search::minimise(&system, &mut machine, found, &Effort::default());
            report
                .violations
                .extend(narrate(&system, &mut machine, &short, &mut sources));
        }
        let all_seen = match &outcome.ending {
            Ending::Complete => true,
            Ending::Stopped(why) => *why == Why::Inexact && options.store == StoreKind::Fingerprint,
        };
        if plan.options.properties.contains(&Property::Reachable) && all_seen {
            report.violations.extend(unreached(&machine, &outcome, &mut sources));
        }
        judge(&mut report, &outcome, &plan, options);
        report.notes.extend(interrupted_blocks(&machine, &outcome));
        report.rests_on.extend(weak_accesses(&machine));
        report.rests_on.extend(random_numbers(&machine));
        report.rests_on.extend(habits(&machine, options));
        if matches!(
            outcome.ending,
            Ending::Stopped(Why::Time | Why::Memory | Why::States | Why::Interrupted | Why::Full)
        ) && report.verdict == "unknown"
            && let Some(what) = growth::growing(&system, &mut machine)
        {
            report.notes.push(what);
        }
        report.seconds = begun.elapsed().as_secs_f64();
        report.peak_bytes = peak_bytes();
        Ok(report)
    })?;
    let with_trace = |violation: &&Violation| !violation.trace.schedule.is_empty();
    if let (Some(path), Some(violation)) = (&options.trace, report.violations.iter().find(with_trace)) {
        trace_file(options, violation).write(path).map_err(Failure::input)?;
    }
    publish(&report, options.json.as_deref(), options.html.as_deref(), options.quiet)
}

/// The user's options, checked.
struct Plan {
    options: Options,
    manner: Manner,
    memory: u64,
}

impl Plan {
    fn new(options: &Check) -> Result<Plan, Failure> {
        for name in &options.reduce {
            if !REDUCTIONS.iter().any(|(known, _)| known == name) {
                return Err(unknown_name(
                    "reduction",
                    name,
                    REDUCTIONS.iter().map(|(known, _)| *known),
                ));
            }
        }
        let none = options.reduce.iter().any(|name| name == "none");
        if none && options.reduce.len() > 1 {
            return Err(Failure::input("--reduce none goes with no other reduction: choose one"));
        }
        let mut properties = BTreeSet::new();
        for name in &options.property {
            let property = Property::named(name)
                .ok_or_else(|| unknown_name("property", name, Property::ALL.into_iter().map(Property::name)))?;
            properties.insert(property);
        }
        if properties.is_empty() {
            properties.extend(Property::ALL.into_iter().filter(|property| property.is_default()));
        }
        if options.search == SearchOrder::Random && options.time.is_none() && options.states.is_none() {
            return Err(Failure::input(
                "a random search does not end by itself: give --time or --states",
            ));
        }
        let memory = options.memory.unwrap_or_else(|| available_bytes() / 4 * 3);
        let manner = Manner {
            every: none,
            spurious: options.spurious,
            locks: properties.contains(&Property::Lock),
            prints: false,
        };
        let options = Options {
            order: match options.search {
                SearchOrder::Dfs => Order::Depth,
                SearchOrder::Bfs => Order::Breadth,
                SearchOrder::Random => Order::Random,
            },
            properties,
            all: options.all,
            time: options.time,
            memory: Some(memory),
            states: options.states,
            preemptions: options.preemptions,
            seed: options.seed,
            shuffle: options.shuffle,
        };
        options
            .check()
            .map_err(|conflict| Failure::input(conflict.to_string()))?;
        Ok(Plan {
            options,
            manner,
            memory,
        })
    }

    /// Explores the program; once more, with printing as the JDK does it, if that turns out to matter.
    #[allow(clippy::type_complexity)] // used once
    fn explore<'p>(
        &self,
        shared: &'p Shared<'p>,
        main_class: &str,
        options: &Check,
        class_path: &str,
    ) -> Result<(Java<'p>, Machine<'p>, Box<dyn Visited>, Outcome<Action>), Failure> {
        let mut system = self.system(shared, main_class, options);
        loop {
            let mut machine = system
                .machine()
                .map_err(|error| world::launch_failure(error, class_path))?;
            let mut visited: Box<dyn Visited> = match options.store {
                StoreKind::Exact => Box::new(store::Exact::new()),
                StoreKind::Fingerprint => Box::new(store::Fingerprint::new()),
                StoreKind::Bits => Box::new(store::Bits::new(self.memory / 2)),
            };
            let mut watch = Progress::new(options.quiet, options.time, self.memory);
            let outcome = search::explore(&system, &mut machine, &mut *visited, &self.options, &mut watch);
            let outcome = outcome.map_err(|conflict| Failure::input(conflict.to_string()))?;
            watch.finish();
            // SOUNDNESS: printing is left out of the interleavings only as long as nobody could tell.
            let matters = shared.console_matters.load(Ordering::Relaxed);
            if !matters || system.manner.prints || !outcome.found.is_empty() {
                return Ok((system, machine, visited, outcome));
            }
            system.manner.prints = true;
        }
    }

    fn system<'p>(&self, shared: &'p Shared<'p>, main_class: &str, options: &Check) -> Java<'p> {
        Java {
            shared,
            start: Start {
                class: main_class.to_owned(),
                entry: options.entry.clone(),
                arguments: options.subject.arguments.clone(),
            },
            manner: self.manner,
            allowed: options.allow_race.clone(),
        }
    }

    fn report(&self, options: &Check, outcome: &Outcome<Action>, visited: &dyn Visited) -> Report {
        let figures = &outcome.figures;
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: options.subject.program.clone(),
            reductions: options.reduce.clone(),
            properties: self
                .options
                .properties
                .iter()
                .map(|property| property.name().to_owned())
                .collect(),
            search: name_of(&options.search),
            store: name_of(&options.store),
            states: figures.states,
            transitions: figures.transitions,
            max_depth: figures.max_depth,
            threads: figures.threads.into(),
            bytes_per_state: visited.bytes() as f64 / (visited.len().max(1)) as f64,
            collision_probability: visited.collision_probability(),
            ..Report::default()
        }
    }
}

fn name_of(value: &impl clap::ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

fn unknown_name(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Failure {
    let known: Vec<&str> = known.collect();
    Failure::input(format!("there is no {kind} `{name}`; there are {}", known.join(", ")))
}

/// The verdict, why it is unknown and what would help, and what it rests on.
fn judge(report: &mut Report, outcome: &Outcome<Action>, plan: &Plan, options: &Check) {
    let unknown = |why: &Why| -> Option<(String, &str)> {
        Some(match why {
            Why::Time | Why::States if options.search == SearchOrder::Random => (
                "a random search sees only some executions, and found nothing in them".to_owned(),
                "use --search dfs for all executions, or go on with another --seed",
            ),
            Why::Time => (
                "the time that --time allows is used up".to_owned(),
                "give more time, a smaller program, or --preemptions N for a partial answer",
            ),
            Why::Memory => (
                "the memory that --memory allows is used up".to_owned(),
                "give more memory, a smaller program, or --store fingerprint",
            ),
            Why::States => (
                "as many states as --states allows were explored".to_owned(),
                "allow more states, or make the program smaller",
            ),
            Why::Interrupted => ("the search was interrupted".to_owned(), "let it run to its end"),
            Why::Preemptions => (
                match plan.options.preemptions.unwrap_or_default() {
                    1 => "no violation with at most 1 preemption; schedules with more were left out".to_owned(),
                    most => format!("no violation with at most {most} preemptions; schedules with more were left out"),
                },
                "allow more preemptions, or leave --preemptions out",
            ),
            Why::Unsupported(what) if what.what.contains("--") => (
                format!("{}, at {}", what.what, what.place),
                "allow more, or make the program smaller: a limit that is reached is never passed over",
            ),
            Why::Unsupported(what) => (
                what.to_string(),
                "leave that out of the program under check, or put something simpler in its place",
            ),
            Why::Inexact if options.store == StoreKind::Fingerprint => return None,
            Why::Inexact if options.search == SearchOrder::Random => (
                "a random search sees only some executions".to_owned(),
                "use --search dfs for all of them",
            ),
            Why::Inexact => (
                "a store of bits may take a new state for a known one".to_owned(),
                "use --store exact",
            ),
            Why::Full => (
                "there are more states than can be numbered".to_owned(),
                "make the program smaller",
            ),
            Why::FirstViolation => return None,
        })
    };
    let reason = match &outcome.ending {
        Ending::Complete => None,
        Ending::Stopped(why) => unknown(why),
    };
    // A step that is not supported was never passed over, whatever else ended the search.
    let reason = reason.or_else(|| {
        let first = outcome.unsupported.first()?;
        unknown(&Why::Unsupported(first.0.clone()))
    });
    report.verdict = match (&report.violations[..], &reason) {
        ([], None) => "holds",
        ([], Some(_)) => "unknown",
        _ => "violated",
    }
    .to_owned();
    if report.verdict == "unknown"
        && let Some((reason, help)) = reason
    {
        report.reason = Some(reason);
        report.help = Some(help.to_owned());
        for (what, _) in outcome.unsupported.iter().skip(1) {
            report.notes.push(format!("also {what}"));
        }
    }
    if report.verdict == "holds" {
        let races = plan.options.properties.contains(&Property::Race);
        report.rests_on.push(match (races, options.allow_race.is_empty()) {
            (true, true) => "sequential consistency, which Java guarantees because no execution has a data race",
            (true, false) => {
                "sequential consistency, which Java guarantees only for programs without data races; some were allowed"
            }
            (false, _) => {
                "sequential consistency, which Java guarantees only without data races; these were not looked for"
            }
        }
        .to_owned());
        if outcome.ignored > 0 {
            report.rests_on.push(format!(
                "executions were left out because the program asked for it (assume, ignoreIf), at {} states",
                outcome.ignored
            ));
        }
        if options.store == StoreKind::Fingerprint {
            report.rests_on.push(format!(
                "fingerprints of 128 bits: a state was missed with a probability of at most {:.1e}",
                report.collision_probability
            ));
        }
    }
}

/// The calls of `assertReachable` in the program that no execution has come to.
fn unreached(machine: &Machine<'_>, outcome: &Outcome<Action>, sources: &mut Sources) -> Vec<Violation> {
    let reached: BTreeSet<(u32, u32)> = outcome
        .marks
        .iter()
        .filter_map(|&mark| match Mark::read(mark) {
            Mark::Reached(method, pc) => Some((method, pc)),
            Mark::Interrupted(..) => None,
        })
        .collect();
    let program = machine.program;
    let mut missing = Vec::new();
    for id in 1..program.class_end() {
        let class = program.class(id);
        let Some(file) = class.file.as_ref().filter(|_| class.loader >= LoaderId::APP) else {
            continue;
        };
        for &method in &class.methods {
            let Ok(code) = program.code(program.method(method)) else {
                continue;
            };
            for (pc, instr) in (0..).zip(&code.instrs) {
                let Instr::Call { site } = *instr else { continue };
                let index = code.calls[site as usize].index;
                let asks = index != 0
                    && matches!(file.pool.get(index), program::classfile::Constant::Method { .. })
                    && matches!(file.pool.member(index), ("raddle/Verify", "assertReachable", _));
                if asks && !reached.contains(&(method, pc)) {
                    let label = label(file, code, pc, code.calls[site as usize].first);
                    let frame = machine.frame(method, machine.bci(method, pc));
                    let source = sources.line(&frame.class, &frame.file, frame.line);
                    missing.push(Violation {
                        property: Property::Reachable.name().to_owned(),
                        message: format!("no execution reaches {label}{}:{}", frame.file, frame.line),
                        why: if source.is_empty() { Vec::new() } else { vec![source] },
                        class: frame.class,
                        file: frame.file,
                        line: frame.line,
                        ..Violation::default()
                    });
                }
            }
        }
    }
    missing
}

/// The text that a call of `assertReachable` is given, if it is a constant: `"label" at `.
fn label(file: &program::classfile::ClassFile, code: &program::ir::Code, pc: u32, first: u32) -> String {
    let register = code.operands[first as usize];
    let given = code.instrs[..pc as usize].iter().rev().find_map(|instr| match *instr {
        Instr::LoadConst { d, site } if d == register => Some(code.constants[site as usize].index),
        _ => None,
    });
    match given.filter(|&index| index != 0).map(|index| file.pool.get(index)) {
        Some(&program::classfile::Constant::String(text)) => format!("\"{}\" at ", file.pool.text(text)),
        _ => String::new(),
    }
}

/// Atomic blocks that would have had to wait.
fn interrupted_blocks(machine: &Machine<'_>, outcome: &Outcome<Action>) -> Vec<String> {
    let places: BTreeSet<String> = outcome
        .marks
        .iter()
        .filter_map(|&mark| match Mark::read(mark) {
            Mark::Interrupted(method, pc) if method != 0 => machine.place(method, pc),
            Mark::Interrupted(..) => None,
            Mark::Reached(..) => None,
        })
        .collect();
    places
        .into_iter()
        .map(|place| format!("an atomic block would have to wait for another thread at {place}; there it ends"))
        .collect()
}

/// Accesses that order less than sequential consistency does.
fn weak_accesses(machine: &Machine<'_>) -> Vec<String> {
    const WEAK: [&str; 8] = [
        "getOpaque",
        "setOpaque",
        "getAcquire",
        "setRelease",
        "lazySet",
        "setPlain",
        "getPlain",
        "weakCompareAndSetPlain",
    ];
    let program = machine.program;
    let mut found = BTreeSet::new();
    for id in 1..program.class_end() {
        let class = program.class(id);
        let Some(file) = class.file.as_ref().filter(|_| class.loader >= LoaderId::APP) else {
            continue;
        };
        for index in 1..file.pool.len() as u16 {
            if !matches!(file.pool.get(index), program::classfile::Constant::Method { .. }) {
                continue;
            }
            let (of, name, _) = file.pool.member(index);
            if WEAK.contains(&name)
                && (of.starts_with("java/util/concurrent/atomic") || of == "java/lang/invoke/VarHandle")
            {
                found.insert(format!("{} ({})", name, class.external_name()));
            }
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let list: Vec<String> = found.into_iter().collect();
    vec![format!(
        "accesses that are weaker than volatile were taken as volatile: {}",
        list.join(", ")
    )]
}

/// Whether the program draws random numbers, of which only one sequence is explored.
fn random_numbers(machine: &Machine<'_>) -> Option<String> {
    let program = machine.program;
    let draws = (1..program.class_end())
        .map(|id| program.class(id))
        .filter(|class| class.loader >= LoaderId::APP && !class.name.ends_with("/Verify"))
        .filter_map(|class| class.file.as_ref())
        .any(|file| {
            let pool = &file.pool;
            (1..pool.len() as u16)
                .filter(|&index| matches!(pool.get(index), program::classfile::Constant::Method { .. }))
                .any(|index| {
                    matches!(
                        pool.member(index),
                        ("java/util/Random", "<init>", "()V")
                            | ("java/lang/Math", "random", _)
                            | ("java/util/UUID", "randomUUID", _)
                            | ("java/util/concurrent/ThreadLocalRandom", "current", _)
                            | ("java/security/SecureRandom", "<init>", _)
                    )
                })
        });
    draws.then(|| {
        "one sequence of random numbers, always the same; raddle.Verify.choose explores all choices".to_owned()
    })
}

/// What the program does that is explored in less than every way that Java allows.
fn habits(machine: &Machine<'_>, options: &Check) -> Vec<String> {
    let calls = |wanted: &[(&str, &str)]| {
        let program = machine.program;
        (1..program.class_end())
            .map(|id| program.class(id))
            .filter(|class| class.loader >= LoaderId::APP)
            .filter_map(|class| class.file.as_ref())
            .any(|file| {
                let pool = &file.pool;
                (1..pool.len() as u16)
                    .filter(|&index| matches!(pool.get(index), program::classfile::Constant::Method { .. }))
                    .any(|index| {
                        let (class, name, _) = pool.member(index);
                        wanted
                            .iter()
                            .any(|&(of, called)| called == name && (of.is_empty() || of == class))
                    })
            })
    };
    let mut lines = Vec::new();
    if !options.spurious
        && calls(&[
            ("", "wait"),
            ("", "await"),
            ("java/util/concurrent/locks/LockSupport", "park"),
        ])
    {
        lines.push("no thread wakes up for no reason; --spurious explores that too".to_owned());
    }
    if calls(&[
        ("java/lang/System", "nanoTime"),
        ("java/lang/System", "currentTimeMillis"),
        ("java/time/Instant", "now"),
    ]) {
        lines.push("between two looks of the program at the clock, no time or an hour passes".to_owned());
    }
    if calls(&[("java/lang/System", "arraycopy"), ("", "clone")]) {
        lines.push("System.arraycopy and clone copy in one step".to_owned());
    }
    lines
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

fn trace_file(options: &Check, violation: &Violation) -> TraceFile {
    let subject = &options.subject;
    let mut kept = BTreeMap::new();
    kept.insert("reduce".to_owned(), options.reduce.join(","));
    if violation.prints {
        kept.insert("prints".to_owned(), "true".to_owned());
    }
    if options.spurious {
        kept.insert("spurious".to_owned(), "true".to_owned());
    }
    if !subject.define.is_empty() {
        kept.insert("define".to_owned(), subject.define.join("\n"));
    }
    kept.insert("heap".to_owned(), subject.heap.to_string());
    kept.insert("stack".to_owned(), subject.stack.to_string());
    if let Some(start) = violation.trace.loop_start {
        let steps: usize = violation.trace.rows[..start.min(violation.trace.rows.len())]
            .iter()
            .map(|row| row.steps)
            .sum();
        kept.insert("loop".to_owned(), steps.to_string());
    }
    TraceFile {
        schema: report::json::TRACE_SCHEMA,
        program: subject.program.clone(),
        class_path: subject.classes.class_path.clone(),
        entry: options.entry.clone(),
        arguments: subject.arguments.clone(),
        options: kept,
        property: violation.property.clone(),
        message: violation.message.clone(),
        schedule: violation.trace.schedule.clone(),
    }
}

/// Writes the report where it is wanted; the exit status of its verdict.
pub fn publish(report: &Report, json: Option<&Path>, html: Option<&Path>, quiet: bool) -> Result<u8, Failure> {
    let cannot =
        |path: &Path, error: std::io::Error| Failure::input(format!("cannot write {}: {error}", path.display()));
    let mut to_stdout = !quiet;
    if let Some(path) = json {
        let text = report::to_json(report);
        if path == Path::new("-") {
            to_stdout = false;
            print(&text);
        } else {
            std::fs::write(path, text).map_err(|error| cannot(path, error))?;
        }
    }
    if let Some(path) = html {
        std::fs::write(path, report::html(report)).map_err(|error| cannot(path, error))?;
    }
    if to_stdout {
        print(&report::text(report, &style()));
    } else if quiet && json != Some(Path::new("-")) {
        print(&format!("{}\n", report.verdict));
    }
    Ok(match &*report.verdict {
        "holds" => 0,
        "violated" => 1,
        _ => 3,
    })
}

/// Prints; a closed pipe is the reader's business.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn style() -> Style {
    let terminal = std::io::stdout().is_terminal();
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    Style {
        width: if terminal { width } else { 100 },
        colour: terminal && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// Memory that is free, in bytes; 4 GB where the system does not say.
fn available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(4 << 30, |kilobytes| kilobytes * 1024)
}

/// The most memory that the process has held, in bytes; 0 where the system does not say.
pub fn peak_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
