//! Exception handlers, source variables and the lock of synchronized methods.

use super::infer::NONE;
use super::kinds::register_kind;
use super::translate::{Builder, Name, Piece};
use crate::classfile::flags;
use crate::descriptor::Kind;
use crate::ir::{Instr, Reg, RegisterKind, SiteForm};

/// A hostile method could have many handlers, each cut into many pieces.
pub(super) const MOST_PIECES: usize = 1 << 18;

impl Builder<'_, '_> {
    /// Whether some handler covers an instruction.
    pub fn is_covered(&self, pc: usize) -> bool {
        let rows = &self.infer.info.handlers;
        let Some(&bci) = self.bcis.get(pc) else { return true };
        rows.iter().any(|row| row.start <= bci && bci < row.end)
    }

    /// The first instruction of the current chain of calls that belongs to this bytecode or a later one.
    fn position(&self, bci: u32) -> u32 {
        let own = self.bcis.get(self.context_start..).unwrap_or(&[]);
        (self.context_start + own.partition_point(|&own| u32::from(own) < bci)) as u32
    }

    /// All blocks of a chain of calls have been translated: finds what handlers and variables cover there.
    pub fn close_context(&mut self, context: u32) {
        for (index, row) in self.infer.info.handlers.iter().enumerate() {
            let block = self.infer.scan.block_at(i64::from(row.target));
            let target = self.infer.find(context, block);
            let (start, end) = (self.position(row.start.into()), self.position(row.end.into()));
            let reached = self
                .infer
                .instances
                .get(target as usize)
                .is_some_and(|instance| instance.reached());
            if !reached || start >= end {
                continue;
            }
            let Some(reg) = self.catch_register(block) else {
                continue;
            };
            let class = (row.class != 0).then(|| self.classes.site(SiteForm::Plain, row.class));
            self.cover(index, start, end, target, reg, class);
        }
        for row in &self.infer.info.locals {
            let Some(kind) = Kind::of(self.infer.file.pool.text(row.descriptor)) else {
                continue;
            };
            let Some(reg) = self.registers.known_local(row.slot.into(), register_kind(kind)) else {
                continue;
            };
            let end = u32::from(row.start) + u32::from(row.length);
            let (start, end) = (self.position(row.start.into()), self.position(end));
            if start < end {
                self.names.push(Name {
                    start,
                    end,
                    reg,
                    name: row.name,
                });
            }
        }
        self.context_start = self.instrs.len();
    }

    /// Adds a handler's range without the holes in it.
    fn cover(&mut self, row: usize, start: u32, end: u32, target: u32, reg: Reg, class: Option<u32>) {
        let mut from = start;
        for &(hole, after) in &self.holes {
            if after <= from || hole >= end {
                continue;
            }
            if from < hole && self.pieces.len() <= MOST_PIECES {
                self.pieces.push(Piece {
                    row,
                    start: from,
                    end: hole,
                    target,
                    reg,
                    class,
                });
            }
            from = after;
        }
        if from < end && self.pieces.len() <= MOST_PIECES {
            self.pieces.push(Piece {
                row,
                start: from,
                end,
                target,
                reg,
                class,
            });
        }
    }

    fn is_synchronized(&self) -> bool {
        self.method.flags & flags::SYNCHRONIZED != 0
    }

    /// Takes the lock of a synchronized method.
    pub fn acquire(&mut self) {
        if !self.is_synchronized() {
            return;
        }
        let lock = if self.method.flags & flags::STATIC != 0 {
            let lock = self.registers.lock();
            let site = self.constants.site(SiteForm::Plain, self.infer.file.this_class);
            self.emit(Instr::LoadConst { d: lock, site });
            lock
        } else {
            let receiver = self.registers.local(0, RegisterKind::Ref);
            if self.infer.scan.stores_receiver {
                let lock = self.registers.lock();
                self.emit(Instr::Move { d: lock, s: receiver });
                lock
            } else {
                receiver
            }
        };
        self.lock = Some(lock);
        self.emit(Instr::MonitorEnter { o: lock });
        // The body begins after it: no handler covers it.
        self.holes.push((0, self.instrs.len() as u32));
    }

    /// Gives the lock back before a return.
    pub fn unlock(&mut self) {
        if let Some(o) = self.lock {
            self.holes.push((self.instrs.len() as u32, NONE));
            self.emit(Instr::MonitorExit { o });
        }
    }

    /// The return that follows has been emitted.
    pub fn end_hole(&mut self) {
        let end = self.instrs.len() as u32;
        if let Some(hole) = self.holes.last_mut()
            && hole.1 == NONE
        {
            hole.1 = end;
        }
    }

    /// The handler that unlocks a synchronized method when an exception leaves it.
    pub fn release(&mut self) {
        let Some(o) = self.lock else { return };
        let end = self.instrs.len() as u32;
        self.bci = 0;
        let exception = self.registers.stack(0, RegisterKind::Ref);
        self.cover(self.infer.info.handlers.len(), 0, end, NONE, exception, None);
        self.emit(Instr::MonitorExit { o });
        self.emit(Instr::Throw { s: exception });
    }
}
