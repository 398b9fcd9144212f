//! Operations that take effect at once: methods between whose first access and whose return no other thread moves.
//!
//! A thread is in an operation if a frame on its stack is one of a method of the table, and no code from outside has been called
//! since. Of an operation of the JDK, the program's own code is outside: a function that it was given, a task, the `equals` of a key.
//! Of an operation of the program's, nothing is. Whether a thread is in one, and in which, follows from its stack alone. A class that
//! the program extends has no operations.
//!
//! A step that begins in an operation goes on through what others could see, until the operation
//! * has returned, or calls what is outside: the step goes on to the next visible instruction, as any step does, and ends there;
//! * cannot go on: at a monitor or a class that another thread has, or because it waits, parks or sleeps;
//! * has something to choose, so that the search is told;
//! * gives way, comes round to where it was without having written anything, or has run for long.
//!
//! In all these cases others may run, and the next step of the thread, if it is still in the operation, again goes on.
//!
//! SOUNDNESS: that nothing is missed rests on the operations being linearizable, which is no matter of this file. To end a step
//! earlier is always right: other threads can really run there.
//!
//! The footprint of such a step is all that it accesses. It is found by taking the step and undoing it ([`Machine::probe`]). What is
//! younger than the step is not part of it: nobody else can access that before the step ends.

use crate::encode::each_live;
use crate::frames::RETRY;
use crate::layout::{frame, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Alternatives;
use crate::special;
use crate::system::Action;
use kernel::{AccessKind, Instrumentation, Location, MemoryAccess, OwnerAccess, Transitions};
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, LoaderId, Method, MethodId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which methods are operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    patterns: Vec<Pattern>,
}

/// Names methods: `Class.method`, with or without the package, and `*` for any part of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    class: String,
    method: String,
}

impl Operations {
    /// The methods that any of these patterns names; or the first one that is no pattern.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Operations, String> {
        let read = |pattern: &str| match pattern.rsplit_once('.') {
            Some((class, method)) if !class.is_empty() && !method.is_empty() => Ok(Pattern {
                class: class.to_owned(),
                method: method.to_owned(),
            }),
            _ => Err(pattern.to_owned()),
        };
        let patterns = patterns.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Operations { patterns })
    }

    /// Whether a pattern names one of these methods, given with the names of their classes.
    pub fn names(pattern: &str, methods: &[String]) -> bool {
        Operations::new([pattern]).is_ok_and(|table| {
            let split = methods.iter().filter_map(|method| method.rsplit_once('.'));
            split.into_iter().any(|(class, method)| table.contains(class, method))
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a method of a class, by its name with the package, is one.
    fn contains(&self, class: &str, method: &str) -> bool {
        let simple = class.rsplit('.').next().unwrap_or(class);
        let names = |pattern: &Pattern| {
            fits(&pattern.method, method) && (fits(&pattern.class, class) || fits(&pattern.class, simple))
        };
        !method.starts_with('<') && self.patterns.iter().any(names)
    }
}

/// Whether a name fits a pattern in which `*` stands for anything.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.any(|at| fits(after, &rest[at..]))
        }),
    }
}

/// What a method is to operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An operation of the JDK's.
    Library,
    /// An operation of the program's.
    Own,
    /// The program's, and no operation.
    Outside,
    /// The JDK's, and no operation.
    Inside,
}

/// The operation that the current step is in, and what is known of methods.
#[derive(Default)]
pub(crate) struct Current {
    /// Its frame, or 0.
    pub frame: Address,
    table: Arc<Operations>,
    /// What methods are, by their numbers, as far as somebody has asked, and how many classes there were.
    roles: Vec<Option<Role>>,
    classes: Option<ClassId>,
    /// Whether there are none for the moment.
    suspended: bool,
    /// The operations that steps were in.
    used: BTreeSet<MethodId>,
    /// What is known of the step so far, if it is probed.
    probe: Option<Probe>,
    /// What the next steps of threads access, by their numbers, at the state whose transitions were asked for last.
    probes: Vec<(u32, Probe)>,
    /// Where the step has been without having written anything since.
    trail: Trail,
}

/// What a step accesses.
#[derive(Default)]
pub(crate) struct Probe {
    /// Of what was there before it.
    pub touched: Vec<MemoryAccess>,
    /// What each of these has to do with who has a synchronizer.
    owned: Vec<Option<OwnerAccess>>,
    /// Whether it calls a native method of which nobody knows what it accesses.
    wild: bool,
}

