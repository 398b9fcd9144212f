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
//! * comes round to where it was without having written anything, or to where it gave way before, or has run for long.
//!
//! In all these cases others may run, and the next step of the thread, if it is still in the operation, again goes on.
//!
//! Some operations do nothing but wait until they can do what they do, as `lock` does ([`Effect::WhenAble`]). A step in one that would end in
//! waiting is not taken: the thread is held back until it need not wait, as it would be at a monitor. So nobody queues, and the order of
//! queues is no part of the state.
//!
//! SOUNDNESS: that nothing is missed rests on the operations being linearizable, which is no matter of this file. To end a step
//! earlier is always right: other threads can really run there. To be held back is right where waiting shows in nothing: that is the business
//! of whoever makes the table.
//!
//! The footprint of such a step is all that it accesses. It is found by taking the step and undoing it ([`Machine::probe`]). What is
//! younger than the step is not part of it: nobody else can access that before the step ends.

use crate::assumption::{CROWDS, LOOKS};
use crate::encode::each_live;
use crate::frames::RETRY;
use crate::layout::{frame, status, thread, thread_record};
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Alternatives;
use crate::operation_table::{Effect, Operations};
use crate::special;
use crate::system::{Action, Undo, What};
use kernel::{AccessKind, Instrumentation, Location, MemoryAccess, OwnerAccess, Transitions};
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, LoaderId, Method, MethodId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a method is to operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An operation of the JDK's.
    Library(Effect),
    /// An operation of the program's.
    Own,
    /// The program's, and no operation.
    Outside,
    /// The JDK's, and no operation.
    Inside,
    /// `Thread.isInterrupted`.
    Asks,
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
    /// Where it has given way.
    spins: Trail,
    /// How many accesses in a row have written nothing.
    reads: u32,
    /// Room for what is compared.
    frames: Vec<u32>,
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
    /// Whether it ends in waiting without a time limit, in the operation with which it began.
    waits: bool,
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

    /// Whether these frames are as they were. What was kept may come back in their place.
    fn comes_round(&mut self, frames: &mut Vec<u32>) -> bool {
        if self.kept == *frames {
            return true;
        }
        self.length += 1;
        if self.length >= self.renew {
            std::mem::swap(&mut self.kept, frames);
            self.renew = self.length * 2;
        }
        false
    }
}

/// How many accesses in a row write nothing before it is looked whether a run comes round: most never do, and whoever does goes on to do so.
const BEFORE_A_ROUND: u32 = 32;

