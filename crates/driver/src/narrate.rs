//! A schedule in words: what each step of a trace does, read off the machine while the schedule is followed once more.

mod describe;
mod explain;
mod names;
mod printed;

use crate::sources::Sources;
use describe::{chosen, is_atomic, other};
use kernel::{Property, System, Transitions};
use machine::inspect::{Cell, CellName, Doing, Frame, Wait};
use machine::layout::OWNER_MASK;
use machine::system::{Action, Java, What};
use machine::{Address, Machine, Nowhere};
use names::{Names, simple};
use printed::Printed;
use report::model::{Event, Held, Row, Trace, Violation};
use search::Found;
use std::collections::HashMap;

/// How many accesses are told of a thread that is alone, until it comes to rest: what the JDK does may take hundreds of thousands.
const MOST_ALONE: u32 = 20_000;

/// Follows a schedule and tells what happens. The machine is before the first step, and is again afterwards. `None` if
/// the schedule cannot be followed.
pub fn narrate<'p>(
    system: &Java<'p>,
    machine: &mut Machine<'p>,
    found: &Found<Action>,
    sources: &mut Sources,
) -> Option<Violation> {
    narrate_inside(system, machine, found, sources, "")
}

/// The same, and what a class of the JDK does inside is told as if it were the program's.
pub fn narrate_inside<'p>(
    system: &Java<'p>,
    machine: &mut Machine<'p>,
    found: &Found<Action>,
    sources: &mut Sources,
    class: &str,
) -> Option<Violation> {
    // Each thread has a name of its own, unless it takes other steps to make that up.
    let names = std::mem::replace(&mut machine.semantics.names_threads, true);
    let told = tell(system, machine, found, sources, class);
    machine.semantics.names_threads = names;
    told.or_else(|| tell(system, machine, found, sources, class))
}

fn tell<'p>(
    system: &Java<'p>,
    machine: &mut Machine<'p>,
    found: &Found<Action>,
    sources: &mut Sources,
    inside: &str,
) -> Option<Violation> {
    let printed = Printed::default();
    machine.console = Box::new(printed.clone());
    let mut narrator = Narrator {
        names: Names::default(),
        trace: Trace::default(),
        threads: HashMap::new(),
        monitors: Vec::new(),
        sources,
        inside,
        printed,
        row_of_step: Vec::new(),
        unplaced: 0,
    };
    machine.pause(true);
    let told = narrator.follow(system, machine, found);
    machine.pause(false);
    machine.console = Box::new(Nowhere);
    let mut violation = told?;
    violation.learned = system
        .current_semantics()
        .dropped()
        .into_iter()
        .map(str::to_owned)
        .collect();
    violation.trace.schedule = found.actions.iter().map(Action::to_string).collect();
    Some(violation)
}

/// What was to be seen before a step, or before a part of it where the thread is alone.
struct Before {
    action: Action,
    /// Whether it begins a step of the schedule.
    begins: bool,
    thread: usize,
    place: Option<Frame>,
    call: String,
    shown: bool,
    /// Whether it is no news at all: a new object gets its fields, and nobody else is there.
    quiet: bool,
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
    /// A class of the JDK whose accesses are told, or nothing.
    inside: &'s str,
    printed: Printed,
    row_of_step: Vec<usize>,
    /// Steps before the first row.
    unplaced: usize,
}

