//! Arithmetic, conversions, comparisons and jumps, with constants folded into immediate forms.

use super::infer::NONE;
use super::opcode::*;
use super::scan::Insn;
use super::stack::{Value, range};
use super::translate::Builder;
use crate::ir::{Instr, Narrow, Reg, RegisterKind, Switch};

/// A comparison.
#[derive(Clone, Copy)]
enum Test {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

impl Test {
    /// In the order of the opcodes.
    fn of(offset: u8) -> Test {
        match offset {
            0 => Test::Eq,
            1 => Test::Ne,
            2 => Test::Lt,
            3 => Test::Ge,
            4 => Test::Gt,
            _ => Test::Le,
        }
    }

    /// The same with the operands exchanged.
    fn mirrored(self) -> Test {
        match self {
            Test::Lt => Test::Gt,
            Test::Gt => Test::Lt,
            Test::Ge => Test::Le,
            Test::Le => Test::Ge,
            same => same,
        }
    }

    fn words(self, a: Reg, b: Reg, target: u32) -> Instr {
        match self {
            Test::Eq => Instr::IfEq { a, b, target },
            Test::Ne => Instr::IfNe { a, b, target },
            Test::Lt => Instr::IfLt { a, b, target },
            Test::Ge => Instr::IfGe { a, b, target },
            Test::Gt => Instr::IfGt { a, b, target },
            Test::Le => Instr::IfLe { a, b, target },
        }
    }

    fn immediate(self, a: Reg, imm: i32, target: u32) -> Instr {
        match self {
            Test::Eq => Instr::IfEqImm { a, imm, target },
            Test::Ne => Instr::IfNeImm { a, imm, target },
            Test::Lt => Instr::IfLtImm { a, imm, target },
            Test::Ge => Instr::IfGeImm { a, imm, target },
            Test::Gt => Instr::IfGtImm { a, imm, target },
            Test::Le => Instr::IfLeImm { a, imm, target },
        }
    }

    fn longs(self, a: Reg, b: Reg, target: u32) -> Instr {
        match self {
            Test::Eq => Instr::IfEqL { a, b, target },
            Test::Ne => Instr::IfNeL { a, b, target },
            Test::Lt => Instr::IfLtL { a, b, target },
            Test::Ge => Instr::IfGeL { a, b, target },
            Test::Gt => Instr::IfGtL { a, b, target },
            Test::Le => Instr::IfLeL { a, b, target },
        }
    }
}

impl Builder<'_, '_> {
    pub fn binary(&mut self, kind: RegisterKind, make: impl FnOnce(Reg, Reg, Reg) -> Instr) {
        let (a, b) = self.pop_registers();
        let d = self.result(kind, 0);
        self.emit(make(d, a, b));
    }

    fn unary(&mut self, kind: RegisterKind, range: u8, make: impl FnOnce(Reg, Reg) -> Instr) {
        let a = self.pop_register();
        let d = self.result(kind, range);
        self.emit(make(d, a));
    }

    fn entry(&self, below: usize) -> Option<Value> {
        self.stack
            .len()
            .checked_sub(below + 1)
            .and_then(|index| self.stack.get(index))
            .map(|entry| entry.value)
    }

    /// The constant on top of the stack, if it is an int.
    fn word_on_top(&self) -> Option<i32> {
        match self.entry(0) {
            Some(Value::Word(value)) => Some(value as i32),
            _ => None,
        }
    }

