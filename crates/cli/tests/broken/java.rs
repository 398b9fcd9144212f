//! Programs, hand-made and random, on one machine; and wrong answers about its states.

use crate::lying::InterferenceQuery;
use kernel::{
    AccessKind, Instrumentation, Interference, Location, Locksets, Protection, Reachability, StateVector, System,
    ThreadId, Transitions, Unsupported,
};
use library::{HostFiles, Library};
use machine::layout::{self, status};
use machine::system::{Action, Java, Undo};
use machine::{Address, Limits, Machine, Nowhere, Shared, Start};
use program::classpath::ClassPath;
use program::jdk::Jdk;
use program::world::{LoaderId, Program};
use std::collections::{BTreeMap, HashSet};
use std::process::Command;

/// Compiles programs, puts them on a machine, and lends that out.
pub fn with_programs(
    jdk: &Jdk,
    folder: &std::path::Path,
    programs: &[(String, String)],
    body: impl for<'p> FnOnce(&'p Shared<'p>, &mut Machine<'p>, &[Start]),
) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder.join("raddle")).expect("target can be written");
    let verify = folder.join("raddle/Verify.java");
    std::fs::write(&verify, include_str!("../../../../java/raddle/Verify.java")).expect("target can be written");
    let mut command = Command::new(jdk.javac().expect("a full JDK"));
    command
        .args(["-g", "-nowarn", "-proc:none", "-d"])
        .arg(folder)
        .arg(verify);
    for (name, source) in programs {
        let path = folder.join(format!("{name}.java"));
        std::fs::write(&path, source).expect("target can be written");
        command.arg(path);
    }
    let output = command.output().expect("javac runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = folder.to_string_lossy().into_owned();
    let class_path = ClassPath::parse(&text, jdk.feature()).expect("a class path");
    let files = HostFiles::new(
        jdk.home(),
        jdk.version(),
        jdk.feature().into(),
        &text,
        &[folder.to_path_buf()],
    );
    let program = Program::new(jdk.image().clone(), class_path).expect("tables can be made");
    let limits = Limits {
        heap_words: 1 << 26,
        ..Limits::default()
    };
    let library = Library::exploring();
    let shared = Shared::new(&program, &library, &files, limits, BTreeMap::new());
    let mut machine = Machine::new(&shared, Box::new(Nowhere)).expect("a machine can be made");
    let start = |(name, _): &(String, String)| Start {
        class: name.clone(),
        entry: None,
        arguments: Vec::new(),
    };
    let starts: Vec<Start> = programs.iter().map(start).collect();
    machine.prepare_searches(&starts).expect("the programs begin");
    body(&shared, &mut machine, &starts);
}

/// What is reached from some objects, past those that `passes`.
fn reached(
    machine: &Machine<'_>,
    from: impl IntoIterator<Item = Address>,
    passes: impl Fn(Address) -> bool,
) -> HashSet<Address> {
    let mut work: Vec<Address> = from.into_iter().filter(|&object| machine.is_tracked(object)).collect();
    let mut met: HashSet<Address> = work.iter().copied().collect();
    while let Some(object) = work.pop() {
        if passes(object) {
            let references = machine.tracked_references(object);
            work.extend(references.into_iter().filter(|&value| met.insert(value)));
        }
    }
    met
}

/// Local to a thread if no other one's variables lead there: static fields are forgotten.
pub fn local_but_for_statics(_: &Java<'_>, machine: &mut Machine<'_>, thread: ThreadId, location: Location) -> bool {
    let Some(object) = machine.tracked_at(location) else {
        return false;
    };
    let roots = machine.origins();
    let others = roots.threads.into_iter().filter(|(number, _)| *number != thread.0);
    !reached(machine, others.flat_map(|(_, roots)| roots), |_| true).contains(&object)
}

/// Local to a thread if the heap does not lead there: variables of other threads are forgotten.
pub fn local_but_for_variables(_: &Java<'_>, machine: &mut Machine<'_>, thread: ThreadId, location: Location) -> bool {
    let Some(object) = machine.tracked_at(location) else {
        return false;
    };
    let roots = machine.origins();
    let others = roots.threads.into_iter().filter(|(number, _)| *number != thread.0);
    let objects: Vec<Address> = others.filter_map(|(_, roots)| roots.first().copied()).collect();
    !reached(machine, roots.shared.into_iter().chain(objects), |_| true).contains(&object)
}

