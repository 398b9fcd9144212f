//! What a step does, as events of a trace.

use super::explain::exception_text;
use super::{Before, Narrator};
use machine::Machine;
use machine::inspect::{Cell, CellName, Doing, Wait};
use machine::system::What;
use program::world::MethodId;
use report::model::Event;

/// Packages whose cells are of interest even though the code that touches them is the JDK's.
const ATOMICS: &str = "java.util.concurrent.atomic.";

impl Narrator<'_> {
    /// What a step has done, now that it is over.
    pub(super) fn describe(&mut self, machine: &mut Machine<'_>, before: &Before, events: &mut Vec<Event>) {
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
        method: MethodId,
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
}

/// What a choice means, if it means anything to the program.
pub(super) fn chosen(machine: &Machine<'_>, before: &Before, number: u32) -> Option<Event> {
    let Doing::Native(method, words) = &before.doing else {
        return None;
    };
    let name = &**machine.program.text(machine.program.method(*method).name);
    Some(other(match name {
        "getInt" => format!("chooses {}", (words[0] as i32).wrapping_add(number as i32)),
        // The thread was interrupted, and notified or out of time.
        "wait" | "wait0" if machine.is_interrupted(before.action.thread) => {
            "returns from wait with the interrupt pending".to_owned()
        }
        "wait" | "wait0" => "throws InterruptedException".to_owned(),
        "chooseBoolean" | "getBoolean" | "randomBool" => format!("chooses {}", number != 0),
        _ if !name.starts_with("weakCompareAndSet") => format!("chooses {number}"),
        _ if number == 1 => "fails for no reason".to_owned(),
        _ => return None,
    }))
}

/// An event in a few words.
pub(super) fn other(text: impl Into<String>) -> Event {
    Event::Other { text: text.into() }
}

/// Whether a cell is that of an atomic variable of the JDK.
pub(super) fn is_atomic(cell: &Cell) -> bool {
    matches!(&cell.name, CellName::Field(class, _) if class.starts_with(ATOMICS))
}
