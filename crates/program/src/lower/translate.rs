//! The translator: walks through the blocks that can be reached, in the order of the bytecode, and emits instructions.

use super::error::{LowerError, Result};
use super::finish::finish;
use super::handlers::MOST_PIECES;
use super::infer::{Infer, NONE};
use super::kinds::{kind_range, narrow_kind, narrow_range, register_kind};
use super::members::Sites;
use super::opcode::*;
use super::registers::Registers;
use super::scan::Insn;
use super::scratch::{Scratch, emptied};
use super::stack::{Entry, Value, range};
use crate::classfile::{MethodInfo, flags};
use crate::descriptor;
use crate::ir::{Call, Code, Instr, Narrow, Reg, RegisterKind, Switch};

/// How often a method is translated again before the plainest form is used throughout.
const ATTEMPTS: usize = 4;
/// No method needs more instructions; a hostile one could.
const LARGEST: usize = 1 << 20;

/// An argument word of a call: a register, and whether it is the second word of it.
pub(super) type Operand = (Reg, bool);

/// A piece of an exception handler's range.
pub(super) struct Piece {
    /// Row of the exception table; the handler that unlocks a synchronized method comes after all rows.
    pub row: usize,
    pub start: u32,
    pub end: u32,
    /// Instance of the handler, or [`NONE`] for the unlocking one.
    pub target: u32,
    pub reg: Reg,
    pub class: Option<u32>,
}

/// A row of the local variable table, in instructions.
pub(super) struct Name {
    pub start: u32,
    pub end: u32,
    pub reg: Reg,
    pub name: u16,
}

/// The code under construction. Registers are numbers of [`Registers`] and jump targets are instances until it is done.
pub(super) struct Builder<'a, 'i> {
    pub infer: &'i Infer<'a>,
    pub method: &'a MethodInfo,
    pub registers: Registers,
    pub parameters: usize,
    pub stack: Vec<Entry>,
    pub instrs: Vec<Instr>,
    pub bcis: Vec<u16>,
    pub bci: u16,
    /// First instruction of the current block: what is before may not be changed.
    pub block_start: usize,
    /// First stack slot that no bytecode uses.
    pub deepest: u32,
    /// First instruction of each instance.
    pub starts: Vec<u32>,
    /// Where each instance's agreed stack lies in `agreed`.
    pub states: Vec<(u32, u32)>,
    pub agreed: Vec<Entry>,
    pub wanted: Vec<Value>,
    /// Stack registers known to hold constants.
    pub constants_held: Vec<(Reg, Value)>,
    /// A block on whose stack no agreement was found.
    pub conflict: Option<u32>,
    /// The symbolic stack did not match the inference, which would be our mistake.
    pub broken: bool,
    plain: &'i [u32],
    pub calls: Vec<Call>,
    pub operands: Vec<Operand>,
    pub fields: Sites,
    pub classes: Sites,
    pub constants: Sites,
    pub switches: Vec<Switch>,
    /// First instruction of the current chain of calls; from there on, bytecode indexes ascend.
    pub context_start: usize,
    pub pieces: Vec<Piece>,
    pub names: Vec<Name>,
    /// Instructions that unlock before a return, and the return: no handler covers them.
    pub holes: Vec<(u32, u32)>,
    pub lock: Option<Reg>,
    /// Narrowings before a return that are for nothing if all that is stored in the local is narrow enough.
    pub narrowings: Vec<(u32, Reg, u8)>,
    local_ranges: Vec<u8>,
}

/// Translates a method whose types have been inferred.
pub(super) fn translate(infer: &Infer<'_>, method: &MethodInfo, scratch: &mut Scratch) -> Result<Code> {
    let mut plain = Vec::new();
    loop {
        let mut builder = Builder::new(infer, method, &plain, scratch);
        builder.all();
        let size = builder.instrs.len() + builder.pieces.len();
        if builder.registers.overflow || size > LARGEST || builder.pieces.len() > MOST_PIECES {
            return Err(LowerError::unsupported(0, "the method is too large"));
        }
        match builder.conflict {
            Some(block) => plain.push(if plain.len() < ATTEMPTS { block } else { NONE }),
            None if builder.broken => {
                return Err(LowerError::unsupported(0, "the operand stack was lost in translation"));
            }
            None => return finish(builder, scratch),
        }
        if plain.len() > ATTEMPTS + 1 {
            return Err(LowerError::unsupported(0, "no agreement on the operand stack"));
        }
    }
}