    pub fn arithmetic(&mut self, op: u8) {
        if self.immediate(op) {
            return;
        }
        macro_rules! binary {
            ($kind:ident, $name:ident) => {
                self.binary(RegisterKind::$kind, |d, a, b| Instr::$name { d, a, b })
            };
        }
        macro_rules! unary {
            ($kind:ident, $name:ident) => {
                self.unary(RegisterKind::$kind, 0, |d, a| Instr::$name { d, a })
            };
        }
        match op {
            IADD => binary!(Word, AddI),
            LADD => binary!(Wide, AddL),
            FADD => binary!(Word, AddF),
            DADD => binary!(Wide, AddD),
            ISUB => binary!(Word, SubI),
            LSUB => binary!(Wide, SubL),
            FSUB => binary!(Word, SubF),
            DSUB => binary!(Wide, SubD),
            IMUL => binary!(Word, MulI),
            LMUL => binary!(Wide, MulL),
            FMUL => binary!(Word, MulF),
            DMUL => binary!(Wide, MulD),
            IDIV => binary!(Word, DivI),
            LDIV => binary!(Wide, DivL),
            FDIV => binary!(Word, DivF),
            DDIV => binary!(Wide, DivD),
            IREM => binary!(Word, RemI),
            LREM => binary!(Wide, RemL),
            FREM => binary!(Word, RemF),
            DREM => binary!(Wide, RemD),
            INEG => unary!(Word, NegI),
            LNEG => unary!(Wide, NegL),
            FNEG => unary!(Word, NegF),
            DNEG => unary!(Wide, NegD),
            ISHL => binary!(Word, ShlI),
            LSHL => binary!(Wide, ShlL),
            ISHR => binary!(Word, ShrI),
            LSHR => binary!(Wide, ShrL),
            IUSHR => binary!(Word, UshrI),
            LUSHR => binary!(Wide, UshrL),
            IAND => binary!(Word, AndI),
            LAND => binary!(Wide, AndL),
            IOR => binary!(Word, OrI),
            LOR => binary!(Wide, OrL),
            IXOR => binary!(Word, XorI),
            _ => binary!(Wide, XorL),
        }
    }

    /// Tries a form with an immediate operand.
    fn immediate(&mut self, op: u8) -> bool {
        let commutes = matches!(op, IADD | IMUL | IAND | IOR | IXOR | LADD | LMUL | LAND);
        let constant = |value: Option<Value>| matches!(value, Some(Value::Word(_) | Value::Wide(_)));
        if matches!(op, INEG..=DNEG) {
            return false;
        }
        let swapped = !constant(self.entry(0)) && commutes && constant(self.entry(1));
        let Some(value) = self.entry(usize::from(swapped)) else {
            return false;
        };
        if constant(self.entry(0)) && constant(self.entry(1)) {
            return false;
        }
        // First which instruction it is, before the stack is touched.
        let (kind, range, make): (_, _, fn(Reg, Reg, i32) -> Instr) = match (op, value) {
            (IADD | ISUB, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::AddImm { d, a, imm }),
            (IMUL, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::MulImm { d, a, imm }),
            (IDIV, Value::Word(1..)) => (RegisterKind::Word, 0, |d, a, imm| Instr::DivImm { d, a, imm }),
            (IREM, Value::Word(1..)) => (RegisterKind::Word, 0, |d, a, imm| Instr::RemImm { d, a, imm }),
            (IAND, Value::Word(mask)) => {
                // A mask that is not negative bounds the result by itself.
                let range = if mask as i32 >= 0 { range::of(mask as i32) } else { 0 };
                (RegisterKind::Word, range, |d, a, imm| Instr::AndImm { d, a, imm })
            }
            (IOR, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::OrImm { d, a, imm }),
            (IXOR, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::XorImm { d, a, imm }),
            (ISHL, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::ShlImm {
                d,
                a,
                imm: imm as u8 & 31,
            }),
            (ISHR, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::ShrImm {
                d,
                a,
                imm: imm as u8 & 31,
            }),
            (IUSHR, Value::Word(_)) => (RegisterKind::Word, 0, |d, a, imm| Instr::UshrImm {
                d,
                a,
                imm: imm as u8 & 31,
            }),
            (LSHL, Value::Word(_)) => (RegisterKind::Wide, 0, |d, a, imm| Instr::ShlLImm {
                d,
                a,
                imm: imm as u8 & 63,
            }),
            (LSHR, Value::Word(_)) => (RegisterKind::Wide, 0, |d, a, imm| Instr::ShrLImm {
                d,
                a,
                imm: imm as u8 & 63,
            }),
            (LUSHR, Value::Word(_)) => (RegisterKind::Wide, 0, |d, a, imm| Instr::UshrLImm {
                d,
                a,
                imm: imm as u8 & 63,
            }),
            (LADD | LSUB, Value::Wide(_)) => (RegisterKind::Wide, 0, |d, a, imm| Instr::AddLImm { d, a, imm }),
            (LMUL, Value::Wide(_)) => (RegisterKind::Wide, 0, |d, a, imm| Instr::MulLImm { d, a, imm }),
            (LAND, Value::Wide(_)) => (RegisterKind::Wide, 0, |d, a, imm| Instr::AndLImm { d, a, imm }),
            _ => return false,
        };
        let imm = match value {
            Value::Word(value) if op == ISUB => (value as i32).wrapping_neg(),
            Value::Word(value) => value as i32,
            Value::Wide(value) => {
                let value = if op == LSUB {
                    (value as i64).wrapping_neg()
                } else {
                    value as i64
                };
                let Ok(small) = i32::try_from(value) else { return false };
                small
            }
            _ => return false,
        };
        if swapped {
            self.shuffle_top();
        }
        self.pop();
        let a = self.pop_register();
        let d = self.result(kind, range);
        self.emit(make(d, a, imm));
        true
    }