/// Algorithm 5 as it is printed: dominated if it is shielded from some other thread.
pub fn dominated_for_one(
    _: &Java<'_>,
    machine: &mut Machine<'_>,
    thread: ThreadId,
    location: Location,
    locks: &dyn Fn(u32) -> bool,
) -> bool {
    let Some(object) = machine.tracked_at(location) else {
        return false;
    };
    let roots = machine.origins();
    let others = roots.threads.iter().filter(|(number, _)| *number != thread.0);
    let machine = &*machine;
    let passes = |at| !(machine.is_locked_by(at, thread.0) && locks(machine.class_of(at).0));
    let mut shielded = others.map(|(_, own)| {
        let from = || roots.shared.iter().chain(own).copied();
        reached(machine, from(), |_| true).contains(&object) && !reached(machine, from(), passes).contains(&object)
    });
    shielded.any(|is| is)
}

/// Shared is what is reached by more than one thread now.
pub fn escaped_now<'p>(java: &Java<'p>, machine: &mut Machine<'p>, location: Location) -> bool {
    !(0..8).any(|number| java.is_local(machine, ThreadId(number), location))
}

/// What a thread is given when it starts has not escaped.
pub fn escaped_but_for_starts<'p>(java: &Java<'p>, machine: &mut Machine<'p>, location: Location) -> bool {
    let Some(object) = machine.tracked_at(location) else {
        return true;
    };
    let roots = machine.origins();
    let objects = roots.threads.iter().filter_map(|(_, roots)| roots.first().copied());
    java.has_escaped(machine, location) && !reached(machine, objects, |_| true).contains(&object)
}

/// That something is known to be protected is believed, and never found to be wrong.
pub fn never_open<'p>(
    java: &Java<'p>,
    machine: &mut Machine<'p>,
    thread: ThreadId,
    location: Location,
    access: AccessKind,
) -> Option<Protection> {
    let known = java.protection(machine, thread, location, access);
    known.filter(|&protection| !matches!(protection, Protection::Open | Protection::Unlocked))
}

/// What is read is only read, whoever writes it later.
pub fn reads_are_only_reads<'p>(
    java: &Java<'p>,
    machine: &mut Machine<'p>,
    thread: ThreadId,
    location: Location,
    access: AccessKind,
) -> Option<Protection> {
    match access.is_read() {
        true => Some(Protection::ReadOnly),
        false => never_open(java, machine, thread, location, access),
    }
}

/// The thread that makes objects for others; as long as it alone has used one, its accesses are taken for protected.
const CREATOR: ThreadId = ThreadId(2);

/// Whether a location is that creator's own business still.
fn is_exclusive(machine: &Machine<'_>, thread: ThreadId, location: Location) -> bool {
    let object = machine.tracked_at(location);
    thread == CREATOR && object.is_some_and(|object| !machine.was_accessed(object))
}

/// A record begins when a second thread comes.
pub fn protected_while_exclusive<'p>(
    java: &Java<'p>,
    machine: &mut Machine<'p>,
    thread: ThreadId,
    location: Location,
    access: AccessKind,
) -> Option<Protection> {
    match is_exclusive(machine, thread, location) {
        true => Some(Protection::Locked),
        false => java.protection(machine, thread, location, access),
    }
}

/// The same for what is recorded.
pub fn unrecorded_while_exclusive<'p>(
    java: &Java<'p>,
    machine: &mut Machine<'p>,
    action: Action,
) -> Result<Undo, Unsupported> {
    let mut transitions = Transitions::default();
    java.transitions(machine, &mut transitions);
    let entry = transitions.entries().iter().find(|entry| entry.action == action);
    let mut locations = entry.into_iter().flat_map(|entry| transitions.footprint(entry));
    let needs = machine.semantics.instrumentation;
    if locations.any(|touch| is_exclusive(machine, ThreadId(action.thread), touch.location)) {
        machine.semantics.instrumentation = needs.without(Instrumentation::LOCKSETS);
    }
    let applied = java.apply(machine, action);
    machine.semantics.instrumentation = needs;
    applied
}

/// Records are no part of what is compared.
pub fn without_records(_: &Java<'_>, machine: &mut Machine<'_>, out: &mut StateVector) {
    machine.encode_without_records(out);
}

/// What threads are called is no part of a state, and whoever reads it reads it all the same.
pub fn read_without_names<'p>(java: &Java<'p>, machine: &mut Machine<'p>, action: Action) -> Result<Undo, Unsupported> {
    machine.semantics.names_threads = false;
    java.apply(machine, action).or_else(|_| {
        machine.semantics.names_threads = true;
        let applied = java.apply(machine, action);
        machine.semantics.names_threads = false;
        applied
    })
}

