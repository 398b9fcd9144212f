//! Methods of the machine's own that run the JDK's linkers, and the instructions that fill the records of sites.
//!
//! ```text
//! r = MethodHandleNatives.linkX(arguments)
//! record[site] = r            the first to come wins
//! return
//! on any exception: record[site] = failed, if it is a LinkageError; throw it
//! ```

use super::{CALL_SITE, FAILED, LINKED};
use crate::assemble::Assembler;
use crate::interpret::Next;
use crate::layout::{SITE_WORDS, SITES};
use crate::machine::{Machine, Trap};
use crate::memory::Address;
use crate::special;
use program::descriptor;
use program::ir::{Instr, Reg, RegisterKind};
use program::world::MethodId;

/// Record `a` gets the reference `b`.
const STORE_VALUE: u16 = special::DYNAMIC;
/// Record `a` gets the primitive value in the box `b`.
const STORE_UNBOXED: u16 = special::DYNAMIC + 1;
/// Record `a` gets what the array `b` holds: target or extra argument, then the member to call or null.
const STORE_TARGET: u16 = special::DYNAMIC + 2;
/// Linking record `a` failed with the exception `b`, which is thrown.
const STORE_FAILURE: u16 = special::DYNAMIC + 3;

const NATIVES: &str = "java/lang/invoke/MethodHandleNatives";

/// The JDK's linkers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Linker {
    /// A method type, from return type and parameter types.
    Type,
    /// A method handle constant.
    Handle,
    /// A dynamic call site; the last argument takes the target.
    Site,
    /// A dynamic constant of a reference type.
    Constant,
    /// A dynamic constant of a primitive type.
    Primitive,
    /// A `VarHandle` call; the last argument takes the extra argument of the method.
    Variable,
}

impl Linker {
    /// The name that the method is made under, the method of the JDK that it calls, and what it does with the result.
    fn parts(self) -> (&'static str, &'static str, u16) {
        match self {
            Linker::Type => ("linkType", "findMethodHandleType", STORE_VALUE),
            Linker::Handle => ("linkHandle", "linkMethodHandleConstant", STORE_VALUE),
            Linker::Site => ("linkSite", "linkCallSite", STORE_TARGET),
            Linker::Constant => ("linkConstant", "linkDynamicConstant", STORE_VALUE),
            Linker::Primitive => ("linkPrimitive", "linkDynamicConstant", STORE_UNBOXED),
            Linker::Variable => ("linkVariable", "linkMethod", STORE_TARGET),
        }
    }
}

impl Machine<'_> {
    /// Has a linker run for a record; the instruction is tried again afterwards.
    pub(super) fn linker_trap(&mut self, linker: Linker, number: u32, arguments: &[u32]) -> Result<Trap, Trap> {
        let (adaptor, indexed) = self.linker(linker)?;
        let mut words = Vec::with_capacity(arguments.len() + 2);
        words.push(number);
        words.extend_from_slice(arguments);
        if indexed {
            // JDK 17 also asks for the index of the bootstrap method, and does nothing with it.
            words.insert(2, 0);
        }
        Ok(Trap::Before(adaptor, words))
    }

    /// The method that runs a linker, and whether that takes an index after the caller.
    fn linker(&mut self, linker: Linker) -> Result<(MethodId, bool), Trap> {
        let (name, called, op) = linker.parts();
        let natives = self.jdk_class(NATIVES)?;
        let target = self.program.class(natives).methods.iter().copied().find(|&method| {
            let method = self.program.method(method);
            **self.program.text(method.name) == *called && method.is_static()
        });
        let Some(target) = target else {
            return Err(Trap::Unsupported(format!("a JDK without MethodHandleNatives.{called}")));
        };
        let text = self.program.text(self.program.method(target).descriptor);
        let takes_index = matches!(linker, Linker::Site | Linker::Constant | Linker::Primitive);
        let indexed = takes_index && text.starts_with("(Ljava/lang/Object;I");
        if let Some(known) = self.shared.sites.method(name) {
            return Ok((known, indexed));
        }
        let mut kinds = vec![RegisterKind::Word];
        kinds.extend(descriptor::parameters(text).map(|(_, kind)| crate::register_kind(kind)));
        let mut assembler = Assembler::new(&kinds);
        let count = kinds.len() as Reg;
        let arguments: Vec<Reg> = (1..count).collect();
        let result = assembler.register(RegisterKind::Ref);
        let caught = assembler.register(RegisterKind::Ref);
        assembler.call_static(target, &arguments, Some(result));
        if op == STORE_TARGET {
            let holder = count - 1;
            let one = assembler.register(RegisterKind::Word);
            assembler.push(Instr::Const { d: one, value: 1 });
            assembler.push(Instr::ArrayPutRef {
                o: holder,
                i: one,
                s: result,
            });
            assembler.special(op, Reg::MAX, 0, holder);
        } else {
            assembler.special(op, Reg::MAX, 0, result);
        }
        let end = assembler.here();
        assembler.push(Instr::ReturnVoid);
        assembler.handler(0, end, end + 1, caught, None);
        assembler.special(STORE_FAILURE, Reg::MAX, 0, caught);
        // Whoever reads the code for its edges must not find the end of it open.
        assembler.push(Instr::Throw { s: caught });
        let parameters = text
            .get(1..)
            .and_then(|rest| rest.split(')').next())
            .unwrap_or_default();
        let made = assembler.finish(self.program, self.known.object, name, &format!("(I{parameters})V"))?;
        Ok((self.shared.sites.enter_method(name.to_owned(), made), indexed))
    }

    /// Carries out an instruction of dynamic linking.
    pub(crate) fn special_dynamic(&mut self, op: u16, _: Reg, a: Reg, b: Reg) -> Result<Next, Trap> {
        let (number, object) = (self.register(a), self.register(b));
        match op {
            STORE_VALUE => self.fill(number, LINKED, object, 0),
            STORE_UNBOXED => {
                let Some(value) = self.unbox_or_null(object) else {
                    return Err(Trap::Unsupported(
                        "a dynamic constant that is no primitive value".to_owned(),
                    ));
                };
                self.fill(number, LINKED, 0, value);
            }
            STORE_TARGET => {
                let (target, member) = (self.element(object, 0), self.element(object, 1));
                let state = if member != 0 {
                    self.member_target(member)?.0
                } else if target != 0
                    && self
                        .program
                        .is_subclass(self.class_of(target), self.known.method_handle)
                {
                    LINKED
                } else {
                    CALL_SITE
                };
                if state == CALL_SITE && target == 0 {
                    return Err(Trap::Unsupported("a call site without a target".to_owned()));
                }
                self.fill(number, state, target, 0);
            }
            STORE_FAILURE => {
                let linkage = self.jdk_class("java/lang/LinkageError")?;
                if self.program.is_subclass(self.class_of(object), linkage) {
                    self.fill(number, FAILED, object, 0);
                }
                return Err(Trap::Throw(object));
            }
            _ => return Err(Trap::Unsupported(format!("special instruction {op}"))),
        }
        Ok(Next::Advance)
    }

    fn unbox_or_null(&mut self, object: Address) -> Option<u64> {
        if object == 0 { None } else { self.unbox(object) }
    }

    /// Fills a record that is not filled yet.
    fn fill(&mut self, number: u32, state: u32, reference: Address, value: u64) {
        let record = SITES + number * SITE_WORDS;
        if self.memory.load(record) == 0 {
            self.memory.store(record, state);
            self.store_root(record + 1, reference);
            self.memory.store_wide(record + 2, value);
        }
    }
}
