//! Fields, arrays, calls, allocation, casts and constants.

use super::kinds::{kind_range, narrow_kind, register_kind};
use super::opcode::*;
use super::scan::Insn;
use super::signature::walk;
use super::stack::{Value, range};
use super::translate::Builder;
use crate::classfile::{Constant, Index};
use crate::descriptor::Kind;
use crate::ir::{Call, CallKind, Instr, Link, RegisterKind, Site, SiteForm};
use std::collections::HashMap;

/// Sites of one table, each constant once.
#[derive(Default)]
pub(super) struct Sites {
    pub list: Vec<(SiteForm, Index)>,
    numbers: HashMap<(SiteForm, Index), u32>,
}

/// Below this many sites, looking at all of them is faster than hashing.
const FEW: usize = 48;

impl Sites {
    /// Forgets all sites.
    pub fn clear(&mut self) {
        self.list.clear();
        if !self.numbers.is_empty() {
            self.numbers = HashMap::new();
        }
    }

    pub fn site(&mut self, form: SiteForm, index: Index) -> u32 {
        let wanted = (form, index);
        if self.numbers.is_empty() {
            if let Some(known) = self.list.iter().position(|site| *site == wanted) {
                return known as u32;
            }
            if self.list.len() == FEW {
                self.numbers = self
                    .list
                    .iter()
                    .enumerate()
                    .map(|(number, site)| (*site, number as u32))
                    .collect();
            }
        } else if let Some(&known) = self.numbers.get(&wanted) {
            return known;
        }
        let number = self.list.len() as u32;
        self.list.push(wanted);
        if !self.numbers.is_empty() {
            self.numbers.insert(wanted, number);
        }
        number
    }

    pub fn finish(&self) -> Box<[Site]> {
        self.list
            .iter()
            .map(|&(form, index)| Site {
                index,
                form,
                link: Link::default(),
            })
            .collect()
    }
}

impl Builder<'_, '_> {
    pub fn constant(&mut self, insn: &Insn) {
        let index = insn.a as Index;
        let pool = &self.infer.file.pool;
        let (kind, range) = match *pool.get(index) {
            Constant::Integer(value) => return self.push(Value::Word(value as u32), range::of(value)),
            Constant::Float(bits) => return self.push(Value::Word(bits), 0),
            Constant::Long(value) => return self.push(Value::Wide(value as u64), 0),
            Constant::Double(bits) => return self.push(Value::Wide(bits), 0),
            Constant::Dynamic(_, member) => match Kind::of(pool.name_and_type(member).1) {
                Some(kind) => (register_kind(kind), kind_range(kind)),
                None => (RegisterKind::Ref, 0),
            },
            _ => (RegisterKind::Ref, 0),
        };
        let site = self.constants.site(SiteForm::Plain, index);
        let d = self.result(kind, range);
        self.emit(Instr::LoadConst { d, site });
    }

    pub fn field(&mut self, insn: &Insn) {
        let index = insn.a as Index;
        let kind = Kind::of(self.infer.file.pool.member(index).2).unwrap_or(Kind::Int);
        let site = self.fields.site(SiteForm::Plain, index);
        let register = register_kind(kind);
        let narrow = narrow_kind(kind);
        match insn.op {
            GETSTATIC => {
                let d = self.result(register, kind_range(kind));
                self.emit(match (register, narrow) {
                    (_, Some(kind)) => Instr::GetStaticNarrow { d, kind, site },
                    (RegisterKind::Wide, _) => Instr::GetStaticWide { d, site },
                    _ => Instr::GetStatic { d, site },
                });
            }
            PUTSTATIC => {
                let s = self.pop_register();
                self.emit(match (register, narrow) {
                    (_, Some(kind)) => Instr::PutStaticNarrow { s, kind, site },
                    (RegisterKind::Wide, _) => Instr::PutStaticWide { s, site },
                    _ => Instr::PutStatic { s, site },
                });
            }
            GETFIELD => {
                let o = self.pop_register();
                let d = self.result(register, kind_range(kind));
                self.emit(match (register, narrow) {
                    (_, Some(kind)) => Instr::GetFieldNarrow { d, o, kind, site },
                    (RegisterKind::Wide, _) => Instr::GetFieldWide { d, o, site },
                    _ => Instr::GetField { d, o, site },
                });
            }
            _ => {
                let (o, s) = self.pop_registers();
                self.emit(match (register, narrow) {
                    (_, Some(kind)) => Instr::PutFieldNarrow { o, s, kind, site },
                    (RegisterKind::Wide, _) => Instr::PutFieldWide { o, s, site },
                    _ => Instr::PutField { o, s, site },
                });
            }
        }
    }

