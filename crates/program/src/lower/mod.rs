//! From bytecode to [`crate::ir`]: decode, verify by type inference, translate.
//!
//! `scan` decodes and finds blocks, `infer` checks everything a verifier checks and finds what can be reached,
//! `translate` walks through the blocks with a symbolic operand stack (`stack`, and `meet` where blocks join), and
//! `finish` resolves jumps and numbers registers. Liveness, which works on the result, is `live`.
//!
//! Left to linking: access to private members, overriding of final methods, and loading constraints.

mod check;
mod check_members;
mod decode;
mod error;
mod finish;
mod handlers;
mod infer;
mod kinds;
mod live;
mod meet;
mod members;
mod opcode;
mod operations;
mod registers;
mod scan;
mod scratch;
mod signature;
mod stack;
mod subroutines;
mod translate;
mod types;

pub use error::{LowerError, LowerErrorKind};
pub use live::liveness;

use crate::classfile::{ClassFile, MethodInfo};
use crate::ir::Code;

/// What the verifier must know of other classes.
pub trait Rules {
    /// Whether a value of class `from` may be used as class `to`, both internal names and no arrays. An interface may be
    /// assigned anything, as in HotSpot's verifier: calls through it are checked when they run.
    fn assignable(&self, from: &str, to: &str) -> Result<bool, String>;

    /// Whether the class is one of the JDK's own: assignability is taken on trust then, all else is checked.
    fn trusted(&self) -> bool;

    /// Whether a member is protected and declared by a superclass of the class being verified in another package: then it
    /// may be used only on objects of the class being verified.
    fn protected_elsewhere(&self, _class: &str, _name: &str, _descriptor: &str) -> Result<bool, String> {
        Ok(false)
    }
}

/// Lowers the code of one method. A method without code gives an empty [`Code`].
pub fn lower(file: &ClassFile, method: &MethodInfo, rules: &dyn Rules) -> Result<Code, LowerError> {
    let Some(info) = &method.code else {
        return Ok(Code::default());
    };
    let lowered = scratch::with_scratch(|scratch| {
        let code = file.bytes.get(info.code.clone()).unwrap_or(&[]);
        let scan = scan::Scan::new(code, info, file.major, scratch)?;
        let infer = infer::Infer::run(file, method, info, &scan, rules, scratch)?;
        let code = translate::translate(&infer, method, scratch)?;
        infer.recycle(scratch);
        (scratch.insns, scratch.blocks) = (scan.insns, scan.blocks);
        Ok(code)
    });
    lowered.map_err(|error: Box<LowerError>| error.within(file, method))
}
