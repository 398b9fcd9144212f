//! Decoding: from bytes to instructions with normal forms.
//!
//! The many spellings of one thing become one: `iload_1`, `iload 1` and `wide iload 1` are all `ILOAD` with operand 1,
//! every int constant is a `SIPUSH`, `goto_w` is `GOTO`. All operands that a later pass would have to check for being
//! inside the code or inside the frame are checked here, unreachable code included (JVMS §4.9.1).

use super::error::{LowerError, Result};
use super::opcode::*;
use super::scan::{Insn, Scan};

/// What the class file and the method allow.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub locals: u32,
    pub major: u16,
}

#[cold]
fn cut_short(bci: u32) -> Box<LowerError> {
    LowerError::format(bci, "the code ends inside an instruction")
}

/// The bytecode index that a jump goes to.
#[inline]
fn jump(bci: u32, offset: i32) -> Result<u32> {
    match u32::try_from(i64::from(bci) + i64::from(offset)) {
        Ok(target) => Ok(target),
        Err(_) => Err(LowerError::verify(bci, "jump to a place before the code")),
    }
}

/// Subroutines went when `invokedynamic` came.
fn check_version(insn: &Insn, limits: Limits) -> Result<()> {
    if matches!(insn.op, JSR | RET) && limits.major > 50 || insn.op == INVOKEDYNAMIC && limits.major < 51 {
        let what = format!("opcode {:#x} is not allowed in version {}", insn.op, limits.major);
        return Err(LowerError::verify(u32::from(insn.bci), what));
    }
    Ok(())
}

/// The operands of a switch.
pub(super) struct SwitchTable<'a> {
    bytes: &'a [u8],
    bci: i32,
    /// Key of the first case of a `tableswitch`.
    pub low: i32,
    /// How many cases, without the default.
    pub cases: u32,
    dense: bool,
}

impl SwitchTable<'_> {
    fn word(&self, index: usize) -> i32 {
        let at = index * 4;
        self.bytes
            .get(at..at + 4)
            .and_then(|four| four.try_into().ok())
            .map_or(0, i32::from_be_bytes)
    }

    /// Bytecode index of the default case.
    pub fn default(&self) -> i64 {
        i64::from(self.bci) + i64::from(self.word(0))
    }

    /// Key and bytecode index of a case.
    pub fn case(&self, index: u32) -> (i32, i64) {
        let at = index as usize;
        let (key, offset) = if self.dense {
            (self.low.wrapping_add(index as i32), self.word(3 + at))
        } else {
            (self.word(2 + 2 * at), self.word(3 + 2 * at))
        };
        (key, i64::from(self.bci) + i64::from(offset))
    }

    fn byte_length(&self) -> usize {
        4 * if self.dense {
            3 + self.cases as usize
        } else {
            2 + 2 * self.cases as usize
        }
    }
}

impl<'a> Scan<'a> {
    fn byte(&self, at: usize) -> u8 {
        self.code.get(at).copied().unwrap_or(0)
    }