    pub fn array_get(&mut self, op: u8) {
        let (o, i) = self.pop_registers();
        let (kind, range) = match op {
            LALOAD | DALOAD => (RegisterKind::Wide, 0),
            AALOAD => (RegisterKind::Ref, 0),
            BALOAD => (RegisterKind::Word, range::BYTE | range::SHORT),
            CALOAD => (RegisterKind::Word, range::CHAR),
            SALOAD => (RegisterKind::Word, range::SHORT),
            _ => (RegisterKind::Word, 0),
        };
        let d = self.result(kind, range);
        self.emit(match op {
            LALOAD | DALOAD => Instr::ArrayGetWide { d, o, i },
            BALOAD => Instr::ArrayGetByte { d, o, i },
            CALOAD => Instr::ArrayGetChar { d, o, i },
            SALOAD => Instr::ArrayGetShort { d, o, i },
            _ => Instr::ArrayGet { d, o, i },
        });
    }

    pub fn array_put(&mut self, op: u8) {
        self.force(3);
        let s = self.pop_register();
        let i = self.pop_register();
        let o = self.pop_register();
        self.emit(match op {
            LASTORE | DASTORE => Instr::ArrayPutWide { o, i, s },
            AASTORE => Instr::ArrayPutRef { o, i, s },
            BASTORE => Instr::ArrayPutByte { o, i, s },
            CASTORE | SASTORE => Instr::ArrayPutShort { o, i, s },
            _ => Instr::ArrayPut { o, i, s },
        });
    }

    pub fn invoke(&mut self, insn: &Insn) {
        let index = insn.a as Index;
        let pool = &self.infer.file.pool;
        let descriptor = match *pool.get(index) {
            Constant::InvokeDynamic(_, member) => pool.name_and_type(member).1,
            _ => pool.member(index).2,
        };
        let kind = match insn.op {
            INVOKEVIRTUAL => CallKind::Virtual,
            INVOKESPECIAL => CallKind::Special,
            INVOKESTATIC => CallKind::Static,
            INVOKEINTERFACE => CallKind::Interface,
            _ => CallKind::Dynamic,
        };
        let has_receiver = !matches!(kind, CallKind::Static | CallKind::Dynamic);
        let mut arguments = usize::from(has_receiver);
        let result = walk(descriptor, |_, _| arguments += 1);
        let (first, count) = self.take_operands(arguments);
        let dest = match result {
            Some(kind) => self.result(register_kind(kind), kind_range(kind)),
            None => Call::NO_RESULT,
        };
        let site = self.calls.len() as u32;
        self.calls.push(Call {
            kind,
            index,
            first,
            count,
            dest,
            link: Link::default(),
            cache: Link::default(),
        });
        self.emit(Instr::Call { site });
    }

    /// Takes entries from the stack as operand words: where they begin and how many they are.
    fn take_operands(&mut self, entries: usize) -> (u32, u16) {
        self.force(entries);
        let first = self.operands.len();
        let base = self.stack.len().saturating_sub(entries);
        for index in base..self.stack.len() {
            if let Some(Value::Reg(reg)) = self.stack.get(index).map(|entry| entry.value) {
                self.operands.push((reg, false));
                if self.registers.kind(reg) == RegisterKind::Wide {
                    self.operands.push((reg, true));
                }
            } else {
                self.broken = true;
            }
        }
        for _ in 0..entries {
            self.pop();
        }
        (first as u32, (self.operands.len() - first) as u16)
    }

    pub fn allocate(&mut self, insn: &Insn) {
        let index = insn.a as Index;
        match insn.op {
            NEW => {
                let site = self.classes.site(SiteForm::Plain, index);
                let d = self.result(RegisterKind::Ref, 0);
                self.emit(Instr::New { d, site });
            }
            NEWARRAY | ANEWARRAY => {
                let letter = b"ZCFDBSIJ"
                    .get((insn.a as usize).wrapping_sub(4))
                    .copied()
                    .unwrap_or(b'I');
                let site = match insn.op {
                    NEWARRAY => self.classes.site(SiteForm::Primitive(letter), 0),
                    _ => self.classes.site(SiteForm::ArrayOf, index),
                };
                let len = self.pop_register();
                let d = self.result(RegisterKind::Ref, 0);
                self.emit(Instr::NewArray { d, len, site });
            }
            _ => {
                let site = self.classes.site(SiteForm::Plain, index);
                let (first, count) = self.take_operands(usize::from(insn.b as u16));
                let d = self.result(RegisterKind::Ref, 0);
                self.emit(Instr::NewMultiArray {
                    d,
                    count: count as u8,
                    first,
                    site,
                });
            }
        }
    }

    pub fn cast(&mut self, insn: &Insn) {
        // Null passes every cast and is an instance of nothing, without a look at the class.
        if self.stack.last().is_some_and(|top| top.value == Value::Null) {
            if insn.op == INSTANCEOF {
                self.pop();
                self.push(Value::Word(0), range::ALL);
            }
            return;
        }
        let site = self.classes.site(SiteForm::Plain, insn.a as Index);
        if insn.op == INSTANCEOF {
            let o = self.pop_register();
            let d = self.result(RegisterKind::Word, range::ALL);
            self.emit(Instr::InstanceOf { d, o, site });
        } else if let Some(Value::Reg(o)) = self.stack.last().map(|top| top.value) {
            // The value does not change, so it stays where it is, be that a local variable.
            self.emit(Instr::CheckCast { o, site });
        }
    }
}
