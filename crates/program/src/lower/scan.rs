//! Decoding: from bytes to a vector of instructions with normal forms, and basic blocks over it.
//!
//! The many spellings of one thing become one: `iload_1`, `iload 1` and `wide iload 1` are all `ILOAD` with operand 1,
//! every int constant is a `SIPUSH`, `goto_w` is `GOTO`. All operands that a later pass would have to check for being
//! inside the code or inside the frame are checked here, unreachable code included (JVMS §4.9.1).

use super::error::{LowerError, Result};
use super::opcode::*;
use super::scratch::{Scratch, emptied};
use crate::classfile::CodeInfo;

/// Reached by a jump or a switch.
pub(super) const JUMPED: u8 = 1;
/// Reached by a conditional jump or a switch, or by falling through one.
pub(super) const SPLIT: u8 = 2;
/// Start of an exception handler.
pub(super) const CAUGHT: u8 = 4;
/// First of a basic block, for one of the reasons above or another.
const LEADER: u8 = 8;

/// One instruction in normal form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Insn {
    /// Local variable, constant pool index, int constant, target block (jumps), or element type (`newarray`).
    pub a: u32,
    /// Where it stands in the code.
    pub bci: u16,
    /// Increment (`iinc`), dimensions (`multianewarray`), argument words (`invokeinterface`).
    pub b: i16,
    /// Opcode in normal form.
    pub op: u8,
    /// How it is reached, if it is the first of a block.
    pub marks: u8,
}

impl Insn {
    /// Whether control never goes on to the next instruction.
    pub fn ends(&self) -> bool {
        matches!(
            self.op,
            GOTO | JSR | RET | TABLESWITCH | LOOKUPSWITCH | IRETURN..=RETURN | ATHROW
        )
    }

    /// Whether `a` is a jump target and control may also go on.
    pub fn is_conditional(&self) -> bool {
        matches!(self.op, IFEQ..=IF_ACMPNE | IFNULL | IFNONNULL)
    }
}

/// A basic block: a range of [`Scan::insns`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub start: u32,
    pub end: u32,
}