impl<'a, 'i> Builder<'a, 'i> {
    fn new(infer: &'i Infer<'a>, method: &'a MethodInfo, plain: &'i [u32], scratch: &mut Scratch) -> Builder<'a, 'i> {
        let instances = infer.instances.len();
        let mut registers = std::mem::take(&mut scratch.registers);
        registers.reset(infer.info.max_locals, infer.info.max_stack);
        let mut starts = emptied(&mut scratch.starts);
        starts.resize(instances, NONE);
        let mut states = emptied(&mut scratch.states);
        if infer.scan.blocks.len() > 1 {
            states.resize(instances, (NONE, 0));
        }
        let [mut fields, mut classes, mut constants] = std::mem::take(&mut scratch.sites);
        fields.clear();
        classes.clear();
        constants.clear();
        Builder {
            infer,
            method,
            registers,
            parameters: 0,
            stack: emptied(&mut scratch.entries),
            instrs: emptied(&mut scratch.instrs),
            bcis: emptied(&mut scratch.bcis),
            bci: 0,
            block_start: 0,
            deepest: u32::from(infer.info.max_stack),
            starts,
            states,
            agreed: emptied(&mut scratch.agreed),
            wanted: emptied(&mut scratch.meeting),
            constants_held: emptied(&mut scratch.constants_held),
            conflict: None,
            broken: false,
            plain,
            calls: emptied(&mut scratch.calls),
            operands: emptied(&mut scratch.operands),
            fields,
            classes,
            constants,
            switches: Vec::new(),
            context_start: 0,
            pieces: emptied(&mut scratch.pieces),
            names: emptied(&mut scratch.names),
            holes: Vec::new(),
            lock: None,
            narrowings: Vec::new(),
            local_ranges: emptied(&mut scratch.local_ranges),
        }
    }

    /// Gives the vectors back for the next method.
    pub fn recycle(self, scratch: &mut Scratch) {
        scratch.registers = self.registers;
        scratch.entries = self.stack;
        scratch.instrs = self.instrs;
        scratch.bcis = self.bcis;
        scratch.starts = self.starts;
        scratch.states = self.states;
        scratch.agreed = self.agreed;
        scratch.meeting = self.wanted;
        scratch.constants_held = self.constants_held;
        scratch.operands = self.operands;
        scratch.calls = self.calls;
        scratch.sites = [self.fields, self.classes, self.constants];
        scratch.pieces = self.pieces;
        scratch.names = self.names;
        scratch.local_ranges = self.local_ranges;
    }

    pub fn emit(&mut self, instr: Instr) {
        if !self.constants_held.is_empty() {
            match instr {
                // While somebody else runs, nothing should be live that could as well be made again.
                Instr::Call { .. } | Instr::MonitorEnter { .. } => self.constants_held.clear(),
                _ => {
                    let written = instr.destination();
                    self.constants_held.retain(|held| Some(held.0) != written);
                }
            }
        }
        self.instrs.push(instr);
        self.bcis.push(self.bci);
    }

    /// Whether a block is to be entered with every entry of the stack in its slot's register.
    pub fn is_plain(&self, block: u32) -> bool {
        !self.plain.is_empty() && self.plain.iter().any(|&plain| plain == block || plain == NONE)
    }

    /// A value with these known ranges goes to a local variable.
    pub fn narrow_local(&mut self, local: Reg, range: u8) {
        if let Some(known) = self.local_ranges.get_mut(usize::from(local)) {
            *known &= range;
        } else {
            self.local_ranges.resize(usize::from(local), range::ALL);
            self.local_ranges.push(range);
        }
    }

    /// The ranges of everything that was ever stored in a local variable.
    pub fn local_range(&self, local: Reg) -> u8 {
        self.local_ranges.get(usize::from(local)).copied().unwrap_or(0)
    }

