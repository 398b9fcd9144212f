//! Calls and returns: pushing frames, uncovering older ones, unwinding to a handler.

use crate::layout::frame;
use crate::machine::{Machine, Trap, raise};
use crate::memory::Address;
use crate::special;
use program::classfile::flags;
use program::descriptor::{self, Kind};
use program::ir::{Call, Code, Instr, Register, RegisterKind};
use program::lower::LowerErrorKind;
use program::world::{Method, MethodId};

/// Flag in a frame's `DEST`: on return, the caller's instruction is tried again instead of being over.
pub(crate) const RETRY: u32 = 1 << 16;

/// Words at the end of a stack that only the throwing of a `StackOverflowError` may use.
const RESERVE: u32 = 4096;

impl<'p> Machine<'p> {
    /// The code of a method: lowered bytecode, or what stands for a native body.
    pub fn code(&mut self, method: &'p Method) -> Result<&'p Code, Trap> {
        if method.index != u16::MAX && method.is_native() {
            self.program
                .set_code(method, native_stub(self.program.text(method.descriptor), method));
        } else if method.is_abstract() {
            return raise("java/lang/AbstractMethodError", self.program.describe(method.id));
        } else if method.index != u16::MAX && self.shared.natives.stands_in(self.program, method) {
            self.program
                .set_code(method, native_stub(self.program.text(method.descriptor), method));
        }
        let program = self.program;
        match program.code(method) {
            Ok(code) => Ok(code),
            Err(error) => {
                let class = program.class(method.class).external_name();
                match error.kind {
                    LowerErrorKind::Verify | LowerErrorKind::Format => {
                        raise("java/lang/VerifyError", error.to_string())
                    }
                    LowerErrorKind::Class => raise("java/lang/NoClassDefFoundError", error.what.clone()),
                    LowerErrorKind::Unsupported => Err(Trap::Unsupported(format!("{class}: {error}"))),
                }
            }
        }
    }

    /// Pushes a frame for a method on top of the current one.
    pub fn push_call(&mut self, method: MethodId, arguments: &[u32], dest: u32) -> Result<(), Trap> {
        let method = self.program.method(method);
        let code = self.code(method)?;
        let fp = self.next_frame();
        // The machine's own methods may use the reserve: one of them makes the StackOverflowError.
        let reserve = if method.index == u16::MAX { RESERVE } else { 0 };
        self.check_stack(fp - reserve, code)?;
        self.memory.poke(fp + frame::METHOD, method.id.0);
        self.memory.poke(fp + frame::PC, 0);
        self.memory.poke(fp + frame::CALLER, self.fp());
        self.memory.poke(fp + frame::DEST, dest);
        for (position, &word) in arguments.iter().enumerate().take(usize::from(code.frame_words)) {
            self.memory.poke(fp + frame::REGISTERS + position as u32, word);
        }
        self.running.set_frame(fp);
        Ok(())
    }

    /// Puts the first frame on an empty stack.
    pub(crate) fn push_root(&mut self, thread: u32, method: MethodId, arguments: &[u32]) -> Address {
        let (start, _) = self.stack(thread);
        self.memory.poke(start + frame::METHOD, method.0);
        self.memory.poke(start + frame::PC, 0);
        self.memory.poke(start + frame::CALLER, 0);
        self.memory.poke(start + frame::DEST, u32::from(Call::NO_RESULT));
        for (position, &word) in arguments.iter().enumerate() {
            self.memory.poke(start + frame::REGISTERS + position as u32, word);
        }
        start
    }

    /// Where the next frame goes.
    fn next_frame(&self) -> Address {
        let method = self
            .program
            .method(MethodId(self.memory.load(self.fp() + frame::METHOD)));
        let words = self.program.code(method).map_or(0, |code| u32::from(code.frame_words));
        self.fp() + frame::REGISTERS + words
    }

    /// Refuses a frame that would not fit the thread's stack.
    #[inline]
    pub(crate) fn check_stack(&self, fp: Address, code: &Code) -> Result<(), Trap> {
        if fp + frame::REGISTERS + u32::from(code.frame_words) + RESERVE > self.running.stack_end() {
            return self.overflow(fp, code, self.running.stack_end());
        }
        Ok(())
    }

    #[cold]
    fn overflow(&self, fp: Address, code: &Code, end: Address) -> Result<(), Trap> {
        // While the error itself is being made, the reserve may be used.
        let mut at = self.fp();
        for _ in 0..32 {
            if at == 0 {
                break;
            }
            let (method, _, caller) = self.frame_at(at);
            let method = self.program.method(method);
            let throws = method.index == u16::MAX && &**self.program.text(method.name) == "throw";
            if throws && fp + frame::REGISTERS + u32::from(code.frame_words) < end {
                return Ok(());
            }
            at = caller;
        }
        if self.stepping {
            return Err(Trap::Unsupported("more stack than --stack allows".to_owned()));
        }
        self.run.note_lack("--stack");
        Err(Trap::Raise("java/lang/StackOverflowError", None))
    }

    /// Makes an older frame the topmost one, and logs it if the step has not.
    #[inline(always)]
    pub(crate) fn uncover(&mut self, fp: Address) {
        if !self.running.is_logged(fp) {
            self.log_frame(fp);
        }
        self.operation.uncover(fp);
        self.running.set_frame(fp);
    }

    #[cold]
    #[inline(never)]
    fn log_frame(&mut self, fp: Address) {
        self.running.note_logged(fp);
        if fp == 0 {
            return;
        }
        let method = self.program.method(MethodId(self.memory.load(fp + frame::METHOD)));
        let words = self.program.code(method).map_or(0, |code| u32::from(code.frame_words));
        self.memory.log_frame(fp, fp + frame::REGISTERS + words);
    }

    /// Begins to log the frames of the running thread, for a new step.
    pub(crate) fn log_top(&mut self) {
        self.log_frame(self.fp());
    }

    /// Hands an exception to the innermost handler, leaving frames without one.
    pub(crate) fn unwind(&mut self, exception: Address) -> Result<(), Trap> {
        let class = self.class_of(exception);
        loop {
            let fp = self.fp();
            if fp == 0 {
                return Err(Trap::Unsupported("an exception that no frame handles".to_owned()));
            }
            let (id, pc, caller) = self.frame_at(fp);
            let method = self.program.method(id);
            let code = self.code(method)?;
            for handler in &code.handlers {
                if pc < handler.start || pc >= handler.end {
                    continue;
                }
                let catches = match handler.class {
                    None => true,
                    Some(site) => {
                        let caught = self.link_class(method, code, site)?;
                        self.program.is_subclass(class, caught)
                    }
                };
                if catches {
                    self.memory.poke(fp + frame::PC, handler.target);
                    self.memory
                        .poke(fp + frame::REGISTERS + u32::from(handler.reg), exception);
                    return Ok(());
                }
            }
            self.uncover(caller);
        }
    }
}

/// Code for a native method: its parameters as registers, and one instruction that calls the native function.
fn native_stub(descriptor: &str, method: &Method) -> Code {
    let mut registers = Vec::new();
    let mut word = 0u16;
    if method.flags & flags::STATIC == 0 {
        registers.push(Register {
            reg: 0,
            kind: RegisterKind::Ref,
        });
        word = 1;
    }
    for (_, kind) in descriptor::parameters(descriptor) {
        let register = match kind {
            Kind::Reference => RegisterKind::Ref,
            Kind::Long | Kind::Double => RegisterKind::Wide,
            _ => RegisterKind::Word,
        };
        registers.push(Register {
            reg: word,
            kind: register,
        });
        word += kind.words() as u16;
    }
    let none = u16::MAX;
    Code {
        instrs: [Instr::Special {
            op: special::NATIVE,
            d: none,
            a: none,
            b: none,
        }]
        .into(),
        bcis: [0].into(),
        frame_words: word,
        parameter_words: word,
        registers: registers.into(),
        ..Code::default()
    }
}