/// A method's code, decoded.
pub(super) struct Scan<'a> {
    code: &'a [u8],
    pub insns: Vec<Insn>,
    pub blocks: Vec<Block>,
    /// Whether local 0 is ever written as a reference.
    pub stores_receiver: bool,
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
    /// Decodes a method's code.
    pub fn new(code: &'a [u8], info: &CodeInfo, major: u16, scratch: &mut Scratch) -> Result<Scan<'a>> {
        let mut scan = Scan {
            code,
            insns: emptied(&mut scratch.insns),
            blocks: emptied(&mut scratch.blocks),
            stores_receiver: false,
        };
        let mut at = 0;
        let mut branches = !info.handlers.is_empty();
        while at < code.len() {
            let (insn, next) = scan.decode(at, info, major)?;
            branches |= insn.is_conditional() || insn.ends();
            scan.insns.push(insn);
            at = next;
        }
        if scan.insns.is_empty() {
            return Err(LowerError::format(0, "no code"));
        }
        if branches {
            scan.mark(info)?;
        }
        scan.cut();
        Ok(scan)
    }

    fn byte(&self, at: usize) -> Result<u8> {
        self.code
            .get(at)
            .copied()
            .ok_or_else(|| LowerError::format(at as u32, "the code ends inside an instruction"))
    }

    fn short(&self, at: usize) -> Result<u16> {
        Ok(u16::from_be_bytes([self.byte(at)?, self.byte(at + 1)?]))
    }

    fn word(&self, at: usize) -> Result<i32> {
        Ok(i32::from(self.short(at)? as i16) << 16 | i32::from(self.short(at + 2)?))
    }

    /// One instruction, and where the next begins. Jumps still hold the target's bytecode index.
    fn decode(&mut self, at: usize, info: &CodeInfo, major: u16) -> Result<(Insn, usize)> {
        let bci = at as u32;
        let bad = |what: &str| LowerError::format(bci, what);
        let raw = self.byte(at)?;
        let Some(&length) = LENGTHS.get(usize::from(raw)) else {
            return Err(bad(&format!("{raw:#x} is no opcode")));
        };
        let mut length = usize::from(length);
        let (mut op, mut a, mut b) = (raw, 0u32, 0i16);
        let jump = |offset: i32| -> Result<u32> {
            u32::try_from(i64::from(bci) + i64::from(offset)).map_err(|_| bad("jump to a place before the code"))
        };
        match raw {
            ICONST_M1..=ICONST_5 => {
                op = SIPUSH;
                a = (i32::from(raw) - i32::from(ICONST_0)) as u32;
            }
            BIPUSH => {
                op = SIPUSH;
                a = i32::from(self.byte(at + 1)? as i8) as u32;
            }
            SIPUSH => a = i32::from(self.short(at + 1)? as i16) as u32,
            LDC => {
                op = LDC_W;
                a = u32::from(self.byte(at + 1)?);
            }
            ILOAD..=ALOAD | ISTORE..=ASTORE | RET | NEWARRAY => a = u32::from(self.byte(at + 1)?),
            ILOAD_0..=ALOAD_3 => {
                op = ILOAD + (raw - ILOAD_0) / 4;
                a = u32::from((raw - ILOAD_0) % 4);
            }
            ISTORE_0..=ASTORE_3 => {
                op = ISTORE + (raw - ISTORE_0) / 4;
                a = u32::from((raw - ISTORE_0) % 4);
            }
            IINC => {
                a = u32::from(self.byte(at + 1)?);
                b = i16::from(self.byte(at + 2)? as i8);
            }
            IFEQ..=JSR | IFNULL | IFNONNULL => a = jump(i32::from(self.short(at + 1)? as i16))?,
            GOTO_W | JSR_W => {
                op = if raw == GOTO_W { GOTO } else { JSR };
                a = jump(self.word(at + 1)?)?;
            }
            LDC_W | LDC2_W | GETSTATIC..=INVOKESTATIC | NEW | ANEWARRAY | CHECKCAST | INSTANCEOF => {
                a = u32::from(self.short(at + 1)?);
            }
            INVOKEINTERFACE => {
                a = u32::from(self.short(at + 1)?);
                b = i16::from(self.byte(at + 3)?);
                if self.byte(at + 4)? != 0 {
                    return Err(bad("the fourth operand byte of invokeinterface is not zero"));
                }
            }
            INVOKEDYNAMIC => {
                a = u32::from(self.short(at + 1)?);
                if self.short(at + 3)? != 0 {
                    return Err(bad("the third and fourth operand bytes of invokedynamic are not zero"));
                }
            }
            MULTIANEWARRAY => {
                a = u32::from(self.short(at + 1)?);
                b = i16::from(self.byte(at + 3)?);
            }
            WIDE => {
                op = self.byte(at + 1)?;
                a = u32::from(self.short(at + 2)?);
                length = 4;
                match op {
                    ILOAD..=ALOAD | ISTORE..=ASTORE | RET => {}
                    IINC => {
                        b = self.short(at + 4)? as i16;
                        length = 6;
                    }
                    _ => return Err(bad("wide before an instruction that has no wide form")),
                }
            }
            TABLESWITCH | LOOKUPSWITCH => {
                let first = (at + 4) & !3;
                let words = self.code.get(first..).unwrap_or(&[]);
                let padding = self.code.get(at + 1..first).unwrap_or(&[]);
                if major < 51 && padding.iter().any(|&byte| byte != 0) {
                    return Err(bad("padding of a switch is not zero"));
                }
                length = first - at + self.check_switch(raw, bci, words)?;
            }
            _ => {}
        }
        if at + length > self.code.len() {
            return Err(bad("the code ends inside an instruction"));
        }
        let words = match op {
            ILOAD | FLOAD | ALOAD | ISTORE | FSTORE | ASTORE | IINC | RET => 1,
            LLOAD | DLOAD | LSTORE | DSTORE => 2,
            _ => 0,
        };
        if words > 0 && a + words > u32::from(info.max_locals) {
            return Err(LowerError::verify(
                bci,
                format!("local variable {a} is outside the {} of the frame", info.max_locals),
            ));
        }
        if matches!(op, JSR | RET) && major > 50 || op == INVOKEDYNAMIC && major < 51 {
            return Err(LowerError::verify(
                bci,
                format!("opcode {op:#x} is not allowed in version {major}"),
            ));
        }
        self.stores_receiver |= op == ASTORE && a == 0;
        Ok((
            Insn {
                a,
                bci: at as u16,
                b,
                op,
                marks: 0,
            },
            at + length,
        ))
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
            return Err(LowerError::format(bci, "the code ends inside an instruction"));
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
            return Err(LowerError::format(bci, "the code ends inside an instruction"));
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

    /// Finds the first instructions of blocks.
    fn mark(&mut self, info: &CodeInfo) -> Result<()> {
        for index in 0..self.insns.len() {
            let Some(&insn) = self.insns.get(index) else { break };
            let bci = u32::from(insn.bci);
            let conditional = insn.is_conditional();
            if conditional || matches!(insn.op, GOTO | JSR) {
                self.mark_at(
                    bci,
                    i64::from(insn.a),
                    if conditional { JUMPED | SPLIT } else { JUMPED },
                )?;
            } else if matches!(insn.op, TABLESWITCH | LOOKUPSWITCH) {
                let table = self.switch(&insn);
                self.mark_at(bci, table.default(), JUMPED | SPLIT)?;
                for case in 0..table.cases {
                    self.mark_at(bci, table.case(case).1, JUMPED | SPLIT)?;
                }
            } else if !insn.ends() {
                continue;
            }
            if let Some(next) = self.insns.get_mut(index + 1) {
                next.marks |= if conditional { LEADER | SPLIT } else { LEADER };
                // Where the subroutine comes back to.
                next.marks |= if insn.op == JSR { JUMPED } else { 0 };
            }
        }
        for row in &info.handlers {
            let end = usize::from(row.end);
            if self.index_of(i64::from(row.start)).is_none()
                || end != self.code.len() && self.index_of(end as i64).is_none()
                || row.start >= row.end
            {
                return Err(LowerError::verify(
                    u32::from(row.start),
                    "an exception handler's range does not fit the instructions",
                ));
            }
            self.mark_at(u32::from(row.start), i64::from(row.target), CAUGHT)?;
        }
        Ok(())
    }

    fn mark_at(&mut self, from: u32, target: i64, marks: u8) -> Result<()> {
        match self.index_of(target).and_then(|index| self.insns.get_mut(index)) {
            Some(insn) => insn.marks |= marks | LEADER,
            None => {
                return Err(LowerError::verify(
                    from,
                    format!("jump to {target}, which is not the start of an instruction"),
                ));
            }
        }
        Ok(())
    }

    fn index_of(&self, bci: i64) -> Option<usize> {
        self.insns.binary_search_by_key(&bci, |insn| i64::from(insn.bci)).ok()
    }

    /// Cuts the instructions into blocks and turns jump targets into block numbers.
    fn cut(&mut self) {
        let mut start = 0;
        for (index, insn) in self.insns.iter().enumerate() {
            if insn.marks != 0 && index > 0 {
                self.blocks.push(Block {
                    start,
                    end: index as u32,
                });
                start = index as u32;
            }
        }
        self.blocks.push(Block {
            start,
            end: self.insns.len() as u32,
        });
        if self.blocks.len() == 1 {
            return; // the only possible target is bytecode 0, which is also block 0
        }
        for index in 0..self.insns.len() {
            let Some(&insn) = self.insns.get(index) else { break };
            if insn.is_conditional() || matches!(insn.op, GOTO | JSR) {
                let block = self.block_at(i64::from(insn.a));
                if let Some(insn) = self.insns.get_mut(index) {
                    insn.a = block;
                }
            }
        }
    }

    /// The block that begins at a bytecode index, which must be a marked one.
    pub fn block_at(&self, bci: i64) -> u32 {
        self.blocks
            .binary_search_by_key(&bci, |block| self.bci_of(block.start).into())
            .unwrap_or(0) as u32
    }

    /// The bytecode index of an instruction; the length of the code for the end.
    pub fn bci_of(&self, index: u32) -> u32 {
        self.insns
            .get(index as usize)
            .map_or(self.code.len() as u32, |insn| u32::from(insn.bci))
    }

    /// The first instruction of a block.
    pub fn first(&self, block: u32) -> Option<&Insn> {
        self.blocks
            .get(block as usize)
            .and_then(|block| self.insns.get(block.start as usize))
    }
}