    /// Exchanges the two top entries, which are of the same width.
    fn shuffle_top(&mut self) {
        let (a, b) = (self.pop(), self.pop());
        self.push(a.value, a.range);
        self.push(b.value, b.range);
    }

    pub fn convert(&mut self, op: u8) {
        if let Some(value) = self.word_on_top()
            && matches!(op, I2L | I2B | I2C | I2S)
        {
            self.pop();
            let narrowed = match op {
                I2L => return self.push(Value::Wide(i64::from(value) as u64), 0),
                I2B => i32::from(value as i8),
                I2C => i32::from(value as u16),
                _ => i32::from(value as i16),
            };
            return self.push(Value::Word(narrowed as u32), range::of(narrowed));
        }
        macro_rules! unary {
            ($kind:ident, $name:ident) => {
                self.unary(RegisterKind::$kind, 0, |d, a| Instr::$name { d, a })
            };
        }
        match op {
            I2L => unary!(Wide, IntToLong),
            I2F => unary!(Word, IntToFloat),
            I2D => unary!(Wide, IntToDouble),
            L2I => unary!(Word, LongToInt),
            L2F => unary!(Word, LongToFloat),
            L2D => unary!(Wide, LongToDouble),
            F2I => unary!(Word, FloatToInt),
            F2L => unary!(Wide, FloatToLong),
            F2D => unary!(Wide, FloatToDouble),
            D2I => unary!(Word, DoubleToInt),
            D2L => unary!(Wide, DoubleToLong),
            D2F => unary!(Word, DoubleToFloat),
            _ => {
                let (to, fits, range) = match op {
                    I2B => (Narrow::Byte, range::BYTE, range::BYTE | range::SHORT),
                    I2C => (Narrow::Char, range::CHAR, range::CHAR),
                    _ => (Narrow::Short, range::SHORT, range::SHORT),
                };
                if self.stack.last().is_some_and(|top| top.range & fits != 0) {
                    return; // it is that narrow already
                }
                self.unary(RegisterKind::Word, range, |d, a| Instr::IntToNarrow { d, a, to });
            }
        }
    }

    /// The instances to which a conditional jump goes: its target and the next block.
    fn split(&mut self, insn: &Insn, number: u32, operands: usize) -> u32 {
        let (context, block) = match self.infer.instances.get(number as usize) {
            Some(instance) => (instance.context, instance.block),
            None => (0, 0),
        };
        let target = self.infer.find(context, insn.a);
        let next = self.infer.find(context, block + 1);
        if self.stack.len() > operands {
            self.arrive(target, operands, true);
            self.arrive(next, operands, true);
            self.confirm(target, operands);
        }
        target
    }

