//! A schedule in words: what each step of a trace does, read off the machine while the schedule is followed once more.

use crate::sources::Sources;
use kernel::Property;
use machine::inspect::{Cell, CellName, Doing, Frame, Wait};
use machine::layout::OWNER_MASK;
use machine::system::{Action, Java, What};
use machine::{Address, Console, Machine, Nowhere};
use program::world::ClassKind;
use report::model::{Event, Held, Row, Stack, Trace, Violation};
use search::Found;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Packages whose cells are of interest even though the code that touches them is the JDK's.
const ATOMICS: &str = "java.util.concurrent.atomic.";

/// Follows a schedule and tells what happens. The machine is before the first step, and is again afterwards. `None` if
/// the schedule cannot be followed.
pub fn narrate<'p>(
    system: &Java<'p>,
    machine: &mut Machine<'p>,
    found: &Found<Action>,
    sources: &mut Sources,
) -> Option<Violation> {
    let printed = Printed::default();
    machine.console = Box::new(printed.clone());
    let mut narrator = Narrator {
        names: Names::default(),
        trace: Trace::default(),
        threads: HashMap::new(),
        monitors: Vec::new(),
        sources,
        printed,
        row_of_step: Vec::new(),
        unplaced: 0,
    };
    let mut violation = None;
    let mut before: Option<Before> = None;
    let undos = search::replay(system, machine, &found.actions, |machine, menu, action| {
        if let Some(before) = before.take() {
            narrator.after(machine, before);
        }
        match action {
            Some(action) => before = Some(narrator.before(machine, action)),
            None => violation = Some(narrator.finish(machine, menu, found)),
        }
    });
    machine.console = Box::new(Nowhere);
    search::rewind(system, machine, undos.ok()?);
    let mut violation = violation?;
    violation.prints = system.manner.prints;
    violation.trace.schedule = found.actions.iter().map(Action::to_string).collect();
    Some(violation)
}

/// What was to be seen before a step.
struct Before {
    action: Action,
    thread: usize,
    place: Option<Frame>,
    call: String,
    shown: bool,
    doing: Doing,
    old: String,
}

struct Narrator<'s> {
    names: Names,
    trace: Trace,
    /// Index of each thread object.
    threads: HashMap<Address, usize>,
    /// Monitors and synchronizers that were taken so far.
    monitors: Vec<Address>,
    sources: &'s mut Sources,
    printed: Printed,
    row_of_step: Vec<usize>,
    /// Steps before the first row.
    unplaced: usize,
}

