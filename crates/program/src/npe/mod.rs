//! The helpful messages of NullPointerException (JEP 358): which action failed, and which expression was null.
//!
//! `java` computes such a message from the bytecode alone, when somebody asks for it, and so does this. The operand stack
//! is simulated from the start of the method to the failing instruction, each slot remembering the instruction that
//! pushed it; then the expression is printed backwards from there. The simulation is one sweep in the order of the code
//! and ends where the failing instruction is reached, as HotSpot's does: later assignments in a loop do not count.

mod print;
mod simulate;

use crate::classfile::{ClassFile, MethodInfo};
use simulate::Simulation;

/// The message of a NullPointerException that the machine threw at `bci` of a method of `file`, word for word as `java`
/// prints it. `None` where `java` gives no message: the instruction cannot meet a null, or it calls a constructor, which is
/// what the frame of `new NullPointerException()` looks like. The caller must not ask for a frame below a hidden one (that of
/// a lambda's proxy): `java` gives no message then either.
pub fn describe(file: &ClassFile, method: &MethodInfo, bci: usize) -> Option<String> {
    let code = Code::of(file, method)?;
    let slot = print::null_slot(&code, bci)?;
    let stacks = Simulation::run(&code, bci);
    let mut message = String::new();
    print::failed_action(&code, bci, &mut message)?;
    print::cause(&code, &stacks, bci, slot, &mut message);
    Some(message)
}

/// The code of a method, and reads of it that cannot go wrong.
struct Code<'a> {
    file: &'a ClassFile,
    method: &'a MethodInfo,
    info: &'a crate::classfile::CodeInfo,
    bytes: &'a [u8],
}

impl<'a> Code<'a> {
    fn of(file: &'a ClassFile, method: &'a MethodInfo) -> Option<Code<'a>> {
        let info = method.code.as_ref()?;
        let bytes = file.bytes.get(info.code.clone())?;
        Some(Code {
            file,
            method,
            info,
            bytes,
        })
    }

    fn u1(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn u2(&self, at: usize) -> Option<u16> {
        self.bytes
            .get(at..)?
            .first_chunk()
            .map(|bytes| u16::from_be_bytes(*bytes))
    }

    fn i4(&self, at: usize) -> Option<i32> {
        self.bytes
            .get(at..)?
            .first_chunk()
            .map(|bytes| i32::from_be_bytes(*bytes))
    }

    /// Opcode at `bci`, where its operands begin, and whether it is widened.
    fn instruction(&self, bci: usize) -> Option<(u8, usize, bool)> {
        match self.u1(bci)? {
            196 => Some((self.u1(bci + 1)?, bci + 2, true)),
            opcode => Some((opcode, bci + 1, false)),
        }
    }

    /// The local variable that a load or store with an operand names.
    fn local(&self, operand: usize, wide: bool) -> Option<u16> {
        if wide {
            self.u2(operand)
        } else {
            self.u1(operand).map(u16::from)
        }
    }
}