impl Probe {
    fn add(&mut self, touch: MemoryAccess, owned: Option<OwnerAccess>) {
        let worse = |one: Option<OwnerAccess>, two: Option<OwnerAccess>| match (one, two) {
            (Some(one), Some(two)) if one == two => Some(one),
            (None, None) => None,
            (Some(OwnerAccess::Broken), _) | (_, Some(OwnerAccess::Broken)) => Some(OwnerAccess::Broken),
            _ => Some(OwnerAccess::Kept),
        };
        match self.touched.iter().position(|&one| one == touch) {
            Some(at) => self.owned[at] = worse(self.owned[at], owned),
            None => {
                self.touched.push(touch);
                self.owned.push(owned);
            }
        }
    }
}

/// Notices a run that comes round to where it was: Brent's algorithm, on what is alive in the frames of the operation.
#[derive(Default)]
struct Trail {
    kept: Vec<u32>,
    length: u32,
    renew: u32,
}

impl Trail {
    fn clear(&mut self) {
        self.kept.clear();
        (self.length, self.renew) = (0, 1);
    }

    /// Whether these frames are as they were.
    fn comes_round(&mut self, frames: Vec<u32>) -> bool {
        if self.kept == frames {
            return true;
        }
        self.length += 1;
        if self.length >= self.renew {
            self.kept = frames;
            self.renew = self.length * 2;
        }
        false
    }
}