    fn all(&mut self) {
        self.declare_parameters();
        self.acquire();
        let mut order: Vec<u32> = Vec::new();
        if self.infer.instances.len() > self.infer.scan.blocks.len() {
            order.extend(0..self.infer.instances.len() as u32);
            order.sort_by_key(|&number| {
                self.infer
                    .instances
                    .get(number as usize)
                    .map(|instance| (instance.context, instance.block))
            });
        }
        let mut context = 0;
        for at in 0..self.infer.instances.len() {
            let number = order.get(at).copied().unwrap_or(at as u32);
            let Some(&instance) = self.infer.instances.get(number as usize) else {
                break;
            };
            if instance.context != context {
                self.close_context(context);
                context = instance.context;
            }
            if instance.reached() {
                self.block(number);
                if self.conflict.is_some() || self.registers.overflow || self.instrs.len() > LARGEST {
                    return;
                }
            }
        }
        self.close_context(context);
        self.release();
    }

    fn declare_parameters(&mut self) {
        let mut slot = 0;
        if self.method.flags & flags::STATIC == 0 {
            self.registers.local(slot, RegisterKind::Ref);
            slot += 1;
        }
        for (_, kind) in descriptor::parameters(self.infer.file.pool.text(self.method.descriptor)) {
            let reg = self.registers.local(slot, register_kind(kind));
            self.narrow_local(reg, kind_range(kind));
            slot += kind.words();
        }
        self.parameters = self.registers.len();
    }

    fn block(&mut self, number: u32) {
        let Some(&instance) = self.infer.instances.get(number as usize) else {
            return;
        };
        let Some(&block) = self.infer.scan.blocks.get(instance.block as usize) else {
            return;
        };
        let insns = self
            .infer
            .scan
            .insns
            .get(block.start as usize..block.end as usize)
            .unwrap_or(&[]);
        self.enter(number);
        if let Some(start) = self.starts.get_mut(number as usize) {
            *start = self.instrs.len() as u32;
        }
        let mut rest = insns.iter();
        while let Some(insn) = rest.next() {
            self.bci = insn.bci;
            if self.insn(insn, rest.as_slice().first(), number) {
                rest.next();
            }
        }
        if let Some(last) = insns.last()
            && !last.ends()
            && !last.is_conditional()
        {
            let next = self.infer.find(instance.context, instance.block + 1);
            self.arrive(next, 0, false);
        }
    }

    /// Translates an instruction; gives whether the next one has been taken in, too.
    fn insn(&mut self, insn: &Insn, next: Option<&Insn>, number: u32) -> bool {
        use RegisterKind::{Ref, Wide, Word};
        match insn.op {
            NOP => {}
            ACONST_NULL => self.push(Value::Null, 0),
            SIPUSH => self.push(Value::Word(insn.a), range::of(insn.a as i32)),
            LCONST_0 | LCONST_1 => self.push(Value::Wide(u64::from(insn.op - LCONST_0)), 0),
            FCONST_0..=FCONST_2 => self.push(Value::Word(f32::from(insn.op - FCONST_0).to_bits()), 0),
            DCONST_0 | DCONST_1 => self.push(Value::Wide(f64::from(insn.op - DCONST_0).to_bits()), 0),
            LDC_W | LDC2_W => self.constant(insn),
            ILOAD | FLOAD => self.load(insn.a, Word),
            LLOAD | DLOAD => self.load(insn.a, Wide),
            ALOAD => self.load(insn.a, Ref),
            ISTORE | FSTORE => self.store(insn.a, Word),
            LSTORE | DSTORE => self.store(insn.a, Wide),
            ASTORE => self.store(insn.a, Ref),
            IALOAD..=SALOAD => self.array_get(insn.op),
            IASTORE..=SASTORE => self.array_put(insn.op),
            POP..=SWAP => self.shuffle(insn.op),
            IADD..=LXOR => self.arithmetic(insn.op),
            IINC => {
                let d = self.registers.local(insn.a, Word);
                self.save(d);
                self.narrow_local(d, 0);
                self.emit(Instr::AddImm {
                    d,
                    a: d,
                    imm: i32::from(insn.b),
                });
            }
            I2L..=I2S => self.convert(insn.op),
            LCMP => {
                if let Some(next) = next
                    && matches!(next.op, IFEQ..=IFLE)
                {
                    self.bci = next.bci;
                    self.compare_long(next, number);
                    return true;
                }
                self.binary(Word, |d, a, b| Instr::CmpL { d, a, b });
            }
            FCMPL | FCMPG => {
                let nan = if insn.op == FCMPL { -1 } else { 1 };
                self.binary(Word, |d, a, b| Instr::CmpF { d, a, b, nan });
            }
            DCMPL | DCMPG => {
                let nan = if insn.op == DCMPL { -1 } else { 1 };
                self.binary(Word, |d, a, b| Instr::CmpD { d, a, b, nan });
            }
            IFEQ..=IF_ACMPNE | IFNULL | IFNONNULL => self.conditional(insn, number),
            GOTO | JSR | RET => self.jump(insn, number),
            TABLESWITCH | LOOKUPSWITCH => self.switch(insn, number),
            IRETURN..=RETURN => self.leave(insn.op),
            GETSTATIC..=PUTFIELD => self.field(insn),
            INVOKEVIRTUAL..=INVOKEDYNAMIC => self.invoke(insn),
            NEW..=ANEWARRAY | MULTIANEWARRAY => self.allocate(insn),
            ARRAYLENGTH => {
                let o = self.pop_register();
                let d = self.result(Word, 0);
                self.emit(Instr::ArrayLength { d, o });
            }
            ATHROW => {
                let s = self.pop_register();
                self.emit(Instr::Throw { s });
            }
            CHECKCAST | INSTANCEOF => self.cast(insn),
            MONITORENTER => {
                let o = self.pop_register();
                self.emit(Instr::MonitorEnter { o });
            }
            MONITOREXIT => {
                let o = self.pop_register();
                self.emit(Instr::MonitorExit { o });
            }
            _ => self.broken = true,
        }
        false
    }

