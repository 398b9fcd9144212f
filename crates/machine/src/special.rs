//! The instructions that only the machine's own methods contain.

use crate::frames::RETRY;
use crate::initialize::Begin;
use crate::interpret::{Exit, Next};
use crate::layout::{frame, init, status, thread};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::native::{Alternatives, Args, Outcome, Touches};
use kernel::{AccessKind, Instrumentation};
use program::ir::{Call, Reg};
use program::world::{ClassId, LoaderId, Method};

/// The body of a native method.
pub const NATIVE: u16 = program::ir::NATIVE_BODY;
/// `d` = whether to go on with initialising class `a`; waits while another thread is at it.
pub const INIT_BEGIN: u16 = 1;
/// Has everything above class `a` initialised.
pub const INIT_SUPERS: u16 = 2;
/// Calls the initialiser of class `a`.
pub const INIT_CLINIT: u16 = 3;
/// Class `a` is initialised.
pub const INIT_DONE: u16 = 4;
/// Class `a` failed with exception `b`.
pub const INIT_FAILED: u16 = 5;
/// Records that loader `a` answers for the name of class `b` with it.
pub const RECORD_CLASS: u16 = 6;
/// The loader did not find the class named `a`: exception `b` says why.
pub const CLASS_NOT_FOUND: u16 = 7;
/// The running thread is over; `a` is its object.
pub const THREAD_END: u16 = 8;
/// Waits until every other thread that is not a daemon is over; `a` is the thread's own object.
pub const AWAIT_OTHERS: u16 = 9;
/// Ends the program with status `a`.
pub const HALT: u16 = 10;
/// The machine's own call has returned the word `a`.
pub const STOP: u16 = 11;
/// The machine's own call has thrown `a`.
pub const STOP_FAILED: u16 = 12;
/// Class `a` failed; `b` is the error that says so from now on.
pub const INIT_CAUSE: u16 = 13;
/// Error `b` gets the stack trace of exception `a`.
pub const COPY_TRACE: u16 = 14;
/// A loader that was asked for the name `a` must have answered with a class `b` of that name.
pub const EXPECT_NAME: u16 = 15;
/// Exception `b` has left the code of thread `a`: nothing happens, but whoever looks at the state can see it.
pub const UNCAUGHT: u16 = 16;
/// First of the instructions that belong to dynamic linking.
pub const DYNAMIC: u16 = 100;