impl Narrator<'_> {
    fn thread(&mut self, machine: &mut Machine<'_>, number: u32) -> usize {
        let object = machine.thread_word(number, machine::layout::thread::OBJECT);
        let fresh = self.trace.threads.len();
        let index = *self.threads.entry(object).or_insert(fresh);
        if index == fresh {
            self.trace.threads.push(machine.thread_name(number));
        }
        index
    }

    fn before(&mut self, machine: &mut Machine<'_>, action: Action) -> Before {
        let number = action.thread;
        let thread = self.thread(machine, number);
        let frames = machine.frames(number);
        let position = frames.iter().position(|frame| frame.users);
        let place = position.map(|position| frames[position].clone());
        let call = match position {
            Some(position) if position > 0 => {
                let called = &frames[position - 1];
                format!("{}.{}", simple(&called.class), called.name)
            }
            _ => String::new(),
        };
        let doing = machine.doing(number);
        let in_constructor = place
            .as_ref()
            .is_some_and(|place| place.name == "<init>" || place.name == "<clinit>");
        let own = position == Some(0) && !in_constructor;
        let shown = match &doing {
            Doing::Access { cell, .. } => (own || is_atomic(cell)) && !is_compilers(cell),
            // What the JDK locks for its own bookkeeping is no news.
            Doing::Enter(_) | Doing::Exit(_) => {
                own || frames.first().is_some_and(|top| !top.class.starts_with("java.lang."))
                    && !in_constructor
                    && !call.ends_with("<init>")
            }
            // Who initialises a class matters only where others could have.
            Doing::Initialize(_) => machine.live_threads().len() > 1,
            _ => true,
        };
        let old = match &doing {
            Doing::Access { cell, .. } => self.names.value(machine, cell),
            _ => String::new(),
        };
        Before {
            action,
            thread,
            place,
            call,
            shown,
            doing,
            old,
        }
    }

    fn after(&mut self, machine: &mut Machine<'_>, before: Before) {
        let mut events = Vec::new();
        match before.action.what {
            What::Timeout => events.push(other("its time is up")),
            What::Spurious => events.push(other("wakes up for no reason")),
            What::Leap => events.push(other("time has passed")),
            What::Choose(number) => events.extend(chosen(machine, &before.doing, number)),
            What::Wake(waiter) => {
                let name = machine.thread_name(waiter);
                events.push(other(format!("notifies \"{name}\"")));
            }
            What::Go => {}
        }
        self.describe(machine, &before, &mut events);
        for text in self.printed.take() {
            events.push(Event::Print { text });
        }
        let asks_for_assertions = before.call == "Class.desiredAssertionStatus";
        if (before.place.is_none() || asks_for_assertions) && events.is_empty() {
            // Neither the program's code nor anything to tell: the step belongs to what is around it.
            self.row_of_step.push(self.trace.rows.len().saturating_sub(1));
            match self.trace.rows.last_mut() {
                Some(row) => row.steps += 1,
                None => self.unplaced += 1,
            }
            return;
        }
        // What the JDK does after the program's last line belongs to that line.
        let goes_on = self.trace.rows.last().is_some_and(|row| row.thread == before.thread);
        if before.place.is_none() && goes_on {
            self.row_of_step.push(self.trace.rows.len() - 1);
            let locks = self.locks(machine);
            if let Some(row) = self.trace.rows.last_mut() {
                row.events.extend(events);
                row.steps += 1;
                row.locks = locks;
            }
            return;
        }
        let place = before.place.unwrap_or_else(|| Frame {
            method: 0,
            class: String::new(),
            name: String::new(),
            file: String::new(),
            line: 0,
            users: false,
            native: false,
        });
        let locks = self.locks(machine);
        let same = self.trace.rows.last().is_some_and(|row| {
            row.thread == before.thread
                && row.line == place.line
                && row.class == place.class
                && row.method == place.name
        });
        if !same {
            let source = self.sources.line(&place.class, &place.file, place.line);
            self.trace.rows.push(Row {
                thread: before.thread,
                class: place.class,
                method: place.name,
                file: place.file,
                line: place.line,
                source,
                ..Row::default()
            });
        }
        self.row_of_step.push(self.trace.rows.len() - 1);
        if let Some(row) = self.trace.rows.last_mut() {
            if !before.call.is_empty() {
                row.call = before.call;
            }
            for event in events {
                if row.events.last() != Some(&event) {
                    row.events.push(event);
                }
            }
            row.steps += 1 + std::mem::take(&mut self.unplaced);
            row.locks = locks;
        }
    }

    fn describe(&mut self, machine: &mut Machine<'_>, before: &Before, events: &mut Vec<Event>) {
        match &before.doing {
            Doing::Access { cell, writes } => {
                let new = self.names.value(machine, cell);
                if let CellName::Field(_, field) = &cell.name
                    && field == "exclusiveOwnerThread"
                    && before.old != new
                {
                    let object = self.names.object(machine, cell.object);
                    if !self.monitors.contains(&cell.object) {
                        self.monitors.push(cell.object);
                    }
                    events.push(if new == "null" {
                        Event::Unlock { object }
                    } else {
                        Event::Lock { object }
                    });
                } else if before.shown {
                    let place = self.names.cell(machine, cell);
                    if *writes && (before.old != new || !is_atomic(cell)) {
                        events.push(Event::Write {
                            place,
                            old: before.old.clone(),
                            new,
                        });
                    } else {
                        events.push(Event::Read { place, value: new });
                    }
                }
            }
            Doing::Enter(_) | Doing::Exit(_) | Doing::Initialize(_) if !before.shown => {}
            Doing::Enter(object) => {
                if !self.monitors.contains(object) {
                    self.monitors.push(*object);
                }
                events.push(Event::Lock {
                    object: self.names.object(machine, *object),
                });
            }
            Doing::Exit(object) => events.push(Event::Unlock {
                object: self.names.object(machine, *object),
            }),
            Doing::Native(method, words) => self.describe_native(machine, before, *method, words, events),
            Doing::Uncaught(exception) => {
                events.push(other(format!("dies of {}", exception_text(machine, *exception))))
            }
            Doing::End => events.push(other("ends")),
            Doing::Initialize(class) => {
                let class = machine.program.class(*class);
                if class.loader.0 >= 2 {
                    events.push(other(format!("initialises class {}", class.external_name())));
                }
            }
            Doing::Inside => {}
        }
    }

    fn describe_native(
        &mut self,
        machine: &mut Machine<'_>,
        before: &Before,
        method: u32,
        words: &[u32; 4],
        events: &mut Vec<Event>,
    ) {
        let described = machine.program.method(method);
        let class = machine.program.class(described.class).name.clone();
        let name = machine.program.text(described.name).to_string();
        let waits = machine.wait_of(before.action.thread);
        let text = match (&*class, &*name) {
            ("java/lang/Thread", "start0") => {
                let started = machine.thread_of(words[0]);
                let name = started.map(|number| machine.thread_name(number)).unwrap_or_default();
                format!("starts \"{name}\"")
            }
            ("java/lang/Thread", "interrupt0") => {
                let whom = machine.thread_of(words[0]).map(|number| machine.thread_name(number));
                format!("interrupts \"{}\"", whom.unwrap_or_default())
            }
            ("java/lang/Object", "wait" | "wait0") => {
                let object = self.names.object(machine, words[0]);
                match waits {
                    Wait::Notice { timed: true, .. } => format!("waits on {object} for a time"),
                    Wait::Notice { .. } => format!("waits on {object}"),
                    Wait::Monitor { .. } => format!("wants {object} back"),
                    _ => format!("goes on with {object}"),
                }
            }
            ("java/lang/Object", "notify") if before.action.what == What::Go => {
                let object = self.names.object(machine, words[0]);
                format!("notifies nobody on {object}")
            }
            ("java/lang/Object", "notifyAll") => {
                let object = self.names.object(machine, words[0]);
                format!("notifies all on {object}")
            }
            ("java/lang/Thread", "sleep" | "sleep0" | "sleepNanos0") if waits == Wait::Sleep => "sleeps".to_owned(),
            ("jdk/internal/misc/Unsafe", "park") => match waits {
                Wait::Lock { .. } | Wait::Permit { .. } => "parks".to_owned(),
                _ => "goes on".to_owned(),
            },
            ("jdk/internal/misc/Unsafe", "unpark") => match machine.thread_of(words[1]).filter(|_| words[1] != 0) {
                Some(number) => format!("unparks \"{}\"", machine.thread_name(number)),
                None => return,
            },
            ("raddle/Verify" | "gov/nasa/jpf/vm/Verify", "beginAtomic") => "runs alone from here".to_owned(),
            ("raddle/Verify" | "gov/nasa/jpf/vm/Verify", "endAtomic") => "runs alone no longer".to_owned(),
            _ => return,
        };
        events.push(other(text));
    }

    /// Who holds which lock now, and who wants it.
    fn locks(&mut self, machine: &mut Machine<'_>) -> Vec<Held> {
        let mut held = Vec::new();
        let live = machine.live_threads();
        for object in self.monitors.clone() {
            let mut owner = (machine.memory.load(machine.lock_cell(object)) & OWNER_MASK).checked_sub(1);
            if owner.is_none() {
                owner = owner_of(machine, object);
            }
            let Some(owner) = owner else { continue };
            let mut wanted_by = Vec::new();
            for &number in &live {
                let wants = match machine.wait_of(number) {
                    Wait::Monitor { object: wanted, .. } | Wait::Lock { object: wanted, .. } => wanted == object,
                    _ => false,
                };
                if wants && number != owner {
                    wanted_by.push(self.thread(machine, number));
                }
            }
            held.push(Held {
                object: self.names.object(machine, object),
                owner: self.thread(machine, owner),
                wanted_by,
            });
        }
        held
    }

    fn finish(&mut self, machine: &mut Machine<'_>, menu: &kernel::Menu<Action>, found: &Found<Action>) -> Violation {
        for number in machine.live_threads() {
            self.thread(machine, number);
        }
        let (message, why, place) = self.explain(machine, menu, found);
        let place = place.unwrap_or_else(|| machine.frame(machine.user_position(0).0, 0));
        let stacks = machine
            .live_threads()
            .into_iter()
            .map(|number| self.stack(machine, number))
            .collect();
        let mut trace = std::mem::take(&mut self.trace);
        trace.loop_start = found
            .loop_start
            .map(|step| self.row_of_step.get(step).copied().unwrap_or(trace.rows.len()));
        let files: Vec<(String, String)> = trace
            .rows
            .iter()
            .map(|row| (row.class.clone(), row.file.clone()))
            .collect();
        for (class, file) in files {
            if let Some(lines) = self.sources.lines(&class, &file) {
                trace.sources.entry(file).or_insert_with(|| lines.to_vec());
            }
        }
        Violation {
            property: found.flaw.property.name().to_owned(),
            message,
            class: place.class,
            file: place.file,
            line: place.line,
            why,
            stacks,
            trace,
            prints: false,
        }
    }

    /// What happened, why, and where.
    fn explain(
        &mut self,
        machine: &mut Machine<'_>,
        menu: &kernel::Menu<Action>,
        found: &Found<Action>,
    ) -> (String, Vec<String>, Option<Frame>) {
        match found.flaw.property {
            Property::Deadlock => self.explain_deadlock(machine),
            Property::Exception => self.explain_exception(machine),
            Property::Race => self.explain_race(machine, menu, found),
            Property::Lock => self.explain_lock(machine),
            Property::Livelock => self.explain_livelock(machine),
            Property::Reachable => (String::new(), Vec::new(), None),
        }
    }

    fn explain_deadlock(&mut self, machine: &mut Machine<'_>) -> (String, Vec<String>, Option<Frame>) {
        let circle = machine.circle();
        let live: Vec<u32> = machine
            .live_threads()
            .into_iter()
            .filter(|&number| machine.wait_of(number) != Wait::Others)
            .collect();
        let idle = |machine: &Machine<'_>, number: u32| {
            machine.frames(number).iter().any(|frame| {
                matches!(
                    (&*frame.class, &*frame.name),
                    ("java.util.concurrent.ThreadPoolExecutor", "getTask")
                        | ("java.util.concurrent.ForkJoinPool", "awaitWork" | "runWorker")
                        | ("java.util.TimerThread", "mainLoop")
                )
            })
        };
        let members = if circle.is_empty() {
            live.clone()
        } else {
            circle.clone()
        };
        let mut why = Vec::new();
        for &number in &members {
            why.push(self.waiting(machine, number));
        }
        // Whoever only joins another thread is not where the trouble is.
        let joins = |machine: &mut Machine<'_>, number: u32| match machine.wait_of(number) {
            Wait::Notice { object, .. } => machine
                .program
                .is_subclass(machine.class_of(object), machine.known.thread),
            _ => false,
        };
        let mut culprits = members.clone();
        culprits.sort_by_key(|&number| joins(machine, number));
        let place = culprits.iter().find_map(|&number| users_frame(machine, number));
        let names: Vec<String> = members
            .iter()
            .map(|&number| format!("\"{}\"", machine.thread_name(number)))
            .collect();
        let message = if !circle.is_empty() {
            format!("deadlock: {} wait for each other", listed(&names))
        } else if !live.is_empty() && live.iter().all(|&number| idle(machine, number)) {
            "the program never ends: a thread pool was never shut down (no deadlock)".to_owned()
        } else {
            format!("deadlock: nobody can go on ({})", listed(&names))
        };
        (message, why, place)
    }

    /// `"a" waits for Object#1, held by "b", at Main.java:12`.
    fn waiting(&mut self, machine: &mut Machine<'_>, number: u32) -> String {
        let name = machine.thread_name(number);
        let held = |machine: &mut Machine<'_>, owner: Option<u32>| match owner {
            Some(owner) => format!(", held by \"{}\"", machine.thread_name(owner)),
            None => String::new(),
        };
        let what = match machine.wait_of(number) {
            Wait::Nothing => "can go on".to_owned(),
            Wait::Monitor { object, owner, again } => {
                let held = held(machine, owner);
                let again = if again { " back" } else { "" };
                format!("wants {}{again}{held}", self.names.object(machine, object))
            }
            Wait::Notice { object, .. } => {
                format!("waits to be notified on {}", self.names.object(machine, object))
            }
            Wait::Lock { object, owner, .. } => {
                let held = held(machine, owner);
                format!("waits for {}{held}", self.names.object(machine, object))
            }
            Wait::Permit { object: 0, .. } => "is parked".to_owned(),
            Wait::Permit { object, .. } => format!("is parked for {}", self.names.object(machine, object)),
            Wait::Sleep => "sleeps".to_owned(),
            Wait::Class { of, owner } => format!(
                "needs class {}, which \"{}\" is initialising",
                machine.program.class(of).external_name(),
                machine.thread_name(owner)
            ),
            Wait::Others => "waits for the other threads to end".to_owned(),
        };
        format!("\"{name}\" {what}{}", at(users_frame(machine, number).as_ref()))
    }

    fn explain_exception(&mut self, machine: &mut Machine<'_>) -> (String, Vec<String>, Option<Frame>) {
        for number in machine.live_threads() {
            let Some(exception) = machine.uncaught(number) else {
                continue;
            };
            let text = exception_text(machine, exception);
            let place = machine
                .thrown_at(exception)
                .map(|(method, bci)| machine.frame(method, bci));
            let message = format!("uncaught {text} in thread \"{}\"", machine.thread_name(number));
            let why = machine
                .thrown_frames(exception)
                .into_iter()
                .take(12)
                .map(|frame| format!("at {}", located(&frame)))
                .collect();
            return (message, why, place);
        }
        ("an uncaught exception".to_owned(), Vec::new(), None)
    }

    fn explain_race(
        &mut self,
        machine: &mut Machine<'_>,
        menu: &kernel::Menu<Action>,
        found: &Found<Action>,
    ) -> (String, Vec<String>, Option<Frame>) {
        let pairs: Vec<(u32, u32)> = menu.races().map(|(one, two)| (one.thread.0, two.thread.0)).collect();
        for (one, two) in pairs {
            if machine.race_key(one, two) != Some(found.flaw.key) {
                continue;
            }
            let mut why = Vec::new();
            let mut subject = None;
            for number in [one, two] {
                let name = machine.thread_name(number);
                let (verb, cell) = match machine.doing(number) {
                    Doing::Access { cell, writes } => (if writes { "writes" } else { "reads" }, Some(cell)),
                    _ => ("accesses", None),
                };
                let what = match &cell {
                    Some(cell) => self.names.cell(machine, cell),
                    None => "the elements of an array".to_owned(),
                };
                why.push(format!(
                    "\"{name}\" {verb} {what}{}",
                    at(users_frame(machine, number).as_ref())
                ));
                subject = subject.or(Some(what));
            }
            let message = format!(
                "data race on {} between \"{}\" and \"{}\"",
                subject.unwrap_or_default(),
                machine.thread_name(one),
                machine.thread_name(two)
            );
            return (message, why, users_frame(machine, one));
        }
        ("a data race".to_owned(), Vec::new(), None)
    }

    fn explain_lock(&mut self, machine: &mut Machine<'_>) -> (String, Vec<String>, Option<Frame>) {
        let left: Vec<String> = machine
            .locks_left()
            .into_iter()
            .map(|object| self.names.object(machine, object))
            .collect();
        let message = format!("{} is still held by a thread that has ended", listed(&left));
        let place = self.trace.rows.iter().rev().find(|row| {
            row.events
                .iter()
                .any(|event| matches!(event, Event::Lock { object } if left.contains(object)))
        });
        let why = place.filter(|row| row.line > 0).map(|row| {
            format!(
                "it was taken by \"{}\" at {}:{}",
                self.trace.threads[row.thread], row.file, row.line
            )
        });
        let place = place.map(|row| Frame {
            method: 0,
            class: row.class.clone(),
            name: row.method.clone(),
            file: row.file.clone(),
            line: row.line,
            users: true,
            native: false,
        });
        (message, why.into_iter().collect(), place)
    }

    fn explain_livelock(&mut self, machine: &mut Machine<'_>) -> (String, Vec<String>, Option<Frame>) {
        let mut why = Vec::new();
        let mut place = None;
        let mut names = Vec::new();
        for number in machine.live_threads() {
            if machine.wait_of(number) == Wait::Others {
                continue;
            }
            why.push(self.waiting(machine, number).replace(" can go on", " runs"));
            names.push(format!("\"{}\"", machine.thread_name(number)));
            place = place.or_else(|| users_frame(machine, number));
        }
        let runs = if names.len() == 1 { "runs" } else { "run" };
        let message = format!("livelock: {} {runs} for ever and nothing changes", listed(&names));
        (message, why, place)
    }

    /// A thread as a thread dump shows it.
    fn stack(&mut self, machine: &mut Machine<'_>, number: u32) -> Stack {
        let state = match machine.wait_of(number) {
            Wait::Nothing => "RUNNABLE",
            Wait::Monitor { .. } => "BLOCKED",
            Wait::Notice { timed: false, .. } | Wait::Permit { timed: false, .. } => "WAITING (no limit)",
            Wait::Lock { .. } => "WAITING (for a lock)",
            Wait::Notice { .. } | Wait::Permit { .. } => "TIMED_WAITING",
            Wait::Sleep => "TIMED_WAITING (sleeping)",
            Wait::Class { .. } => "RUNNABLE (waiting for a class to be initialised)",
            Wait::Others => "ENDING (waiting for the other threads)",
        };
        let mut frames: Vec<String> = machine.frames(number).iter().map(located).collect();
        let line = match machine.wait_of(number) {
            Wait::Monitor { object, owner, .. } => {
                let owner = owner.map(|owner| machine.thread_name(owner)).unwrap_or_default();
                Some(format!(
                    "- waiting to lock {} held by \"{owner}\"",
                    self.names.object(machine, object)
                ))
            }
            Wait::Notice { object, .. } => Some(format!("- waiting on {}", self.names.object(machine, object))),
            Wait::Lock { object, owner, .. } => {
                let held = owner.map(|owner| format!(" held by \"{}\"", machine.thread_name(owner)));
                Some(format!(
                    "- parking to wait for {}{}",
                    self.names.object(machine, object),
                    held.unwrap_or_default()
                ))
            }
            Wait::Permit { object, .. } if object != 0 => {
                Some(format!("- parking to wait for {}", self.names.object(machine, object)))
            }
            _ => None,
        };
        if let Some(line) = line {
            frames.insert(frames.len().min(1), line);
        }
        for held in self.locks(machine) {
            if self.trace.threads.get(held.owner) == Some(&machine.thread_name(number)) {
                frames.push(format!("- holds {}", held.object));
            }
        }
        Stack {
            thread: machine.thread_name(number),
            state: state.to_owned(),
            frames,
        }
    }
}

