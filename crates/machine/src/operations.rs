//! Operations that take effect at once: methods between whose first access and whose return no other thread moves.
//!
//! A thread is in an operation if a frame on its stack is one of a method of the table, and no code from outside has been called
//! since. Of an operation of the JDK, the program's own code is outside: a function that it was given, a task, the `equals` of a key. So is
//! what the JDK runs as a task, which is an operation of its own, and whoever cancels tasks.
//! Of an operation of the program's, nothing is. Whether a thread is in one, and in which, follows from its stack alone. A class that
//! the program extends has no operations.
//!
//! A step that begins in an operation goes on through what others could see, until the operation
//! * has returned, or calls what is outside: the step goes on to the next visible instruction, as any step does, and ends there;
//! * cannot go on: at a monitor or a class that another thread has, or because it waits, parks or sleeps;
//! * has something to choose, so that the search is told;
//! * meets interrupts, where threads are interrupted: it would look whether it is interrupted itself, or interrupt another thread;
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
//! The footprint of such a step is all that it accesses (`operation_probe.rs`).

use crate::assumption::{CANCELS, CROWDS, LOOKS, SIGNALS};
use crate::encode::each_live;
use crate::frames::RETRY;
use crate::layout::{frame, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Alternatives;
use crate::operation_probe::Probe;
use crate::operation_table::{Effect, Operations};
use crate::special;
use crate::system::Action;
use kernel::Instrumentation;
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
    /// The program's, or as if it were, and no operation.
    Outside,
    /// The JDK's, and no operation.
    Inside,
    /// `Thread.isInterrupted`.
    Asks,
    /// The JDK's, and as if it were the program's: it cancels tasks.
    Cancels,
}

impl Role {
    /// Whether those who have called a method are in no operation of the JDK's for as long as it runs.
    fn is_boundary(self) -> bool {
        matches!(
            self,
            Role::Own | Role::Outside | Role::Cancels | Role::Library(Effect::Task)
        )
    }
}

/// The operation that the current step is in, and what is known of methods.
#[derive(Default)]
pub(crate) struct Current {
    /// Its frame, or 0.
    frame: Address,
    /// The topmost of the frames above it of which it is known that they are in it.
    inside: Address,
    table: Arc<Operations>,
    /// What methods are, by their numbers, as far as somebody has asked, and how many classes there were.
    roles: Vec<Option<Role>>,
    classes: Option<ClassId>,
    /// The frames of the operations that threads stand in, or 0, by their numbers, as far as somebody has asked since their latest steps.
    standing: Vec<Option<Address>>,
    /// Whether there are none for the moment.
    suspended: bool,
    /// The operations that steps were in.
    used: BTreeSet<MethodId>,
    /// What is known of the step so far, if it is probed.
    pub probe: Option<Probe>,
    /// What the next steps of threads access, by their numbers, at the state whose transitions were asked for last.
    pub probes: Vec<(u32, Probe)>,
    /// Where the step has been without having written anything since.
    trail: Trail,
    /// Where it has given way.
    spins: Trail,
    /// How many accesses in a row have written nothing.
    reads: u32,
    /// Whether the step has written anything that others know.
    pub wrote: bool,
    /// Room for what is compared.
    frames: Vec<u32>,
}

impl Current {
    /// Whether the current step is in one.
    pub fn is_on(&self) -> bool {
        self.frame != 0
    }

    /// This frame is the topmost one now, and the ones above it are gone.
    #[inline(always)]
    pub fn uncover(&mut self, fp: Address) {
        if fp < self.inside {
            let is_left = fp < self.frame;
            (self.frame, self.inside) = if is_left { (0, 0) } else { (self.frame, fp) };
        }
    }

    /// A thread moves, or is taken back to where it was, or is a new one.
    pub fn forget_where(&mut self, number: u32) {
        if let Some(standing) = self.standing.get_mut(number as usize) {
            *standing = None;
        }
    }

