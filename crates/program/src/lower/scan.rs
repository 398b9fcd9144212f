//! A method's instructions in a vector, and the basic blocks over it.

use super::decode::Limits;
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
    pub code: &'a [u8],
    pub insns: Vec<Insn>,
    pub blocks: Vec<Block>,
    /// Whether local 0 is ever written as a reference.
    pub stores_receiver: bool,
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
        let limits = Limits {
            locals: u32::from(info.max_locals),
            major,
        };
        let mut branches = emptied(&mut scratch.branches);
        let mut at = 0;
        while at < code.len() {
            let (insn, length) = scan.decode(at, limits)?;
            if insn.is_conditional() || insn.ends() {
                branches.push(scan.insns.len() as u32);
            }
            scan.insns.push(insn);
            at += length;
        }
        if scan.insns.is_empty() {
            return Err(LowerError::format(0, "no code"));
        }
        // A method that only leaves at its end is one block.
        let leaves = matches!(scan.insns.last(), Some(last) if matches!(last.op, IRETURN..=RETURN | ATHROW));
        if branches.len() > usize::from(leaves) || !info.handlers.is_empty() {
            scan.mark(info, &branches)?;
        }
        scan.cut(&branches);
        scratch.branches = branches;
        Ok(scan)
    }

    /// Finds the first instructions of blocks.
    fn mark(&mut self, info: &CodeInfo, branches: &[u32]) -> Result<()> {
        for &index in branches {
            let index = index as usize;
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
    fn cut(&mut self, branches: &[u32]) {
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
        for &index in branches {
            let index = index as usize;
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