/// What a choice means, if it means anything to the program.
fn chosen(machine: &Machine<'_>, doing: &Doing, number: u32) -> Option<Event> {
    let Doing::Native(method, words) = doing else {
        return None;
    };
    let name = &**machine.program.text(machine.program.method(*method).name);
    Some(other(match name {
        "getInt" => format!("chooses {}", (words[0] as i32).wrapping_add(number as i32)),
        "chooseBoolean" | "getBoolean" | "randomBool" => format!("chooses {}", number != 0),
        _ if !name.starts_with("weakCompareAndSet") => format!("chooses {number}"),
        _ if number == 1 => "fails for no reason".to_owned(),
        _ => return None,
    }))
}

fn other(text: impl Into<String>) -> Event {
    Event::Other { text: text.into() }
}

/// Whether a field is no news: made by the compiler, as that for `assert`, or one of the standard streams.
fn is_compilers(cell: &Cell) -> bool {
    match &cell.name {
        CellName::Static(class, name) => name.contains('$') || class == "java.lang.System",
        CellName::Field(_, name) => name.contains('$'),
        CellName::Element(_) => false,
    }
}

fn is_atomic(cell: &Cell) -> bool {
    matches!(&cell.name, CellName::Field(class, _) if class.starts_with(ATOMICS))
}