    fn load(&mut self, slot: u32, kind: RegisterKind) {
        let reg = self.registers.local(slot, kind);
        self.push(Value::Reg(reg), 0);
    }

    fn shuffle(&mut self, op: u8) {
        let is_wide = |builder: &Self, below: usize| {
            let index = builder.stack.len().checked_sub(below + 1);
            let entry = index.and_then(|index| builder.stack.get(index));
            entry.is_some_and(|entry| builder.kind_of(entry.value) == RegisterKind::Wide)
        };
        let top_wide = is_wide(self, 0);
        // How many entries are copied, and how many lie between the copy and them.
        let (copied, crossed) = match op {
            POP => return self.discard(),
            POP2 => {
                if !top_wide {
                    self.discard();
                }
                return self.discard();
            }
            SWAP => {
                let (a, b) = (self.pop(), self.pop());
                self.push(a.value, a.range);
                return self.push(b.value, b.range);
            }
            DUP => (1, 0),
            DUP_X1 => (1, 1),
            DUP_X2 => (1, if is_wide(self, 1) { 1 } else { 2 }),
            _ => {
                let copied = if top_wide { 1 } else { 2 };
                let crossed = match op {
                    DUP2 => 0,
                    DUP2_X1 => 1,
                    _ if is_wide(self, copied) => 1,
                    _ => 2,
                };
                (copied, crossed)
            }
        };
        let mut entries = [None; 4];
        for entry in entries.iter_mut().take(copied + crossed) {
            *entry = Some(self.pop());
        }
        let top = entries.iter().take(copied).rev();
        let all = entries.iter().take(copied + crossed).rev();
        for entry in top.chain(all).flatten() {
            self.push(entry.value, entry.range);
        }
    }

    fn leave(&mut self, op: u8) {
        let kind = self.infer.returns.map(|(_, kind)| kind);
        let returned = match op {
            RETURN => Instr::ReturnVoid,
            LRETURN | DRETURN => Instr::ReturnWide { s: self.pop_register() },
            IRETURN => Instr::Return {
                s: self.pop_narrow(kind.and_then(narrow_kind)),
            },
            _ => Instr::Return { s: self.pop_register() },
        };
        self.unlock();
        self.emit(returned);
        self.end_hole();
    }

    /// Takes the top entry as a value of a type that may be narrower than an int.
    fn pop_narrow(&mut self, to: Option<Narrow>) -> Reg {
        let Some(to) = to else { return self.pop_register() };
        let wanted = narrow_range(to);
        let known = self.stack.last().map_or(0, |entry| entry.range);
        let a = self.pop_register();
        if known & wanted != 0 {
            return a;
        }
        let d = self.result(RegisterKind::Word, 0);
        self.pop();
        if !self.registers.is_stack(a) {
            self.narrowings.push((self.instrs.len() as u32, a, wanted));
        }
        self.emit(Instr::IntToNarrow { d, a, to });
        d
    }
}