    /// `if…`, `if_icmp…`, `if_acmp…`, `ifnull` and `ifnonnull`.
    pub fn conditional(&mut self, insn: &Insn, number: u32) {
        let (mut test, mut imm) = match insn.op {
            IFEQ..=IFLE => (Test::of(insn.op - IFEQ), Some(0)),
            IF_ICMPEQ..=IF_ICMPLE => (Test::of(insn.op - IF_ICMPEQ), None),
            IF_ACMPEQ | IF_ACMPNE => (Test::of(insn.op - IF_ACMPEQ), None),
            _ => (Test::of(insn.op - IFNULL), Some(0)),
        };
        if imm.is_none() {
            let constant = |value: Option<Value>| match value {
                Some(Value::Word(value)) => Some(value as i32),
                Some(Value::Null) => Some(0),
                _ => None,
            };
            // The constant goes on top, where it is dropped.
            if constant(self.entry(0)).is_none() && constant(self.entry(1)).is_some() {
                self.shuffle_top();
                test = test.mirrored();
            }
            imm = constant(self.entry(0));
            if imm.is_some() {
                self.pop();
            }
        }
        if let Some(imm) = imm {
            self.force(1);
            let target = self.split(insn, number, 1);
            let a = self.pop_register();
            self.emit(test.immediate(a, imm, target));
        } else {
            self.force(2);
            let target = self.split(insn, number, 2);
            let (a, b) = self.pop_registers();
            self.emit(test.words(a, b, target));
        }
    }

    /// `lcmp` and the jump after it.
    pub fn compare_long(&mut self, jump: &Insn, number: u32) {
        self.force(2);
        let target = self.split(jump, number, 2);
        let (a, b) = self.pop_registers();
        self.emit(Test::of(jump.op - IFEQ).longs(a, b, target));
    }

    pub fn jump(&mut self, insn: &Insn, number: u32) {
        let Some(&instance) = self.infer.instances.get(number as usize) else {
            return;
        };
        let target = match insn.op {
            GOTO => self.infer.find(instance.context, insn.a),
            JSR => {
                self.push(Value::Address, 0);
                instance.jump
            }
            _ => instance.jump,
        };
        self.arrive(target, 0, false);
        self.emit(Instr::Goto { target });
    }

    pub fn switch(&mut self, insn: &Insn, number: u32) {
        self.force(1);
        let context = self
            .infer
            .instances
            .get(number as usize)
            .map_or(0, |instance| instance.context);
        let source = self.infer.scan.switch(insn);
        let find = |bci: i64| self.infer.find(context, self.infer.scan.block_at(bci));
        let default = find(source.default());
        let mut keys = Vec::new();
        let mut targets = Vec::with_capacity(source.cases as usize);
        for case in 0..source.cases {
            let (key, bci) = source.case(case);
            targets.push(find(bci));
            if insn.op == LOOKUPSWITCH {
                keys.push(key);
            }
        }
        if self.stack.len() > 1 {
            let mut last = NONE;
            for &target in targets.iter().chain([&default]) {
                if target != last {
                    self.arrive(target, 1, true);
                }
                last = target;
            }
            for &target in targets.iter().chain([&default]) {
                self.confirm(target, 1);
            }
        }
        let a = self.pop_register();
        let table = self.switches.len() as u32;
        self.switches.push(if insn.op == TABLESWITCH {
            Switch::Table {
                low: source.low,
                targets: targets.into(),
                default,
            }
        } else {
            Switch::Lookup {
                keys: keys.into(),
                targets: targets.into(),
                default,
            }
        });
        self.emit(Instr::Switch { a, table });
    }
}