impl Machine<'_> {
    pub(crate) fn register(&self, reg: Reg) -> u32 {
        self.memory.load(self.fp() + frame::REGISTERS + u32::from(reg))
    }

    pub(crate) fn set_register(&mut self, reg: Reg, value: u32) {
        self.memory.poke(self.fp() + frame::REGISTERS + u32::from(reg), value);
    }

    pub(crate) fn special(&mut self, method: &Method, op: u16, d: Reg, a: Reg, b: Reg) -> Result<Next, Trap> {
        match op {
            NATIVE => return self.call_native(method),
            INIT_BEGIN => {
                let go = match self.init_begin(ClassId(self.register(a)))? {
                    Begin::Done => 0,
                    Begin::Go => 1,
                    Begin::Wait => return Ok(Next::Leave(Exit::Blocked)),
                };
                self.set_register(d, go);
            }
            INIT_SUPERS => self.init_supers(ClassId(self.register(a)))?,
            INIT_CLINIT => {
                if let Some(clinit) = self.program.class(ClassId(self.register(a))).initializer {
                    self.push_call(clinit, &[], u32::from(Call::NO_RESULT))?;
                    return Ok(Next::Reload);
                }
            }
            INIT_DONE => self.init_done(ClassId(self.register(a)), init::DONE),
            INIT_FAILED => {
                let trap = self.init_failed(ClassId(self.register(a)), self.register(b))?;
                return Err(trap);
            }
            INIT_CAUSE => self.init_cause(ClassId(self.register(a)), self.register(b)),
            COPY_TRACE => self.copy_trace(self.register(a), self.register(b)),
            EXPECT_NAME => self.expect_name(self.register(a), self.register(b))?,
            RECORD_CLASS => {
                let loader = self.loader_number(self.register(a))?;
                let class = self.mirrored(self.register(b));
                let name = &self.program.class(class).name;
                self.check_answer(loader, name, Some(class))?;
                self.program.record(loader, name, class);
            }
            CLASS_NOT_FOUND => {
                let name = self.text(self.register(a)).replace('.', "/");
                let cause = self.register(b);
                let not_found = self
                    .program
                    .load(LoaderId::BOOT, "java/lang/ClassNotFoundException")
                    .map_err(crate::link::load_trap)?;
                if !self.program.is_subclass(self.class_of(cause), not_found) {
                    return Err(Trap::Throw(cause));
                }
                return Err(Trap::RaiseCause("java/lang/NoClassDefFoundError", Some(name), cause));
            }
            THREAD_END => {
                if !self.can_enter(self.register(a), self.current()) {
                    // Whoever joins the thread holds its monitor between looking and waiting.
                    self.block_on(self.register(a));
                    return Ok(Next::Leave(Exit::Blocked));
                }
                self.end_thread(self.register(a))?;
                return Ok(Next::Leave(Exit::Ended));
            }
            AWAIT_OTHERS => {
                let mut waits = false;
                if self.thread_word(self.current(), thread::PHASE) == 0 {
                    if !self.can_enter(self.register(a), self.current()) {
                        self.block_on(self.register(a));
                        return Ok(Next::Leave(Exit::Blocked));
                    }
                    self.thread_is_over(self.register(a))?;
                    self.set_thread_word(self.current(), thread::PHASE, 1);
                    // Whether the others are still there is seen in a step of its own.
                    waits = self.stepping;
                }
                if waits || self.others_alive() {
                    self.set_thread_word(self.current(), thread::STATUS, status::ENDING);
                    return Ok(Next::Leave(Exit::Blocked));
                }
                self.set_thread_word(self.current(), thread::PHASE, 0);
            }
            HALT => {
                let status = self.register(a) as i32;
                self.halt(status);
                return Ok(Next::Leave(Exit::Halt(status)));
            }
            UNCAUGHT if self.stepping => {
                if let Some(missing) = self.missing_class(self.register(a), self.register(b)) {
                    return Err(Trap::Missing(missing));
                }
            }
            UNCAUGHT => {}
            STOP => return Ok(Next::Leave(Exit::Done(self.register(a)))),
            STOP_FAILED => return Ok(Next::Leave(Exit::Failed(self.register(a)))),
            _ => return self.special_dynamic(op, d, a, b),
        }
        Ok(Next::Advance)
    }

    fn expect_name(&mut self, name: Address, mirror: Address) -> Result<(), Trap> {
        let name = self.text(name).replace('.', "/");
        if mirror == 0 || *self.program.class(self.mirrored(mirror)).name != *name {
            return Err(Trap::Raise("java/lang/NoClassDefFoundError", Some(name)));
        }
        Ok(())
    }

    /// Whether other threads may see what a special instruction does.
    pub(crate) fn is_visible(&mut self, method: &Method, op: u16) -> bool {
        match op {
            NATIVE => self.bind(method).map_or(true, |bound| match bound.alternatives {
                Alternatives::One => self.is_seen(bound.touches),
                Alternatives::Failure => self.semantics.spurious,
                _ => true,
            }),
            INIT_CLINIT | STOP | STOP_FAILED | EXPECT_NAME | COPY_TRACE => false,
            _ => true,
        }
    }

    /// Whether other threads may see what a native method, whose frame is on top, touches.
    fn is_seen(&self, touches: Touches) -> bool {
        let register = |position: u32| self.memory.load(self.fp() + frame::REGISTERS + position);
        let is_own = |position: u32| self.is_own(register(position));
        match touches {
            Touches::Nothing => false,
            Touches::Several(all) => all.iter().any(|&one| self.is_seen(one)),
            Touches::Cell { object, .. }
            | Touches::Swap { object, .. }
            | Touches::Field { object, .. }
            | Touches::Bytes { object, .. }
            | Touches::Element { array: object, .. }
            | Touches::Elements { array: object, .. } => !is_own(object),
            // Whoever starts a thread is seen by it.
            Touches::Object {
                access: AccessKind::AtomicWrite,
                ..
            } => true,
            // Also where the hash code is known: where a step ends must not depend on what others have done.
            Touches::Object { object, .. } | Touches::Hash { object } => !is_own(object),
            Touches::Copy => !is_own(0) || !is_own(2),
            Touches::Pointees { array, .. } => {
                let mut seen = !is_own(array);
                if !seen {
                    self.references_of(register(array), |object| seen |= object != 0 && !self.is_own(object));
                }
                seen
            }
            _ => true,
        }
    }

    /// Runs the function of a native method and returns from its frame.
    fn call_native(&mut self, method: &Method) -> Result<Next, Trap> {
        if self.run.is_collection_due(self.memory.top()) {
            return Ok(Next::Leave(Exit::Collect));
        }
        let bound = self.bind(method)?;
        let (native, touches) = (bound.native, bound.touches);
        let args = Args::read(
            self,
            self.fp() + frame::REGISTERS,
            usize::from(method.argument_words).min(Args::MOST),
        );
        if self.stepping {
            self.read_names(touches, &args)?;
        }
        let seen = self.stepping
            && !self.solo.is_on()
            && self.semantics.has(Instrumentation::ESCAPE_BITS)
            && self.is_visible(method, NATIVE);
        let declared = self.begin_audit(method, touches);
        let outcome = native(self, &args);
        self.end_audit(method, declared, &outcome);
        // The choice of a step is for the native method that it begins with, and for no other.
        self.step.choose(0);
        let outcome = outcome?;
        if seen {
            self.mark_escaped();
        }
        if let Some(status) = self.halted() {
            return Ok(Next::Leave(Exit::Halt(status)));
        }
        let (caller, dest) = (
            self.memory.load(self.fp() + frame::CALLER),
            self.memory.load(self.fp() + frame::DEST),
        );
        match outcome {
            Outcome::Block => return Ok(Next::Leave(Exit::Blocked)),
            Outcome::Body => {
                let native_frame = self.fp();
                let body = self
                    .program
                    .body_of(method.id)
                    .map_err(|error| Trap::Unsupported(error.to_string()))?;
                let words: Vec<u32> = (0..usize::from(method.argument_words))
                    .map(|word| args.word(word))
                    .collect();
                self.uncover(caller);
                if let Err(trap) = self.push_call(body, &words, dest) {
                    self.running.set_frame(native_frame);
                    return Err(trap);
                }
                // What was noted for the body is read before anybody else moves, as far as the step's footprint allows.
                if matches!(touches, Touches::Everything | Touches::Unknown) {
                    self.step.set_fresh(true);
                }
                return Ok(Next::Reload);
            }
            Outcome::Call(target, arguments) => {
                // The callee takes the native frame's place.
                let native_frame = self.fp();
                self.uncover(caller);
                if let Err(trap) = self.push_call(target, &arguments, dest) {
                    self.running.set_frame(native_frame);
                    return Err(trap);
                }
                return Ok(Next::Reload);
            }
            Outcome::Void => self.uncover(caller),
            Outcome::Word(value) => {
                self.uncover(caller);
                if dest as u16 != Call::NO_RESULT {
                    self.set_register(dest as u16, value);
                }
            }
            Outcome::Wide(value) => {
                self.uncover(caller);
                if dest as u16 != Call::NO_RESULT {
                    self.set_register(dest as u16, value as u32);
                    self.set_register(dest as u16 + 1, (value >> 32) as u32);
                }
            }
        }
        if dest & RETRY == 0 {
            let pc = self.memory.load(self.fp() + frame::PC);
            self.memory.poke(self.fp() + frame::PC, pc + 1);
        }
        Ok(Next::Reload)
    }
}