    /// So are all.
    pub fn forget_where_all(&mut self) {
        self.standing.clear();
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

    /// Whether frames that begin like this may be as they were, or are to be kept: else one need not look at them.
    fn may_come_round(&mut self, top: &[u32]) -> bool {
        self.length += 1;
        self.length >= self.renew || self.kept.starts_with(top)
    }

    /// Whether these frames are as they were. What was kept may come back in their place.
    fn comes_round(&mut self, frames: &mut Vec<u32>) -> bool {
        if self.kept == *frames {
            return true;
        }
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

    pub(crate) fn has_operations(&self) -> bool {
        !self.operation.table.is_empty()
            && !self.operation.suspended
            && !self.semantics.has(Instrumentation::EVERY_STEP)
    }

    fn role(&mut self, id: MethodId) -> Role {
        let classes = Some(self.program.class_end());
        match self.operation.roles.get(id.0 as usize) {
            Some(&Some(role)) if self.operation.classes == classes => role,
            _ => self.find_role(id, classes),
        }
    }

    #[cold]
    fn find_role(&mut self, id: MethodId, classes: Option<ClassId>) -> Role {
        let at = id.0 as usize;
        if self.operation.classes != classes {
            self.operation.classes = classes;
            self.operation.roles.clear();
        }
        let method = self.program.method(id);
        let class = self.program.class(method.class);
        let (name, descriptor) = (self.program.text(method.name), self.program.text(method.descriptor));
        let (table, assumed) = (&self.operation.table, self.semantics.looks_inside);
        let found = table.find(assumed, &class.external_name(), name, descriptor);
        let role = match (class.loader >= LoaderId::APP, found) {
            (false, Some((_, false))) if self.is_extended(method.class) => Role::Inside,
            (false, Some((Effect::TaskUncancelled, _))) => match self.semantics.cancels {
                true => Role::Outside,
                false => Role::Library(Effect::Task),
            },
            (false, Some((Effect::Cancelling, _))) => Role::Cancels,
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
    pub(crate) fn operation_of(&mut self, number: u32) -> Address {
        let (mut at, mut found, mut is_outside, mut looks) = (self.top_frame(number), 0, false, false);
        let mut reacquires = 0;
        while at != 0 {
            let (id, _, caller) = self.frame_at(at);
            let role = self.role(id);
            match role {
                Role::Own => (found, looks) = (at, false),
                Role::Library(..) if is_outside => {}
                Role::Library(Effect::Looking) => looks = true,
                Role::Library(Effect::Reacquiring) => reacquires = at,
                Role::Library(_) => (found, looks) = (at, false),
                Role::Asks => looks |= self.asks_of_another(number, at),
                Role::Cancels => self.violate_by(number, &CANCELS),
                Role::Outside | Role::Inside => {}
            }
            is_outside |= role.is_boundary();
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

    /// Whether the frame of an operation is one of a condition of the JDK's locks.
    fn is_condition(&self, at: Address) -> bool {
        at != 0 && {
            let class = self.program.class(self.program.method(self.frame_at(at).0).class);
            class.loader == LoaderId::BOOT && class.name.ends_with("$ConditionObject")
        }
    }

    /// Whether a thread is in the operation that the step began in.
    pub(crate) fn is_where_it_began(&mut self, number: u32) -> bool {
        self.operation_of(number) == self.operation.frame
    }

    /// How the operation that a thread is in takes effect.
    pub(crate) fn effect_of(&mut self, number: u32) -> Option<Effect> {
        let frame = self.operation_of(number);
        if frame == 0 {
            return None;
        }
        match self.role(self.frame_at(frame).0) {
            Role::Library(effect) => Some(effect),
            _ => Some(Effect::Assumed),
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
            && self.operation_at_rest(number) != 0
    }

    /// The same as [`Machine::operation_of`], of a thread that does not move. It is looked for once between two of its steps.
    fn operation_at_rest(&mut self, number: u32) -> Address {
        let at = number as usize;
        if let Some(&Some(frame)) = self.operation.standing.get(at) {
            debug_assert_eq!(frame, self.operation_of(number), "a thread stands where it stood");
            return frame;
        }
        let frame = self.operation_of(number);
        if self.operation.standing.len() <= at {
            self.operation.standing.resize(at + 1, None);
        }
        self.operation.standing[at] = Some(frame);
        frame
    }

    /// Before a step.
    pub(crate) fn begin_operation(&mut self, action: Action) {
        self.operation.frame = match self.is_in_operation(action.thread) {
            true => self.operation_at_rest(action.thread),
            false => 0,
        };
        self.operation.inside = self.operation.frame;
        self.operation.trail.clear();
        self.operation.spins.clear();
        self.operation.reads = 0;
        if self.operation.frame != 0 {
            let (id, _, _) = self.frame_at(self.operation.frame);
            self.operation.used.insert(id);
            match self.role(id) {
                Role::Library(Effect::Crowding) => self.violate_by(action.thread, &CROWDS),
                Role::Library(Effect::Signalling) => self.violate_by(action.thread, &SIGNALS),
                _ => {}
            }
        }
        self.operation.wrote = false;
        if self.operation.frame != 0 || self.operation.probe.is_some() {
            self.note_written(action);
            self.note_touched(action.thread);
            self.operation.wrote = self.is_writing();
        }
    }

    /// Does something with no operations, access by access.
    pub(crate) fn without_operations<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was = std::mem::replace(&mut self.operation.suspended, true);
        let done = run(self);
        self.operation.suspended = was;
        done
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
        if self.semantics.interrupts && self.meets_interrupts(number) {
            return false;
        }
        self.operation.wrote |= self.is_writing();
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
        while at > self.operation.inside {
            let (id, _, caller) = self.frame_at(at);
            let role = self.role(id);
            let is_reacquiring = role == Role::Library(Effect::Reacquiring);
            if role.is_boundary() || is_reacquiring && self.is_condition(self.operation.frame) {
                return true;
            }
            at = caller;
        }
        self.operation.inside = self.fp();
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
        if !self.operation.is_on() || self.is_called_back() {
            return false;
        }
        !self.comes_round(|operation| &mut operation.spins)
    }

    /// Whether the frames of the operation are as they were on a trail.
    fn comes_round(&mut self, trail: fn(&mut Current) -> &mut Trail) -> bool {
        let (id, pc, _) = self.frame_at(self.fp());
        let top = [self.fp(), id.0, pc];
        if !trail(&mut self.operation).may_come_round(&top) {
            return false;
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_comes_round_where_its_frames_are_as_they_were() {
        let mut trail = Trail::default();
        trail.clear();
        let mut rounds = 0;
        let meets = |trail: &mut Trail, frames: [u32; 2]| {
            trail.may_come_round(&frames[..1]) && trail.comes_round(&mut frames.to_vec())
        };
        // Three steps before a circle of five.
        while !meets(
            &mut trail,
            [7, if rounds < 3 { 100 + rounds } else { (rounds - 3) % 5 }],
        ) {
            rounds += 1;
            assert!(rounds < 30, "it never does");
        }
        let mut trail = Trail::default();
        trail.clear();
        assert!((0..1000).all(|step| !meets(&mut trail, [step % 2, step])));
    }
}