    fn short(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.byte(at), self.byte(at + 1)])
    }

    /// The four bytes after an opcode, the first one highest; zeros beyond the end.
    #[inline]
    fn operands(&self, at: usize) -> u32 {
        match self.code.get(at + 1..at + 5).and_then(|four| four.try_into().ok()) {
            Some(four) => u32::from_be_bytes(four),
            None => u32::from(self.short(at + 1)) << 16 | u32::from(self.short(at + 3)),
        }
    }

    /// One instruction and its length. Jumps still hold the target's bytecode index.
    #[inline]
    pub fn decode(&mut self, at: usize, limits: Limits) -> Result<(Insn, usize)> {
        let bci = at as u32;
        let raw = self.byte(at);
        let length = match LENGTHS.get(usize::from(raw)) {
            Some(0) => return self.decode_long(at, raw, limits),
            Some(&length) => usize::from(length),
            None => return Err(LowerError::format(bci, format!("{raw:#x} is no opcode"))),
        };
        if at + length > self.code.len() {
            return Err(cut_short(bci));
        }
        let operands = self.operands(at);
        let (first, short) = (operands >> 24, operands >> 16);
        let mut insn = Insn {
            a: 0,
            bci: at as u16,
            b: 0,
            op: raw,
            marks: 0,
        };
        match raw {
            ICONST_M1..=ICONST_5 => {
                insn.op = SIPUSH;
                insn.a = (i32::from(raw) - i32::from(ICONST_0)) as u32;
            }
            BIPUSH => {
                insn.op = SIPUSH;
                insn.a = i32::from(first as i8) as u32;
            }
            SIPUSH => insn.a = i32::from(short as i16) as u32,
            LDC => {
                insn.op = LDC_W;
                insn.a = first;
            }
            ILOAD_0..=ALOAD_3 => {
                insn.op = ILOAD + (raw - ILOAD_0) / 4;
                insn.a = u32::from((raw - ILOAD_0) % 4);
                self.check_local(&insn, limits)?;
            }
            ISTORE_0..=ASTORE_3 => {
                insn.op = ISTORE + (raw - ISTORE_0) / 4;
                insn.a = u32::from((raw - ISTORE_0) % 4);
                self.check_local(&insn, limits)?;
            }
            ILOAD..=ALOAD | ISTORE..=ASTORE | RET => {
                insn.a = first;
                self.check_local(&insn, limits)?;
            }
            IINC => {
                insn.a = first;
                insn.b = i16::from(short as i8);
                self.check_local(&insn, limits)?;
            }
            NEWARRAY => insn.a = first,
            IFEQ..=GOTO | IFNULL | IFNONNULL => insn.a = jump(bci, i32::from(short as i16))?,
            JSR => {
                insn.a = jump(bci, i32::from(short as i16))?;
                check_version(&insn, limits)?;
            }
            GOTO_W | JSR_W => {
                insn.op = if raw == GOTO_W { GOTO } else { JSR };
                insn.a = jump(bci, operands as i32)?;
                check_version(&insn, limits)?;
            }
            LDC_W | LDC2_W | GETSTATIC..=INVOKESTATIC | NEW | ANEWARRAY | CHECKCAST | INSTANCEOF => insn.a = short,
            INVOKEINTERFACE => {
                insn.a = short;
                insn.b = i16::from((operands >> 8) as u8);
                if operands as u8 != 0 {
                    return Err(LowerError::format(
                        bci,
                        "the fourth operand byte of invokeinterface is not zero",
                    ));
                }
            }
            INVOKEDYNAMIC => {
                insn.a = short;
                check_version(&insn, limits)?;
                if operands as u16 != 0 {
                    return Err(LowerError::format(
                        bci,
                        "the third and fourth operand bytes of invokedynamic are not zero",
                    ));
                }
            }
            MULTIANEWARRAY => {
                insn.a = short;
                insn.b = i16::from((operands >> 8) as u8);
            }
            _ => {}
        }
        Ok((insn, length))
    }

    /// An instruction whose length does not follow from its opcode.
    fn decode_long(&mut self, at: usize, raw: u8, limits: Limits) -> Result<(Insn, usize)> {
        let bci = at as u32;
        let mut insn = Insn {
            a: 0,
            bci: at as u16,
            b: 0,
            op: raw,
            marks: 0,
        };
        let length = if raw == WIDE {
            insn.op = self.byte(at + 1);
            insn.a = u32::from(self.short(at + 2));
            match insn.op {
                ILOAD..=ALOAD | ISTORE..=ASTORE | RET => 4,
                IINC => {
                    insn.b = self.short(at + 4) as i16;
                    6
                }
                _ => {
                    return Err(LowerError::format(
                        bci,
                        "wide before an instruction that has no wide form",
                    ));
                }
            }
        } else {
            let first = (at + 4) & !3;
            let padding = self.code.get(at + 1..first).unwrap_or(&[]);
            if limits.major < 51 && padding.iter().any(|&byte| byte != 0) {
                return Err(LowerError::format(bci, "padding of a switch is not zero"));
            }
            first - at + self.check_switch(raw, bci, self.code.get(first..).unwrap_or(&[]))?
        };
        if at + length > self.code.len() {
            return Err(cut_short(bci));
        }
        if raw == WIDE {
            self.check_local(&insn, limits)?;
        }
        Ok((insn, length))
    }

    /// Whether the local variable that an instruction names is inside the frame.
    #[inline]
    fn check_local(&mut self, insn: &Insn, limits: Limits) -> Result<()> {
        let words = if matches!(insn.op, LLOAD | DLOAD | LSTORE | DSTORE) {
            2
        } else {
            1
        };
        if insn.a + words > limits.locals {
            let what = format!(
                "local variable {} is outside the {} of the frame",
                insn.a, limits.locals
            );
            return Err(LowerError::verify(u32::from(insn.bci), what));
        }
        self.stores_receiver |= insn.op == ASTORE && insn.a == 0;
        if insn.op == RET {
            check_version(insn, limits)
        } else {
            Ok(())
        }
    }

    /// The length of a switch's operands, which lie at the start of `words`, in bytes.
    fn check_switch(&self, op: u8, bci: u32, words: &'a [u8]) -> Result<usize> {
        let mut table = SwitchTable {
            bytes: words,
            bci: bci as i32,
            low: 0,
            cases: 0,
            dense: op == TABLESWITCH,
        };
        if words.len() < if table.dense { 12 } else { 8 } {
            return Err(cut_short(bci));
        }
        let cases = if table.dense {
            i64::from(table.word(2)) - i64::from(table.word(1)) + 1
        } else {
            i64::from(table.word(1))
        };
        if cases < i64::from(table.dense) || cases > words.len() as i64 / 4 {
            return Err(LowerError::format(bci, "a switch with a bad number of cases"));
        }
        table.cases = cases as u32;
        let length = table.byte_length();
        if length > words.len() {
            return Err(cut_short(bci));
        }
        if !table.dense && (1..table.cases).any(|case| table.case(case - 1).0 >= table.case(case).0) {
            return Err(LowerError::format(
                bci,
                "the keys of a lookupswitch are not in ascending order",
            ));
        }
        Ok(length)
    }

    /// The operands of a switch instruction.
    pub fn switch(&self, insn: &Insn) -> SwitchTable<'a> {
        let first = (usize::from(insn.bci) + 4) & !3;
        let bytes = self.code.get(first..).unwrap_or(&[]);
        let mut table = SwitchTable {
            bytes,
            bci: i32::from(insn.bci),
            low: 0,
            cases: 0,
            dense: insn.op == TABLESWITCH,
        };
        if table.dense {
            table.low = table.word(1);
            table.cases = table.word(2).wrapping_sub(table.low).wrapping_add(1) as u32;
        } else {
            table.cases = table.word(1) as u32;
        }
        table
    }
}