impl Machine<'_> {
    /// From now on these are operations.
    pub fn take_at_once(&mut self, table: Arc<Operations>) {
        self.operation = Current {
            table,
            ..Current::default()
        };
    }

    /// The names of the operations that steps were in, each once.
    pub fn operations_used(&self) -> Vec<String> {
        let name = |&id: &MethodId| {
            let method = self.program.method(id);
            let class = self.program.class(method.class).external_name();
            format!("{class}.{}", self.program.text(method.name))
        };
        let names: BTreeSet<String> = self.operation.used.iter().map(name).collect();
        names.into_iter().collect()
    }

    fn has_operations(&self) -> bool {
        !self.operation.table.is_empty()
            && !self.operation.suspended
            && !self.semantics.has(Instrumentation::EVERY_STEP)
    }

    fn role(&mut self, id: MethodId) -> Role {
        let (at, classes) = (id.0 as usize, Some(self.program.class_end()));
        if self.operation.classes != classes {
            self.operation.classes = classes;
            self.operation.roles.clear();
        }
        if let Some(&Some(role)) = self.operation.roles.get(at) {
            return role;
        }
        let method = self.program.method(id);
        let class = self.program.class(method.class);
        let is_operation = self
            .operation
            .table
            .contains(&class.external_name(), self.program.text(method.name));
        let role = match (class.loader >= LoaderId::APP, is_operation) {
            (false, true) if self.is_extended(method.class) => Role::Inside,
            (false, true) => Role::Library,
            (true, true) => Role::Own,
            (true, false) => Role::Outside,
            (false, false) => Role::Inside,
        };
        if self.operation.roles.len() <= at {
            self.operation.roles.resize(at + 1, None);
        }
        self.operation.roles[at] = Some(role);
        role
    }

    /// The frame of the operation that a thread is in, or 0: of several within each other the outermost.
    fn operation_of(&mut self, number: u32) -> Address {
        let (mut at, mut found, mut is_outside) = (self.top_frame(number), 0, false);
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            match self.role(id) {
                Role::Own => found = at,
                Role::Library if !is_outside => found = at,
                _ => {}
            }
            is_outside |= matches!(self.role(id), Role::Own | Role::Outside);
            at = caller;
        }
        found
    }

    /// Whether the program has a subclass of a class of the library's. SOUNDNESS: one that is loaded later has no objects before, so what was
    /// taken for an operation until then was one.
    fn is_extended(&self, class: ClassId) -> bool {
        self.program.class_ids().any(|other| {
            let is_users = self.program.class(other).loader >= LoaderId::APP;
            is_users && self.program.is_subclass(other, class)
        })
    }

    /// Whether the next step of a thread is the rest of an operation, or all of it.
    pub(crate) fn is_in_operation(&mut self, number: u32) -> bool {
        self.has_operations() && self.stands_in_operation(number)
    }

    /// The same, also where there are none for the moment.
    pub(crate) fn stands_in_operation(&mut self, number: u32) -> bool {
        !self.operation.table.is_empty()
            && self.thread_word(number, thread::STATUS) != status::FREE
            && self.thread_word(number, thread::READY) != 0
            && !self.is_alone(number)
            && self.operation_of(number) != 0
    }

    /// Before a step.
    pub(crate) fn begin_operation(&mut self, action: Action) {
        self.operation.frame = match self.is_in_operation(action.thread) {
            true => self.operation_of(action.thread),
            false => 0,
        };
        self.operation.trail.clear();
        if self.operation.frame != 0 {
            let (id, _, _) = self.frame_at(self.operation.frame);
            self.operation.used.insert(id);
        }
        if self.operation.frame != 0 || self.operation.probe.is_some() {
            self.note_written(action);
            self.note_touched(action.thread);
        }
    }

    /// All that an action would access, which is an enabled one of the state: by taking the step, and undoing it.
    pub(crate) fn probe(&mut self, action: Action) -> Probe {
        self.operation.probe = Some(Probe::default());
        let went = self.apply(action);
        let mut probe = self.operation.probe.take().unwrap_or_default();
        match went {
            Ok(undo) => self.undo(undo),
            // Nobody knows what it would have accessed.
            Err(_) => {
                probe.wild = true;
                let everything = MemoryAccess {
                    location: Location::EVERYTHING,
                    access: AccessKind::AtomicWrite,
                };
                probe.add(everything, None);
            }
        }
        probe
    }

    /// Does something with no operations, access by access.
    pub(crate) fn without_operations<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was = std::mem::replace(&mut self.operation.suspended, true);
        let done = run(self);
        self.operation.suspended = was;
        done
    }

    /// Gives the actions of threads that are in an operation the footprints of their whole steps.
    pub(crate) fn widen(&mut self, transitions: &mut Transitions<Action>) {
        if !self.has_operations() {
            return;
        }
        self.operation.probes.clear();
        for position in 0..transitions.entries().len() {
            let entry = transitions.entries()[position];
            if entry.enabled && self.is_in_operation(entry.thread.0) {
                let mut probe = self.probe(entry.action);
                // What the action does by itself, as the end of a time limit does to the clock.
                for &touch in transitions.footprint(&entry) {
                    if !probe.touched.iter().any(|one| one.location == touch.location) {
                        probe.add(touch, None);
                    }
                }
                transitions.replace_footprint(position, &probe.touched);
                self.operation.probes.push((entry.thread.0, probe));
            }
        }
    }

    /// What an access of the next step of a thread has to do with who has a synchronizer. The transitions of the state have been asked
    /// for.
    pub(crate) fn owner_access_within(&mut self, number: u32, touch: MemoryAccess) -> Option<OwnerAccess> {
        if !self.is_in_operation(number) {
            return self.owner_access(number, touch);
        }
        let probes = self.operation.probes.iter().filter(|(of, _)| *of == number);
        let found: Vec<Option<OwnerAccess>> = probes
            .flat_map(|(_, probe)| probe.touched.iter().zip(&probe.owned))
            .filter(|(one, _)| one.location == touch.location && one.access.is_read() == touch.access.is_read())
            .map(|(_, owned)| *owned)
            .collect();
        match found[..] {
            // Nobody can tell.
            [] => Some(OwnerAccess::Broken),
            [first, ..] if found.iter().all(|one| *one == first) => first,
            _ => Some(OwnerAccess::Broken),
        }
    }

    /// Whether the next step of a thread may call a native method of which nobody knows what it accesses.
    pub(crate) fn is_step_wild(&mut self, number: u32) -> bool {
        if !self.is_in_operation(number) {
            return self.is_wild(number);
        }
        let mut probes = self.operation.probes.iter().filter(|(of, _)| *of == number).peekable();
        probes.peek().is_none() || probes.any(|(_, probe)| probe.wild)
    }

    /// Whether the step goes on with the next instruction, with which it did not begin and which others could see. If so, its accesses are
    /// noted.
    #[cold]
    pub(crate) fn goes_on_at_once(&mut self) -> bool {
        let number = self.current();
        let Some(next) = self.next_instruction(number) else {
            return false;
        };
        if self.is_called_back() {
            return false;
        }
        if let Instr::Special { op, .. } = next.instr
            && self.has_choice(next.method, op)
        {
            return false;
        }
        let wanted = self.monitor_wanted(number, next);
        if !self.is_enabled(number, status::RUNNABLE, Some(next), wanted) {
            return false;
        }
        let records = self.semantics.has(Instrumentation::LOCKSETS);
        if records && self.note_owned(number).is_err() {
            return false;
        }
        self.note_next(next);
        match self.step.written().iter().any(|touch| !touch.access.is_read()) {
            true => self.operation.trail.clear(),
            false if self.comes_round() => return false,
            false => {}
        }
        if records && self.record_accesses(number).is_err() {
            return false;
        }
        self.note_touched(number);
        // Whoever wants to see all accesses is shown this one, and the step goes on.
        !self.solo.pauses_here()
    }

    /// Whether the running thread has called what is outside of its operation, and not come back.
    fn is_called_back(&mut self) -> bool {
        let (id, _, _) = self.frame_at(self.operation.frame);
        if self.role(id) == Role::Own {
            return false;
        }
        let mut at = self.fp();
        while at > self.operation.frame {
            let (id, _, caller) = self.frame_at(at);
            if matches!(self.role(id), Role::Own | Role::Outside) {
                return true;
            }
            at = caller;
        }
        false
    }

    /// Whether the search has something to choose at a special instruction, or is told of it.
    fn has_choice(&mut self, method: &Method, op: u16) -> bool {
        match op {
            special::NATIVE => self.bind(method).map_or(true, |bound| match bound.alternatives {
                Alternatives::One => false,
                Alternatives::Failure => self.semantics.spurious,
                Alternatives::Clock => self.observes_time(self.fp()),
                Alternatives::Waiters { object } => {
                    let object = self.memory.load(self.fp() + frame::REGISTERS + object);
                    !self.waiters(object).is_empty()
                }
                _ => true,
            }),
            special::INIT_BEGIN
            | special::INIT_DONE
            | special::INIT_FAILED
            | special::INIT_SUPERS
            | special::INIT_CLINIT => false,
            _ => true,
        }
    }

    fn comes_round(&mut self) -> bool {
        let (mut at, mut before, mut frames) = (self.fp(), true, Vec::new());
        while at >= self.operation.frame {
            let (id, pc, caller) = self.frame_at(at);
            frames.extend([at, id.0, pc]);
            if let Ok(code) = self.program.code(self.program.method(id)) {
                each_live(code, pc, before, |register, kind| {
                    let words = if kind == RegisterKind::Wide { 2 } else { 1 };
                    let first = at + frame::REGISTERS + u32::from(register);
                    frames.extend((first..first + words).map(|at| self.memory.load(at)));
                });
            }
            before = self.memory.load(at + frame::DEST) & RETRY != 0;
            at = caller;
        }
        self.operation.trail.comes_round(frames)
    }

    /// An access with which a thread goes on. What the library has to itself is no data of the program's, and only orders.
    pub(crate) fn as_seen_by_clients(&mut self, number: u32, touch: MemoryAccess) -> MemoryAccess {
        let access = match touch.access {
            AccessKind::Read if self.is_librarys_own(number) => AccessKind::AtomicRead,
            AccessKind::Write if self.is_librarys_own(number) => AccessKind::AtomicWrite,
            other => other,
        };
        MemoryAccess { access, ..touch }
    }

    /// Notes the latest accesses as some of the step's, if it is probed.
    fn note_touched(&mut self, number: u32) {
        let Some(mut probe) = self.operation.probe.take() else {
            return;
        };
        for at in 0..self.step.written().len() {
            let touch = self.step.written()[at];
            if self.memory.is_young(touch.location.object) {
                continue;
            }
            let owned = self.owner_access(number, touch);
            probe.add(self.as_seen_by_clients(number, touch), owned);
        }
        probe.wild |= self.step.is_wild();
        self.operation.probe = Some(probe);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_methods_of_classes() {
        let cases = [
            (
                "ReentrantLock.lock",
                "java.util.concurrent.locks.ReentrantLock",
                "lock",
                true,
            ),
            (
                "java.util.concurrent.*.*",
                "java.util.concurrent.locks.ReentrantLock",
                "lock",
                true,
            ),
            ("java.util.concurrent.*.*", "java.util.ArrayList", "add", false),
            ("*Queue.p*t", "java.util.concurrent.ArrayBlockingQueue", "put", true),
            ("*Queue.p*t", "java.util.concurrent.ArrayBlockingQueue", "poll", false),
            ("Map$Entry.get*", "p.Map$Entry", "getKey", true),
            ("*.*", "p.A", "<init>", false),
            ("*.*", "p.A", "", true),
        ];
        for (pattern, class, method, expected) in cases {
            let table = Operations::new([pattern]).expect("a pattern");
            assert_eq!(table.contains(class, method), expected, "{pattern} {class} {method}");
        }
        for wrong in ["", "lock", ".lock", "ReentrantLock."] {
            assert_eq!(Operations::new([wrong]), Err(wrong.to_owned()));
        }
    }

    #[test]
    fn a_run_comes_round_where_its_frames_are_as_they_were() {
        let mut trail = Trail::default();
        trail.clear();
        let mut rounds = 0;
        // Three steps before a circle of five.
        while !trail.comes_round(vec![if rounds < 3 { 100 + rounds } else { (rounds - 3) % 5 }]) {
            rounds += 1;
            assert!(rounds < 30, "it never does");
        }
        let mut trail = Trail::default();
        trail.clear();
        assert!((0..1000).all(|step| !trail.comes_round(vec![step])));
    }
}
