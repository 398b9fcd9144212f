//! What every live thread may do next, and what is wrong with a state by itself.

use crate::assumption::PRINTS;
use crate::layout::{
    ALONE, HALTED, IGNORED, OWNER_MASK, class, class_record, frame, init, status, thread, thread_record,
};
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Alternatives;
use crate::special;
use crate::system::{Action, What};
use kernel::{AccessKind, End, Flaw, Location, Property, ThreadId, Transitions};
use program::ir::{Code, Instr};
use program::world::{ClassId, LoaderId, Method, MethodId};

/// The kinds of marks that a state carries, in their upper bits.
const REACHED: u128 = 1 << 124;
const INTERRUPTED: u128 = 2 << 124;
const OBSERVED: u128 = 3 << 124;
const KINDS: u128 = 15 << 124;

/// What a mark means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A call of `assertReachable` by this instruction of this method was reached.
    Reached(MethodId, u32),
    /// The thread that runs alone cannot go on, at this instruction of this method, if it is in one.
    Interrupted(Option<(MethodId, u32)>),
    /// A call of `observe` by this instruction of this method was given this value.
    Observed(MethodId, u32, i32),
}

impl Mark {
    /// A number for a mark at a place; 0 stands for no place.
    fn number(kind: u128, place: Option<(MethodId, u32)>, value: u32) -> u128 {
        let (method, pc) = place.map_or((0, 0), |(method, pc)| (method.0, pc));
        kind | u128::from(value) << 64 | u128::from(method) << 32 | u128::from(pc)
    }

    /// What a number stands for.
    pub fn read(number: u128) -> Mark {
        let (method, pc) = (MethodId((number >> 32) as u32), number as u32);
        match number & KINDS {
            INTERRUPTED => Mark::Interrupted((method.0 != 0).then_some((method, pc))),
            OBSERVED => Mark::Observed(method, pc, (number >> 64) as i32),
            _ => Mark::Reached(method, pc),
        }
    }
}

/// The instruction that a thread is about to execute.
#[derive(Clone, Copy)]
pub(crate) struct Next<'p> {
    pub method: &'p Method,
    pub code: &'p Code,
    pub instr: Instr,
    /// Its frame.
    pub fp: Address,
}

impl<'p> Machine<'p> {
    /// The next actions of every live thread, in the order of their numbers.
    pub fn transitions(&mut self, transitions: &mut Transitions<Action>) {
        transitions.clear();
        match self.memory.load(HALTED) {
            0 => {}
            IGNORED => return transitions.end = End::Ignored,
            _ => {
                transitions.end = End::Over;
                return self.left_locks(transitions);
            }
        }
        let mut stuck = 0;
        for number in 0..=self.highest_thread() {
            let state = self.thread_word(number, thread::STATUS);
            if state == status::FREE {
                continue;
            }
            let next = self.next_runnable(number, state);
            let wanted = next.and_then(|next| self.monitor_wanted(number, next));
            if let (Some(next), Some(object)) = (next, wanted)
                && object < self.memory.image_end()
            {
                self.note_console_lock(number, next.method, object);
            }
            let go = Action {
                thread: number,
                what: What::Go,
            };
            let ready = self.thread_word(number, thread::READY) != 0;
            let enabled = self.is_enabled(number, state, next, wanted);
            transitions.add(ThreadId(number), go, enabled);
            self.footprint(number, next, transitions);
            if let Some(next) = next
                && ready
            {
                self.alternatives(number, next, transitions);
            } else if matches!(state, status::WAITING | status::PARKED | status::SLEEPING) {
                self.wake_ups(number, state, transitions);
            } else if state == status::REACQUIRING && enabled && self.ends_otherwise(number) {
                let what = What::Choose(1);
                transitions.add_alternative(Action { thread: number, what }, true);
            }
            let action = transitions.entries().last().map_or(go, |last| last.action);
            if enabled && self.may_be_unaware(number, action) {
                let what = What::Unaware;
                transitions.add_alternative(Action { thread: number, what }, true);
            }
            let last = transitions.entries().last();
            stuck += u32::from(last.is_some_and(|last| !last.enabled));
        }
        let held = self.widen(transitions);
        self.run_alone(transitions);
        if stuck + held > 1
            && let Some(key) = self.circle_key()
        {
            transitions.flaws.push(Flaw {
                property: Property::DEADLOCK,
                key,
            });
        }
        self.left_locks(transitions);
    }

    /// Whether a thread with this status can move; `next` and `wanted` are its next instruction and the monitor that it enters, if the
    /// thread is runnable.
    #[inline]
    pub(crate) fn is_enabled(&mut self, number: u32, state: u32, next: Option<Next>, wanted: Option<Address>) -> bool {
        let ready = self.thread_word(number, thread::READY) != 0;
        match (state, next, wanted) {
            (status::ENDING, ..) => !self.is_kept_alive_without(number),
            (status::RUNNABLE, Some(_), Some(object)) if ready => self.can_enter(object, number),
            (status::RUNNABLE, Some(next), None) if ready => self.can_begin(number, next),
            (status::RUNNABLE, ..) => true,
            _ => self.can_run(number),
        }
    }