impl Narrator<'_> {
    /// Tells all from where the program begins: what came before the schedule, and the schedule. The machine is left where the schedule begins.
    fn follow<'p>(&mut self, system: &Java<'p>, machine: &mut Machine<'p>, found: &Found<Action>) -> Option<Violation> {
        let mut before: Option<Before> = None;
        let mut left = MOST_ALONE;
        let mut see = |narrator: &mut Self, machine: &mut Machine<'p>, action: Action, begins: bool| {
            if let Some(before) = before.take() {
                narrator.after(machine, before);
            }
            if begins {
                left = MOST_ALONE;
            }
            // Of what is too long to be read, the beginning is enough.
            if left > 0 {
                left -= 1;
                before = Some(narrator.before(machine, action, begins));
            }
        };
        let go = |thread: u32| Action { thread, what: What::Go };
        let ahead = machine.run_ahead_again(&system.start, &mut |machine| see(self, machine, go(0), false));
        ahead.ok().filter(|&done| done)?;
        let mut transitions = Transitions::default();
        let mut undos = Vec::with_capacity(found.actions.len());
        for &action in &found.actions {
            system.transitions(machine, &mut transitions);
            let mut entries = transitions.entries().iter();
            let offered = entries.any(|entry| entry.enabled && entry.action == action);
            if !offered {
                break;
            }
            see(self, machine, action, true);
            let mut see_more = |machine: &mut Machine<'p>| see(self, machine, go(action.thread), false);
            match machine.apply_seen(action, &mut see_more) {
                Ok(undo) => undos.push(undo),
                Err(_) => break,
            }
        }
        let is_whole = undos.len() == found.actions.len();
        // Who is held back is shown waiting.
        while found.flaw.property == Property::DEADLOCK
            && let Some(action) = machine.next_held_back()
        {
            see(self, machine, action, false);
            let mut see_more = |machine: &mut Machine<'p>| see(self, machine, action, false);
            match machine.apply_seen(action, &mut see_more) {
                Ok(undo) => undos.push(undo),
                Err(_) => break,
            }
        }
        if let Some(before) = before.take() {
            self.after(machine, before);
        }
        system.transitions(machine, &mut transitions);
        let violation = self.finish(machine, &transitions, found);
        search::rewind(system, machine, undos);
        is_whole.then_some(violation)
    }

    fn thread(&mut self, machine: &mut Machine<'_>, number: u32) -> usize {
        let object = machine.thread_word(number, machine::layout::thread::OBJECT);
        let fresh = self.trace.threads.len();
        let index = *self.threads.entry(object).or_insert(fresh);
        if index == fresh {
            self.trace.threads.push(machine.thread_name(number));
        }
        index
    }

    fn before(&mut self, machine: &mut Machine<'_>, action: Action, begins: bool) -> Before {
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
        let own = (position == Some(0) || self.is_inside(&frames)) && !in_constructor;
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
        let is_access = matches!(doing, Doing::Access { .. });
        let quiet = !begins && is_access && position == Some(0) && in_constructor && !shown;
        let old = match &doing {
            Doing::Access { cell, .. } => self.names.value(machine, cell),
            _ => String::new(),
        };
        Before {
            action,
            begins,
            thread,
            place,
            call,
            shown,
            quiet,
            doing,
            old,
        }
    }

    /// Whether the class of the JDK whose accesses are told makes one, itself or through a handle.
    fn is_inside(&self, frames: &[Frame]) -> bool {
        let handles = ["java.lang.invoke.", "jdk.internal.misc."];
        let mut others = frames
            .iter()
            .filter(|frame| !handles.iter().any(|start| frame.class.starts_with(start)));
        let rest = others.next().and_then(|frame| match &*frame.name {
            "<init>" | "<clinit>" => None,
            _ => frame.class.strip_prefix(self.inside),
        });
        !self.inside.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
    }

    fn after(&mut self, machine: &mut Machine<'_>, before: Before) {
        if before.quiet {
            return;
        }
        let mut events = Vec::new();
        match before.action.what {
            What::Timeout => events.push(other("its time is up")),
            What::Spurious => events.push(other("wakes up for no reason")),
            What::Leap => events.push(other("time has passed")),
            What::Unaware => events.push(other("goes on before it notices the interrupt")),
            What::Choose(number) => events.extend(chosen(machine, &before, number)),
            What::Wake(waiter) => {
                let name = machine.thread_name(waiter);
                events.push(other(format!("notifies \"{name}\"")));
            }
            What::Go | What::Begin => {}
        }
        self.describe(machine, &before, &mut events);
        for text in self.printed.take() {
            events.push(Event::Print { text });
        }
        let steps = usize::from(before.begins);
        let asks_for_assertions = before.call == "Class.desiredAssertionStatus";
        if (before.place.is_none() || asks_for_assertions) && events.is_empty() {
            // Neither the program's code nor anything to tell: the step belongs to what is around it.
            self.note_row(steps, self.trace.rows.len().saturating_sub(1));
            match self.trace.rows.last_mut() {
                Some(row) => row.steps += steps,
                None => self.unplaced += steps,
            }
            return;
        }
        // What the JDK does after the program's last line belongs to that line.
        let goes_on = self.trace.rows.last().is_some_and(|row| row.thread == before.thread);
        if before.place.is_none() && goes_on {
            self.note_row(steps, self.trace.rows.len() - 1);
            let locks = self.locks(machine);
            if let Some(row) = self.trace.rows.last_mut() {
                row.events.extend(events);
                row.steps += steps;
                row.locks = locks;
            }
            return;
        }
        let place = before.place.unwrap_or_else(|| Frame {
            method: None,
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
        self.note_row(steps, self.trace.rows.len() - 1);
        if let Some(row) = self.trace.rows.last_mut() {
            if !before.call.is_empty() {
                row.call = before.call;
            }
            for event in events {
                if row.events.last() != Some(&event) {
                    row.events.push(event);
                }
            }
            row.steps += steps + std::mem::take(&mut self.unplaced);
            row.locks = locks;
        }
    }

    /// Notes where the steps of the schedule are told that begin with what was just told: one, or none.
    fn note_row(&mut self, steps: usize, row: usize) {
        self.row_of_step.extend(std::iter::repeat_n(row, steps));
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

    fn finish(
        &mut self,
        machine: &mut Machine<'_>,
        transitions: &Transitions<Action>,
        found: &Found<Action>,
    ) -> Violation {
        for number in machine.live_threads() {
            self.thread(machine, number);
        }
        let (message, why, place) = self.explain(machine, transitions, found);
        let main = machine.user_position(0);
        let place = place.or_else(|| main.map(|(method, _)| machine.frame(method, 0)));
        let (class, file, line) = place
            .map(|place| (place.class, place.file, place.line))
            .unwrap_or_default();
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
            class,
            file,
            line,
            why,
            stacks,
            trace,
            learned: Vec::new(),
        }
    }
}

/// Whether a field is no news: made by the compiler, as that for `assert`, or one of the standard streams.
fn is_compilers(cell: &Cell) -> bool {
    match &cell.name {
        CellName::Static(class, name) => name.contains('$') || class == "java.lang.System",
        CellName::Field(_, name) => name.contains('$'),
        CellName::Element(_) => false,
    }
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