/// The thread that owns a synchronizer of `java.util.concurrent`.
fn owner_of(machine: &mut Machine<'_>, object: Address) -> Option<u32> {
    const OWNABLE: &str = "java/util/concurrent/locks/AbstractOwnableSynchronizer";
    let ownable = machine.program.load(program::world::LoaderId::BOOT, OWNABLE).ok()?;
    if !machine.program.is_subclass(machine.class_of(object), ownable) {
        return None;
    }
    match machine.get(object, OWNABLE, "exclusiveOwnerThread") {
        0 => None,
        owner => machine.thread_of(owner),
    }
}

/// The topmost frame of the program's own code.
fn users_frame(machine: &Machine<'_>, number: u32) -> Option<Frame> {
    machine.frames(number).into_iter().find(|frame| frame.users)
}

fn at(frame: Option<&Frame>) -> String {
    match frame {
        Some(frame) if frame.line > 0 => format!(", at {}:{}", frame.file, frame.line),
        Some(frame) => format!(", in {}.{}", frame.class, frame.name),
        None => String::new(),
    }
}

fn located(frame: &Frame) -> String {
    let place = match (frame.native, &*frame.file, frame.line) {
        (true, ..) => "Native Method".to_owned(),
        (_, "", _) => "Unknown Source".to_owned(),
        (_, file, 0) => file.to_owned(),
        (_, file, line) => format!("{file}:{line}"),
    };
    format!("{}.{}({place})", frame.class, frame.name)
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn exception_text(machine: &mut Machine<'_>, exception: Address) -> String {
    let class = machine.program.class(machine.class_of(exception)).external_name();
    let message = machine.get(exception, "java/lang/Throwable", "detailMessage");
    match machine.text_or_null(message) {
        Some(message) => format!("{class}: {message}"),
        None => class,
    }
}

/// The name of a class without its package; for a synchronizer inside a lock, that of the lock.
fn simple(class: &str) -> String {
    let plain = class.rsplit('.').next().unwrap_or(class);
    if plain.contains("$$Lambda") {
        return "lambda".to_owned();
    }
    let inner_of_jdk = class.starts_with("java.util.concurrent.");
    match plain.split_once('$') {
        Some((outer, _)) if inner_of_jdk => outer.to_owned(),
        _ => plain
            .rsplit('$')
            .next()
            .filter(|name| !name.is_empty())
            .unwrap_or(plain)
            .to_owned(),
    }
}

/// Names of objects: the class and a number in the order in which they come up.
#[derive(Default)]
struct Names {
    given: HashMap<Address, String>,
    counts: HashMap<String, usize>,
}

impl Names {
    fn object(&mut self, machine: &mut Machine<'_>, object: Address) -> String {
        if object == 0 {
            return "null".to_owned();
        }
        let class = machine.class_of(object);
        if class == machine.known.string {
            let text = machine.text(object);
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            return format!("\"{short}{dots}\"");
        }
        if class == machine.known.class {
            let mirrored = machine.mirrored(object);
            return format!("{}.class", simple(&machine.program.class(mirrored).external_name()));
        }
        let described = machine.program.class(class);
        let name = described.external_name();
        if matches!(
            &*name,
            "java.lang.Integer" | "java.lang.Long" | "java.lang.Boolean" | "java.lang.Short"
        ) && let Some(cell) = machine.cell(object, machine.offset_of_value(class))
            && let Some(text) = machine.primitive_text(&cell)
        {
            return text;
        }
        if machine.program.is_subclass(class, machine.known.thread) {
            let name = machine.get(object, "java/lang/Thread", "name");
            return format!("thread \"{}\"", machine.text_or_null(name).unwrap_or_default());
        }
        if let Some(name) = self.given.get(&object) {
            return name.clone();
        }
        let mut plain = simple(&name);
        if let ClassKind::Array(_) = described.kind {
            let mut element = described;
            let mut dimensions = String::new();
            while let ClassKind::Array(of) = element.kind {
                element = machine.program.class(of);
                dimensions.push_str("[]");
            }
            let length = machine.array_length(object);
            plain = format!("{}[{length}]{}", simple(&element.external_name()), &dimensions[2..]);
        }
        // A lock and the synchronizer inside it are one thing to the reader.
        let inner = machine
            .field_named(object, "sync")
            .map_or(0, |cell| machine.memory.load(cell.at));
        if let Some(name) = self.given.get(&inner).cloned() {
            self.given.insert(object, name.clone());
            return name;
        }
        let count = self.counts.entry(plain.clone()).or_insert(0);
        *count += 1;
        let name = format!("{plain}#{count}");
        self.given.insert(object, name.clone());
        if inner != 0 {
            self.given.insert(inner, name.clone());
        }
        name
    }

    fn cell(&mut self, machine: &mut Machine<'_>, cell: &Cell) -> String {
        match &cell.name {
            CellName::Static(class, name) => format!("{}.{name}", simple(class)),
            CellName::Field(_, name) => format!("{}.{name}", self.object(machine, cell.object)),
            CellName::Element(index) => format!("{}[{index}]", self.object(machine, cell.object)),
        }
    }

    fn value(&mut self, machine: &mut Machine<'_>, cell: &Cell) -> String {
        match machine.primitive_text(cell) {
            Some(text) => text,
            None => {
                let object = machine.memory.load(cell.at);
                self.object(machine, object)
            }
        }
    }
}

/// Collects what the program prints, a line at a time.
#[derive(Clone, Default)]
struct Printed {
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Printed {
    fn take(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(str::to_owned).collect()
    }
}

impl Console for Printed {
    fn write(&mut self, _stream: u32, bytes: &[u8]) {
        self.bytes
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .extend_from_slice(bytes);
    }

    fn read(&mut self, _buffer: &mut [u8]) -> usize {
        0
    }

    fn available(&mut self) -> usize {
        0
    }
}
