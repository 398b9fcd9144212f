//! A small assembler for methods that no class file contains.

use crate::machine::Trap;
use program::classfile::flags;
use program::ir::{Call, CallKind, Code, Handler, Instr, Link, Pc, Reg, Register, RegisterKind, Site};
use program::world::{ClassId, MethodId, MethodSpec, Program};

/// How the links of calls, classes and fields are packed; see `link.rs`.
use crate::link;

/// Builds one method.
pub struct Assembler {
    instrs: Vec<Instr>,
    registers: Vec<Register>,
    words: u16,
    parameters: u16,
    handlers: Vec<Handler>,
    classes: Vec<Site>,
    calls: Vec<Call>,
    fields: Vec<Site>,
    constants: Vec<Site>,
    operands: Vec<Reg>,
}

impl Assembler {
    /// A method with these parameters, in the first registers.
    pub fn new(parameters: &[RegisterKind]) -> Assembler {
        let mut assembler = Assembler {
            instrs: Vec::new(),
            registers: Vec::new(),
            words: 0,
            parameters: 0,
            handlers: Vec::new(),
            classes: Vec::new(),
            calls: Vec::new(),
            fields: Vec::new(),
            constants: Vec::new(),
            operands: Vec::new(),
        };
        for &kind in parameters {
            assembler.register(kind);
        }
        assembler.parameters = assembler.words;
        assembler
    }

    /// A new register.
    pub fn register(&mut self, kind: RegisterKind) -> Reg {
        let reg = self.words;
        self.registers.push(Register { reg, kind });
        self.words += if kind == RegisterKind::Wide { 2 } else { 1 };
        reg
    }

    /// The position of the next instruction.
    pub fn here(&self) -> Pc {
        self.instrs.len() as Pc
    }

    /// Adds an instruction.
    pub fn push(&mut self, instr: Instr) {
        self.instrs.push(instr);
    }

    /// Replaces an instruction, to fill in a target.
    pub fn patch(&mut self, at: Pc, instr: Instr) {
        self.instrs[at as usize] = instr;
    }

    /// Adds a special instruction.
    pub fn special(&mut self, op: u16, d: Reg, a: Reg, b: Reg) {
        self.push(Instr::Special { op, d, a, b });
    }

    /// A class site.
    pub fn class_site(&mut self, class: ClassId, words: u32) -> u32 {
        self.classes.push(Site::linked(link::class(class, words)));
        self.classes.len() as u32 - 1
    }

    /// `d = new class`.
    pub fn new_object(&mut self, d: Reg, class: ClassId) {
        // 0 words: the interpreter asks the class itself.
        let site = self.class_site(class, 0);
        self.push(Instr::New { d, site });
    }

    /// An instance field site.
    pub fn field_site(&mut self, offset: u32, volatile: bool) -> u32 {
        self.fields
            .push(Site::linked(link::field(None, offset, volatile, false)));
        self.fields.len() as u32 - 1
    }

    /// A static field site.
    pub fn static_site(&mut self, class: ClassId, offset: u32, volatile: bool) -> u32 {
        self.fields
            .push(Site::linked(link::field(Some(class), offset, volatile, false)));
        self.fields.len() as u32 - 1
    }

    fn call(&mut self, kind: CallKind, filled: u64, arguments: &[Reg], dest: Option<Reg>) {
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(arguments);
        self.calls.push(Call {
            kind,
            index: 0,
            first,
            count: arguments.len() as u16,
            dest: dest.unwrap_or(Call::NO_RESULT),
            link: Link::filled(filled),
            cache: Link::default(),
        });
        self.push(Instr::Call {
            site: self.calls.len() as u32 - 1,
        });
    }

    /// A call whose link is known; `arguments` are words, a wide takes two.
    pub(crate) fn call_filled(&mut self, kind: CallKind, filled: u64, arguments: &[Reg], dest: Option<Reg>) {
        self.call(kind, filled, arguments, dest);
    }

    /// Calls exactly this instance method; `arguments` are words, a wide takes two.
    pub fn call_direct(&mut self, method: MethodId, arguments: &[Reg], dest: Option<Reg>) {
        self.call(CallKind::Special, link::call(link::DIRECT, method), arguments, dest);
    }

    /// Calls a static method.
    pub fn call_static(&mut self, method: MethodId, arguments: &[Reg], dest: Option<Reg>) {
        self.call(CallKind::Static, link::call(link::STATIC, method), arguments, dest);
    }

    /// Calls the receiver's version of a method.
    pub fn call_virtual(&mut self, method: MethodId, arguments: &[Reg], dest: Option<Reg>) {
        self.call(CallKind::Virtual, link::call(link::VIRTUAL, method), arguments, dest);
    }

    /// Sends exceptions of instructions `start..end` to `target`, in register `reg`.
    pub fn handler(&mut self, start: Pc, end: Pc, target: Pc, reg: Reg, class: Option<u32>) {
        self.handlers.push(Handler {
            start,
            end,
            target,
            reg,
            class,
        });
    }

    /// The code, for a method of a class that is made at the same time.
    pub fn code(self) -> Code {
        Code {
            bcis: vec![0; self.instrs.len()].into(),
            instrs: self.instrs.into(),
            frame_words: self.words,
            parameter_words: self.parameters,
            registers: self.registers.into(),
            handlers: self.handlers.into(),
            fields: self.fields.into(),
            classes: self.classes.into(),
            constants: self.constants.into(),
            calls: self.calls.into(),
            operands: self.operands.into(),
            ..Code::default()
        }
    }

    /// Enters the method into the world, as a static method that stack traces leave out.
    pub fn finish(self, program: &Program, class: ClassId, name: &str, descriptor: &str) -> Result<MethodId, Trap> {
        let spec = MethodSpec {
            name,
            descriptor,
            flags: flags::STATIC,
            hidden: true,
            code: Some(self.code()),
        };
        program
            .detached_method(class, spec)
            .map_err(|error| Trap::Unsupported(error.to_string()))
    }
}