impl Machine<'_> {
    /// From now on these are operations.
    pub fn take_at_once(&mut self, table: Arc<Operations>) {
        self.operation = Current {
            table,
            ..Current::default()
        };
    }

    /// The names of the operations that steps were in, each once: those that were proved to take effect at once, or those of which the user
    /// says so.
    pub fn operations_used(&self, proved: bool) -> Vec<String> {
        let name = |&id: &MethodId| {
            let method = self.program.method(id);
            let class = self.program.class(method.class).external_name();
            let (name, descriptor) = (self.program.text(method.name), self.program.text(method.descriptor));
            let is_wanted = self.operation.table.is_proved(&class, name, descriptor) == proved;
            is_wanted.then(|| format!("{class}.{name}"))
        };
        let names: BTreeSet<String> = self.operation.used.iter().filter_map(name).collect();
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
        let (name, descriptor) = (self.program.text(method.name), self.program.text(method.descriptor));
        let (table, assumed) = (&self.operation.table, self.semantics.looks_inside);
        let found = table.find(assumed, &class.external_name(), name, descriptor);
        let role = match (class.loader >= LoaderId::APP, found) {
            (false, Some((_, false))) if self.is_extended(method.class) => Role::Inside,
            (false, Some((effect, _))) => Role::Library(effect),
            (true, Some(_)) => Role::Own,
            (true, None) => Role::Outside,
            (false, None) if &*class.name == "java/lang/Thread" && &**name == "isInterrupted" => Role::Asks,
            (false, None) => Role::Inside,
        };
        if self.operation.roles.len() <= at {
            self.operation.roles.resize(at + 1, None);
        }
        self.operation.roles[at] = Some(role);
        role
    }

    /// The frame of the operation that a thread is in, or 0: of several within each other the outermost.
    fn operation_of(&mut self, number: u32) -> Address {
        let (mut at, mut found, mut is_outside, mut looks) = (self.top_frame(number), 0, false, false);
        let mut reacquires = 0;
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            match self.role(id) {
                Role::Own => (found, looks) = (at, false),
                Role::Library(..) if is_outside => {}
                Role::Library(Effect::Looking) => looks = true,
                Role::Library(Effect::Reacquiring) => reacquires = at,
                Role::Library(effect) => {
                    (found, looks) = (at, false);
                    is_outside = effect == Effect::Task;
                }
                Role::Asks => looks |= self.asks_of_another(number, at),
                Role::Outside | Role::Inside => {}
            }
            is_outside |= matches!(self.role(id), Role::Own | Role::Outside);
            at = caller;
        }
        if looks {
            self.violate_by(number, &LOOKS);
        }
        match reacquires != 0 && self.is_condition(found) {
            true => reacquires,
            false => found,
        }
    }

    /// Whether a thread asks in a frame of `Thread.isInterrupted` whether another one is interrupted. Operations that wait clear the status for
    /// a moment, and set it again.
    ///
    /// SOUNDNESS: the library itself asks before it interrupts a thread that is not interrupted yet. If it is told that one is while the status
    /// would have been cleared for a moment, all that it leaves out is to set it again.
    fn asks_of_another(&self, number: u32, at: Address) -> bool {
        let of = self.memory.load(at + frame::REGISTERS);
        let (_, _, caller) = self.frame_at(at);
        let is_librarys = caller != 0 && {
            let class = self.program.class(self.program.method(self.frame_at(caller).0).class);
            class.loader == LoaderId::BOOT && class.name.starts_with("java/util/concurrent/")
        };
        self.semantics.at_once && of != self.thread_word(number, thread::OBJECT) && !is_librarys
    }

    /// Whether the frame of an operation is one of a condition of the JDK's locks.
    fn is_condition(&self, at: Address) -> bool {
        at != 0 && {
            let class = self.program.class(self.program.method(self.frame_at(at).0).class);
            class.loader == LoaderId::BOOT && class.name.ends_with("$ConditionObject")
        }
    }

    /// How the operation that a thread is in takes effect.
    fn effect_of(&mut self, number: u32) -> Option<Effect> {
        let frame = self.operation_of(number);
        if frame == 0 {
            return None;
        }
        match self.role(self.frame_at(frame).0) {
            Role::Library(effect) => Some(effect),
            _ => Some(Effect::AtOnce),
        }
    }

    /// Whether a step of a thread that would end in waiting is not taken.
    fn is_held_back(&mut self, number: u32) -> bool {
        !self.semantics.spurious
            && match self.effect_of(number) {
                Some(Effect::WhenAble | Effect::Reacquiring) => true,
                Some(Effect::WhenAbleAlone) => !self.semantics.crowds,
                _ => false,
            }
    }

    /// Whether the program has a subclass of a class of the library's, or of the one around it. SOUNDNESS: one that is loaded later has no objects before, so what was
    /// taken for an operation until then was one.
    fn is_extended(&self, class: ClassId) -> bool {
        let found = self.program.class(class);
        let outer = found
            .name
            .split('$')
            .next()
            .and_then(|name| self.program.loaded(found.loader, name));
        self.program.class_ids().any(|other| {
            let is_users = self.program.class(other).loader >= LoaderId::APP;
            let extends = |class: ClassId| self.program.is_subclass(other, class);
            is_users && (extends(class) || outer.is_some_and(extends))
        })
    }

    /// The running thread parks. Outside of operations it could find a permit that one has left behind.
    ///
    /// SOUNDNESS: the queues that the JDK's locks are made of try again whenever a thread comes back from parking, and nobody can tell how often.
    pub fn note_parked(&mut self) {
        const QUEUES: [&str; 2] = [
            "java/util/concurrent/locks/AbstractQueuedSynchronizer",
            "java/util/concurrent/locks/AbstractQueuedLongSynchronizer",
        ];
        const BETWEEN: [&str; 2] = ["jdk/internal/misc/Unsafe", "java/util/concurrent/locks/LockSupport"];
        let mut at = self.fp();
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let method = self.program.method(id);
            let class = &*self.program.class(method.class).name;
            if QUEUES.contains(&class) && &**self.program.text(method.name) == "acquire" {
                return;
            }
            if !BETWEEN.contains(&class) {
                break;
            }
            at = caller;
        }
        self.note_looked();
    }

    /// The running thread looks at what another one is doing. Outside of operations it could tell how others wait in them.
    pub fn note_looked(&mut self) {
        if self.stepping && self.semantics.at_once && self.operation_of(self.current()) == 0 {
            self.violate(&LOOKS);
        }
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
        self.operation.spins.clear();
        self.operation.reads = 0;
        if self.operation.frame != 0 {
            let (id, _, _) = self.frame_at(self.operation.frame);
            self.operation.used.insert(id);
            if matches!(self.role(id), Role::Library(Effect::Crowding)) {
                self.violate_by(action.thread, &CROWDS);
            }
        }
        if self.operation.frame != 0 || self.operation.probe.is_some() {
            self.note_written(action);
            self.note_touched(action.thread);
        }
    }

    /// All that an action would access, which is an enabled one of the state: by taking the step, and undoing it.
    pub(crate) fn probe(&mut self, action: Action) -> Probe {
        self.operation.probe = Some(Probe::default());
        let began = self.operation_of(action.thread);
        let went = self.apply(action);
        let mut probe = self.operation.probe.take().unwrap_or_default();
        match went {
            Ok(undo) => {
                probe.waits = self.operation_of(action.thread) == began && self.waits_for_good(action.thread);
                self.undo(undo);
            }
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

    /// Whether a thread waits without a time limit.
    fn waits_for_good(&self, number: u32) -> bool {
        let state = self.thread_word(number, thread::STATUS);
        let is_timed = self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0;
        matches!(state, status::WAITING | status::PARKED) && !is_timed
    }

    /// The step of a thread that is held back, after which it waits, so that one can see what for.
    pub fn next_held_back(&mut self) -> Option<Action> {
        let mut steps = (0..=self.highest_thread()).map(|thread| Action { thread, what: What::Go });
        steps.find(|&go| {
            self.is_in_operation(go.thread)
                && self.is_held_back(go.thread)
                && self.can_step(go.thread)
                && self.probe(go).waits
        })
    }

    /// Looks at a state in which every thread that is held back waits where it would.
    pub(crate) fn as_waiting<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let mut undos: Vec<Undo> = Vec::new();
        while let Some(undo) = self.next_held_back().and_then(|go| self.apply(go).ok()) {
            undos.push(undo);
        }
        let seen = look(self);
        undos.into_iter().rev().for_each(|undo| self.undo(undo));
        seen
    }

    /// Does something with no operations, access by access.
    pub(crate) fn without_operations<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was = std::mem::replace(&mut self.operation.suspended, true);
        let done = run(self);
        self.operation.suspended = was;
        done
    }

    /// Whether an action in an operation that looks whether its thread is interrupted, where it is not, only looks.
    ///
    /// SOUNDNESS: whoever has looked may be interrupted before it takes effect, and takes effect all the same, or else looks again and throws.
    /// So where threads are interrupted, `lockInterruptibly` and the like are two steps. The first one is a step like any other, so that
    /// whoever leaves out orders of steps knows what it touches.
    fn is_to_begin(&self, action: Action) -> bool {
        let number = action.thread;
        self.semantics.interrupts
            && action.what == What::Go
            && self.thread_word(number, thread::STATUS) == status::RUNNABLE
            && self.thread_word(number, thread::READY) & thread::BEGUN == 0
            && !self.is_interrupted(number)
    }

    /// Whether a thread stands in an operation where it has looked whether it is interrupted, and has been interrupted since.
    fn was_interrupted_since(&mut self, number: u32) -> bool {
        self.thread_word(number, thread::READY) & thread::BEGUN != 0
            && self.is_interrupted(number)
            && self.is_in_operation(number)
    }

    /// Whether a thread whose next action was added last may go on in an operation without noticing that it has been interrupted.
    pub(crate) fn may_be_unaware(&mut self, number: u32, action: Action) -> bool {
        if !self.was_interrupted_since(number) {
            return false;
        }
        if action.what != What::Go {
            // One of several that are chosen from: so it is explored inside.
            self.violate_by(number, &LOOKS);
        }
        action.what == What::Go
    }

    /// A thread has looked whether it is interrupted, as the beginning of an operation.
    pub(crate) fn begin_interruptibly(&mut self, number: u32) {
        let ready = self.thread_word(number, thread::READY);
        self.set_thread_word(number, thread::READY, ready | thread::BEGUN);
    }

    /// A thread waits. In an operation it may as well be about to, and have looked already.
    pub(crate) fn wait_interruptibly(&mut self, number: u32) {
        if self.semantics.interrupts && !self.is_interrupted(number) && self.is_in_operation(number) {
            self.begin_interruptibly(number);
        }
    }

    /// After a step of a thread that has not noticed that it is interrupted: now it can.
    pub(crate) fn end_unaware(&mut self, number: u32) {
        let object = self.thread_word(number, thread::OBJECT);
        self.memory.store(object + self.known.thread_interrupted, 1);
        let ready = self.thread_word(number, thread::READY) & !thread::BEGUN;
        self.set_thread_word(number, thread::READY, ready);
        // Whoever is held back stays where it was.
        if !self.is_held_back(number) {
            self.interrupt(object);
        }
    }

    /// Where it is noted that a thread is interrupted.
    fn interrupt_status(&self, number: u32) -> Location {
        Location {
            object: self.thread_word(number, thread::OBJECT),
            cell: self.known.thread_interrupted,
        }
    }

    /// Gives the actions of threads that are in an operation the footprints of their whole steps, and holds back those that would only wait;
    /// how many these are.
    pub(crate) fn widen(&mut self, transitions: &mut Transitions<Action>) -> u32 {
        let mut held = 0;
        if !self.has_operations() {
            return held;
        }
        self.operation.probes.clear();
        let mut looks_at_status = false;
        for position in 0..transitions.entries().len() {
            let entry = transitions.entries()[position];
            if entry.enabled && self.is_in_operation(entry.thread.0) {
                let is_unaware = entry.action.what == What::Unaware;
                if is_unaware && !looks_at_status {
                    // It makes no difference.
                    transitions.entries_mut()[position].enabled = false;
                    continue;
                }
                let mut probe = self.probe(entry.action);
                let location = self.interrupt_status(entry.thread.0);
                looks_at_status = probe.wild || probe.touched.iter().any(|touch| touch.location == location);
                if looks_at_status && self.is_to_begin(entry.action) {
                    transitions.entries_mut()[position].action.what = What::Begin;
                    let access = AccessKind::AtomicRead;
                    probe = Probe::default();
                    probe.add(MemoryAccess { location, access }, None);
                    transitions.replace_footprint(position, &probe.touched);
                    self.operation.probes.push((entry.thread.0, probe));
                    continue;
                }
                if is_unaware {
                    let access = AccessKind::AtomicWrite;
                    probe.add(MemoryAccess { location, access }, None);
                }
                // What the action does by itself, as the end of a time limit does to the clock.
                for &touch in transitions.footprint(&entry) {
                    if !probe.touched.iter().any(|one| one.location == touch.location) {
                        probe.add(touch, None);
                    }
                }
                transitions.replace_footprint(position, &probe.touched);
                if probe.waits && self.is_held_back(entry.thread.0) {
                    transitions.entries_mut()[position].enabled = false;
                    held += 1;
                }
                self.operation.probes.push((entry.thread.0, probe));
            }
        }
        held
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

    /// All that the next steps of a thread access, which are the rest of an operation, or all of it. The transitions of the state have been
    /// asked for.
    pub(crate) fn probed(&self, number: u32) -> Vec<MemoryAccess> {
        let probes = self.operation.probes.iter().filter(|(of, _)| *of == number);
        probes.flat_map(|(_, probe)| &probe.touched).copied().collect()
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
            true => {
                self.operation.reads = 0;
                self.operation.trail.clear();
            }
            false => {
                self.operation.reads += 1;
                if self.operation.reads > BEFORE_A_ROUND && self.comes_round(|operation| &mut operation.trail) {
                    return false;
                }
            }
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
            let is_boundary = match self.role(id) {
                Role::Own | Role::Outside | Role::Library(Effect::Task) => true,
                Role::Library(Effect::Reacquiring) => self.is_condition(self.operation.frame),
                _ => false,
            };
            if is_boundary {
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

    /// Whether the step goes on although the thread gives way: in an operation it does, unless it has given way here before. Whoever
    /// counts how often comes to an end.
    #[cold]
    pub(crate) fn spins_on_at_once(&mut self) -> bool {
        if self.operation.frame == 0 || self.is_called_back() {
            return false;
        }
        !self.comes_round(|operation| &mut operation.spins)
    }

    /// Whether the frames of the operation are as they were on a trail.
    fn comes_round(&mut self, trail: fn(&mut Current) -> &mut Trail) -> bool {
        let mut frames = std::mem::take(&mut self.operation.frames);
        self.frames_inside(&mut frames);
        let comes_round = trail(&mut self.operation).comes_round(&mut frames);
        self.operation.frames = frames;
        comes_round
    }

    /// What is alive in the frames of the operation.
    fn frames_inside(&self, frames: &mut Vec<u32>) {
        frames.clear();
        let (mut at, mut before) = (self.fp(), true);
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
    }

    /// Whether a thread that parks with a time limit, in the operation with which the step began, does not do so: the operation gives up.
    pub(crate) fn gives_up(&mut self, number: u32) -> bool {
        let began = self.operation.frame;
        began != 0
            && self.thread_word(number, thread::STATUS) == status::PARKED
            && self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0
            && self.operation_of(number) == began
            && self.effect_of(number) == Some(Effect::GivesUp)
    }

    /// A time limit ends in the midst of the step.
    pub(crate) fn note_time_out(&mut self) {
        if let Some(probe) = &mut self.operation.probe {
            let clock = MemoryAccess {
                location: Location::CLOCK,
                access: AccessKind::AtomicWrite,
            };
            probe.add(clock, None);
        }
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
    fn a_run_comes_round_where_its_frames_are_as_they_were() {
        let mut trail = Trail::default();
        trail.clear();
        let mut rounds = 0;
        // Three steps before a circle of five.
        while !trail.comes_round(&mut vec![if rounds < 3 { 100 + rounds } else { (rounds - 3) % 5 }]) {
            rounds += 1;
            assert!(rounds < 30, "it never does");
        }
        let mut trail = Trail::default();
        trail.clear();
        assert!((0..1000).all(|step| !trail.comes_round(&mut vec![step])));
    }
}