    /// Whether the next instruction would not have to wait for a class that another thread initialises.
    fn can_begin(&self, number: u32, next: Next) -> bool {
        self.class_wanted(next).is_none_or(|of| {
            let record = class_record(of);
            self.memory.load(record + class::STATE) != init::RUNNING
                || self.memory.load(record + class::OWNER) == number + 1
        })
    }

    /// The next instruction of a thread with this status, if it waits for nothing.
    #[inline]
    pub(crate) fn next_runnable(&self, number: u32, state: u32) -> Option<Next<'p>> {
        match state {
            status::RUNNABLE => self.next_instruction(number),
            _ => None,
        }
    }

    /// The next instruction of a thread.
    #[inline]
    pub(crate) fn next_instruction(&self, number: u32) -> Option<Next<'p>> {
        let fp = self.top_frame(number);
        if fp == 0 {
            return None;
        }
        let (id, pc, _) = self.frame_at(fp);
        let method = self.program.method(id);
        let code = self.program.ready(method)?;
        let &instr = code.instrs.get(pc as usize)?;
        Some(Next {
            method,
            code,
            instr,
            fp,
        })
    }

    /// The object whose monitor the thread is about to enter.
    #[inline]
    pub(crate) fn monitor_wanted(&self, number: u32, next: Next) -> Option<Address> {
        let register = |reg: u16| self.memory.load(next.fp + frame::REGISTERS + u32::from(reg));
        match next.instr {
            Instr::MonitorEnter { o } => Some(register(o)).filter(|&object| object != 0),
            // To end, a thread takes its own monitor for a moment, so that whoever joins it is told.
            Instr::Special { op, a, .. }
                if op == special::THREAD_END
                    || op == special::AWAIT_OTHERS && self.thread_word(number, thread::PHASE) == 0 =>
            {
                Some(register(a))
            }
            _ => None,
        }
    }

    /// The class that the thread is about to initialise or to wait for.
    pub(crate) fn class_wanted(&self, next: Next) -> Option<ClassId> {
        match next.instr {
            Instr::Special { op, a, .. } if op == special::INIT_BEGIN => {
                Some(ClassId(self.memory.load(next.fp + frame::REGISTERS + u32::from(a))))
            }
            _ => None,
        }
    }

    /// Notes that the program itself locks one of its standard streams: then printing is more than output.
    pub(crate) fn note_console_lock(&self, number: u32, by: &Method, object: Address) {
        let class = &*self.program.class(self.class_of(object)).name;
        if class == "java/io/PrintStream" && self.is_users(by) {
            self.violate_by(number, &PRINTS);
        }
    }

    /// How a thread that waits may stop waiting by itself.
    fn wake_ups(&mut self, number: u32, state: u32, transitions: &mut Transitions<Action>) {
        let action = |what| Action { thread: number, what };
        if self.semantics.spurious && state != status::SLEEPING {
            transitions.add_wake_up(action(What::Spurious), true);
        }
        if self.memory.load_wide(thread_record(number) + thread::DEADLINE) != 0 {
            transitions.add_wake_up(action(What::Timeout), false);
            transitions.touch(Location::CLOCK, AccessKind::AtomicWrite);
        }
    }

    /// Replaces the action that was added last by one for each alternative of the native method that comes next, and
    /// notes what is to be seen there.
    fn alternatives(&mut self, number: u32, next: Next, transitions: &mut Transitions<Action>) {
        let Instr::Special { op, a, b, .. } = next.instr else {
            return;
        };
        let fp = next.fp;
        let register = |position: u32| self.memory.load(fp + frame::REGISTERS + position);
        if op == special::UNCAUGHT {
            let (thread, exception) = (register(a.into()), register(b.into()));
            if !self.is_handled(thread)
                && self.missing_class(thread, exception).is_none()
                && let Some(key) = self.exception_key(exception)
            {
                transitions.flaws.push(Flaw {
                    property: Property::EXCEPTION,
                    key,
                });
            }
            return;
        }
        if op != special::NATIVE {
            return;
        }
        let Ok(bound) = self.bind(next.method) else {
            return;
        };
        let register = |position: u32| self.memory.load(fp + frame::REGISTERS + position);
        let mut choose = |count: u32| {
            // The native method itself says what is wrong with a number that makes no sense.
            if count == 0 || count > Alternatives::MOST {
                return;
            }
            replace_last(transitions, number, (0..count).map(What::Choose));
        };
        match bound.alternatives {
            Alternatives::One => {}
            Alternatives::Waiters { object } => {
                let waiters = self.waiters(register(object));
                if !waiters.is_empty() {
                    replace_last(transitions, number, waiters.into_iter().map(What::Wake));
                }
            }
            Alternatives::Below { bound } => choose((register(bound) as i32).max(0) as u32),
            Alternatives::Between { low } => {
                let span = i64::from(register(low + 1) as i32) - i64::from(register(low) as i32) + 1;
                choose(u32::try_from(span).unwrap_or(0));
            }
            Alternatives::Upto { most } => choose(u32::try_from(i64::from(register(most) as i32) + 1).unwrap_or(0)),
            Alternatives::Element { array } if register(array) != 0 => choose(self.array_length(register(array))),
            Alternatives::Element { .. } => {}
            Alternatives::Either => choose(2),
            Alternatives::Failure => choose(if self.semantics.spurious { 2 } else { 1 }),
            Alternatives::Clock => {
                if self.observes_time(fp) {
                    let leap = Action {
                        thread: number,
                        what: What::Leap,
                    };
                    transitions.add_alternative(leap, true);
                }
            }
            Alternatives::Reached => {
                let (caller, pc, _) = self.frame_at(self.memory.load(fp + frame::CALLER));
                transitions.marks.push(Mark::number(REACHED, Some((caller, pc)), 0));
            }
            Alternatives::Observed { value } => {
                let (caller, pc, _) = self.frame_at(self.memory.load(fp + frame::CALLER));
                transitions
                    .marks
                    .push(Mark::number(OBSERVED, Some((caller, pc)), register(value)));
            }
        }
    }

    /// Whether it is the program itself that looks at the clock in this frame of a native method, and not a class of the
    /// JDK that only waits.
    pub fn observes_time(&self, fp: Address) -> bool {
        let (caller, _, _) = self.frame_at(self.memory.load(fp + frame::CALLER));
        let class = self.program.class(self.program.method(caller).class);
        if class.loader != LoaderId::BOOT {
            return true;
        }
        let waits = [
            "java/util/concurrent/",
            "java/lang/",
            "java/util/Random",
            "java/util/Timer",
            "jdk/internal/",
        ];
        !waits.iter().any(|prefix| class.name.starts_with(prefix))
    }

    /// Leaves only the thread that asked to run alone enabled, as long as it can go on, and not just by chance.
    fn run_alone(&mut self, transitions: &mut Transitions<Action>) {
        let owner = self.memory.load(ALONE) & OWNER_MASK;
        if owner == 0 || self.thread_word(owner - 1, thread::STATUS) == status::FREE {
            return;
        }
        let goes_on =
            |entry: &kernel::Transition<Action>| entry.thread.0 + 1 == owner && entry.enabled && !entry.spurious;
        if transitions.entries().iter().any(goes_on) {
            self.note_alone(transitions, owner - 1);
            for entry in transitions.entries_mut() {
                entry.enabled &= entry.thread.0 + 1 == owner;
            }
        } else {
            let place = self.user_position(owner - 1);
            transitions.marks.push(Mark::number(INTERRUPTED, place, 0));
        }
    }

    /// Whether somebody will handle what a thread does not catch: a handler of its own, of all threads or of its group.
    pub(crate) fn is_handled(&mut self, thread: Address) -> bool {
        let jdks = |machine: &Self, object: Address, name: &str, descriptor: &str| {
            let found = machine.program.find_method(machine.class_of(object), name, descriptor);
            found.is_none_or(|id| !machine.is_users(machine.program.method(id)))
        };
        let handler = "()Ljava/lang/Thread$UncaughtExceptionHandler;";
        if !jdks(self, thread, "getUncaughtExceptionHandler", handler) {
            return true;
        }
        if let Some(cell) = self.field_named(thread, "group").or_else(|| {
            let holder = self.field_named(thread, "holder")?;
            self.field_named(self.memory.load(holder.at), "group")
        }) {
            let group = self.memory.load(cell.at);
            let descriptor = "(Ljava/lang/Thread;Ljava/lang/Throwable;)V";
            if group != 0 && !jdks(self, group, "uncaughtException", descriptor) {
                return true;
            }
        }
        let of_class = self.program.load(LoaderId::BOOT, "java/lang/Thread").ok();
        let default = of_class.and_then(|class| {
            let statics = self.memory.load(class_record(class) + class::STATICS);
            let offset = self.find_offset("java/lang/Thread", "defaultUncaughtExceptionHandler")?;
            (statics != 0).then(|| self.memory.load(statics + offset))
        });
        default.is_some_and(|handler| handler != 0)
            || self
                .find_offset("java/lang/Thread", "uncaughtExceptionHandler")
                .is_some_and(|offset| self.memory.load(thread + offset) != 0)
    }
}

/// Puts several actions with the footprint of the one that was added last in its place.
fn replace_last(transitions: &mut Transitions<Action>, thread: u32, whats: impl Iterator<Item = What>) {
    for (position, what) in whats.enumerate() {
        let action = Action { thread, what };
        if position == 0 {
            if let Some(last) = transitions.entries_mut().last_mut() {
                last.action = action;
            }
        } else {
            transitions.add_alternative(action, true);
        }
    }
}
