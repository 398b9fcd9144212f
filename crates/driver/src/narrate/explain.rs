//! What happened at the end of a schedule, why, and where; and the threads as a thread dump shows them.

use super::Narrator;
use kernel::Property;
use machine::inspect::{Doing, Frame, Wait};
use machine::system::Action;
use machine::{Address, Machine};
use report::model::{Event, Stack};
use search::Found;

impl Narrator<'_> {
    /// What happened, why, and where.
    pub(super) fn explain(
        &mut self,
        machine: &mut Machine<'_>,
        transitions: &kernel::Transitions<Action>,
        found: &Found<Action>,
    ) -> (String, Vec<String>, Option<Frame>) {
        match found.flaw.property {
            one if one == Property::DEADLOCK => self.explain_deadlock(machine),
            one if one == Property::EXCEPTION => self.explain_exception(machine),
            one if one == Property::RACE => self.explain_race(machine, transitions, found),
            one if one == Property::LOCK => self.explain_lock(machine),
            one if one == Property::LIVELOCK => self.explain_livelock(machine, transitions, found),
            other => (other.violated(), Vec::new(), None),
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
        transitions: &kernel::Transitions<Action>,
        found: &Found<Action>,
    ) -> (String, Vec<String>, Option<Frame>) {
        let pairs: Vec<(Action, Action)> = transitions.races().map(|(one, two)| (one.action, two.action)).collect();
        let told = pairs.into_iter().find_map(|(one, two)| {
            machine.find_race(one, two, &mut |machine, key| {
                (key == found.flaw.key).then(|| self.tell_race(machine, one.thread, two.thread))
            })
        });
        told.unwrap_or_else(|| ("a data race".to_owned(), Vec::new(), None))
    }

    /// Two threads are about to race.
    fn tell_race(&mut self, machine: &mut Machine<'_>, one: u32, two: u32) -> (String, Vec<String>, Option<Frame>) {
        // Which of the two is named first does not depend on the schedule.
        let line = |number| users_frame(machine, number).map(|frame| (frame.class, frame.line));
        let (one, two) = if line(two) < line(one) { (two, one) } else { (one, two) };
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
        (message, why, users_frame(machine, one))
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
            method: None,
            class: row.class.clone(),
            name: row.method.clone(),
            file: row.file.clone(),
            line: row.line,
            users: true,
            native: false,
        });
        (message, why.into_iter().collect(), place)
    }

    fn explain_livelock(
        &mut self,
        machine: &mut Machine<'_>,
        transitions: &kernel::Transitions<Action>,
        found: &Found<Action>,
    ) -> (String, Vec<String>, Option<Frame>) {
        // Whoever moves on the way round, or could, runs; a time limit that comes round again is no wait.
        let on_the_way = &found.actions[found.loop_start.unwrap_or(found.actions.len())..];
        let moves = |number: u32| {
            let could =
                |entry: &kernel::Transition<Action>| entry.thread.0 == number && entry.enabled && !entry.spurious;
            on_the_way.iter().any(|action| action.thread == number) || transitions.entries().iter().any(could)
        };
        let (runners, others): (Vec<u32>, Vec<u32>) = machine.live_threads().into_iter().partition(|&one| moves(one));
        let place = runners.iter().find_map(|&number| users_frame(machine, number));
        let mut why = Vec::new();
        for &number in runners.iter().chain(&others) {
            if machine.wait_of(number) != Wait::Others {
                why.push(self.waiting(machine, number).replace(" can go on", " runs"));
            }
        }
        let names: Vec<String> = runners
            .iter()
            .map(|&number| format!("\"{}\"", machine.thread_name(number)))
            .collect();
        let does = match names[..] {
            [_] => "runs for ever and changes",
            _ => "run for ever and change",
        };
        let message = format!(
            "livelock: {} {does} nothing that another thread looks at",
            listed(&names)
        );
        (message, why, place)
    }

    /// A thread as a thread dump shows it.
    pub(super) fn stack(&mut self, machine: &mut Machine<'_>, number: u32) -> Stack {
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

pub(super) fn exception_text(machine: &mut Machine<'_>, exception: Address) -> String {
    let class = machine.program.class(machine.class_of(exception)).external_name();
    let message = machine.get(exception, "java/lang/Throwable", "detailMessage");
    match machine.text_or_null(message) {
        Some(message) => format!("{class}: {message}"),
        None => class,
    }
}