/// Whether a thread has just called a method of the library.
pub fn calls_the_library(_: &Java<'_>, machine: &mut Machine<'_>, thread: ThreadId) -> bool {
    let loader = |at: Address| {
        let (method, _, _) = machine.frame_at(at);
        machine.program.class(machine.program.method(method).class).loader
    };
    let mut at = machine.top_frame(thread.0);
    let mut is_called = false;
    while at != 0 && loader(at) < LoaderId::APP {
        is_called = true;
        at = machine.frame_at(at).2;
    }
    is_called && at != 0
}

/// Drops the threads that interfere with some unless a state says so of them, given what the threads that stand still are about to touch.
fn interference_if<'p>(
    asked: InterferenceQuery<'_, Java<'p>>,
    interferes: impl Fn(&mut Machine<'p>, &Transitions<Action>, &[Address], ThreadId) -> bool,
) -> bool {
    let InterferenceQuery {
        system: java,
        state: machine,
        still,
        out,
    } = asked;
    let mut transitions = Transitions::default();
    java.transitions(machine, &mut transitions);
    let own = transitions
        .entries()
        .iter()
        .filter(|entry| still.contains(&entry.thread));
    let locations = own
        .flat_map(|entry| transitions.footprint(entry))
        .map(|touch| touch.location);
    let wanted: Vec<Address> = locations.filter_map(|location| machine.tracked_at(location)).collect();
    let known = java.interfering_threads(machine, still, out);
    out.retain(|&thread| interferes(machine, &transitions, &wanted, thread));
    known
}

/// Whether one of the objects is reached from others.
fn is_reached(machine: &Machine<'_>, wanted: &[Address], from: impl IntoIterator<Item = Address>) -> bool {
    let met = reached(machine, from, |_| true);
    wanted.iter().any(|object| met.contains(object))
}

/// A thread that interferes reaches something by itself: static fields lead nowhere.
pub fn interference_but_for_statics(asked: InterferenceQuery<'_, Java<'_>>) -> bool {
    interference_if(asked, |machine, _, wanted, thread| {
        let own = machine
            .origins()
            .threads
            .into_iter()
            .filter(|(number, _)| *number == thread.0);
        is_reached(machine, wanted, own.flat_map(|(_, roots)| roots))
    })
}

/// A thread that interferes reaches something by the heap: its variables lead nowhere.
pub fn interference_but_for_variables(asked: InterferenceQuery<'_, Java<'_>>) -> bool {
    interference_if(asked, |machine, _, wanted, thread| {
        let roots = machine.origins();
        let own = roots.threads.into_iter().filter(|(number, _)| *number == thread.0);
        let objects: Vec<Address> = own.filter_map(|(_, roots)| roots.first().copied()).collect();
        is_reached(machine, wanted, roots.shared.into_iter().chain(objects))
    })
}

/// A thread that interferes does not stand like this.
fn interference_but_for(asked: InterferenceQuery<'_, Java<'_>>, harmless: &[u32]) -> bool {
    interference_if(asked, |machine, transitions, _, thread| {
        let can = |entry: &kernel::Transition<Action>| entry.enabled && !entry.wakeup && entry.thread == thread;
        let state = machine.thread_word(thread.0, layout::thread::STATUS);
        transitions.entries().iter().any(can) || !harmless.contains(&state)
    })
}

/// Who waits to be notified, unparked, or for some time waits for ever.
pub fn interference_but_for_waiting(asked: InterferenceQuery<'_, Java<'_>>) -> bool {
    let waiting = [status::WAITING, status::PARKED, status::SLEEPING];
    interference_but_for(asked, &waiting)
}

/// Who wants a monitor, or a class, that another has waits for ever, whoever has it.
pub fn interference_but_for_blocked(asked: InterferenceQuery<'_, Java<'_>>) -> bool {
    let blocked = [
        status::RUNNABLE,
        status::BLOCKED,
        status::REACQUIRING,
        status::INITIALIZING,
    ];
    interference_but_for(asked, &blocked)
}

/// Nobody comes after the end of the main thread.
pub fn interference_but_for_the_end(asked: InterferenceQuery<'_, Java<'_>>) -> bool {
    interference_if(asked, |machine, _, _, thread| {
        machine.thread_word(thread.0, layout::thread::STATUS) != status::ENDING
    })
}
