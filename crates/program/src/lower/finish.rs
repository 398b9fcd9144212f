//! The last pass: jumps are resolved and shortened, registers get their frame words, tables are closed.

use super::error::{LowerError, Result};
use super::infer::NONE;
use super::registers::MOST;
use super::scratch::Scratch;
use super::translate::Builder;
use crate::ir::{Call, Code, Handler, Instr, LocalName, Reg, Register, RegisterKind, Switch};

/// How many jumps to jumps are followed.
const THREAD: usize = 8;
/// The most bits that liveness may take: one for each register before each instruction.
const LARGEST_BITS: u64 = 1 << 28;

/// Turns what was built into code.
pub(super) fn finish(mut builder: Builder<'_, '_>, scratch: &mut Scratch) -> Result<Code> {
    // Where the handler that unlocks begins, if there is one.
    let unlocking = (builder.instrs.len() as u32).saturating_sub(2);
    let mut dead = builder.drop_narrowings();
    if builder.infer.instances.len() > 1 || matches!(builder.instrs.last(), Some(Instr::Goto { .. })) {
        resolve(&mut builder);
        if shorten(&mut builder, &mut dead) {
            prune(&builder, unlocking, &mut dead);
        }
    }
    let moved = compact(&mut builder, &dead);
    let position = |pc: u32| moved.get(pc as usize).copied().unwrap_or(pc);
    if !moved.is_empty() {
        for instr in &mut builder.instrs {
            if let Some(target) = instr.target_mut() {
                *target = position(*target);
            }
        }
        for_each_case(&mut builder.switches, |target| *target = position(*target));
    }
    let (registers, frame_words, parameter_words) = number(&mut builder, scratch)?;
    let words = &scratch.words;
    if builder.instrs.len() as u64 * registers.len() as u64 > LARGEST_BITS {
        return Err(LowerError::unsupported(
            0,
            "the method is too large: too many registers for its length",
        ));
    }
    let word = |reg: Reg| words.get(usize::from(reg)).copied().unwrap_or(Reg::MAX);
    for instr in &mut builder.instrs {
        instr.visit(|reg, _| *reg = word(*reg));
    }
    for call in builder.calls.iter_mut().filter(|call| call.dest != Call::NO_RESULT) {
        call.dest = word(call.dest);
    }
    let operands = builder
        .operands
        .iter()
        .map(|&(reg, second)| word(reg).saturating_add(Reg::from(second)))
        .collect();
    builder.pieces.sort_by_key(|piece| piece.row);
    let handlers = builder.pieces.iter().map(|piece| {
        let target = if piece.target == NONE {
            Some(unlocking)
        } else {
            builder.starts.get(piece.target as usize).copied()
        };
        Handler {
            start: position(piece.start),
            end: position(piece.end),
            target: position(target.unwrap_or(0)),
            reg: word(piece.reg),
            class: piece.class,
        }
    });
    let handlers = handlers.filter(|handler| handler.start < handler.end).collect();
    let names = builder
        .names
        .iter()
        .filter(|name| word(name.reg) != Reg::MAX)
        .map(|name| LocalName {
            start: position(name.start),
            end: position(name.end),
            reg: word(name.reg),
            name: name.name,
        });
    let names = names.filter(|name| name.start < name.end).collect();
    let code = Code {
        instrs: Box::from(&builder.instrs[..]),
        bcis: Box::from(&builder.bcis[..]),
        frame_words,
        parameter_words,
        registers,
        handlers,
        fields: builder.fields.finish(),
        classes: builder.classes.finish(),
        constants: builder.constants.finish(),
        calls: builder.calls.drain(..).collect(),
        operands,
        switches: builder.switches.drain(..).collect(),
        names,
        ..Code::default()
    };
    builder.recycle(scratch);
    Ok(code)
}

fn for_each_case(switches: &mut [Switch], mut f: impl FnMut(&mut u32)) {
    for switch in switches {
        let (Switch::Table { targets, default, .. } | Switch::Lookup { targets, default, .. }) = switch;
        targets.iter_mut().for_each(&mut f);
        f(default);
    }
}

/// Turns instances into instructions.
fn resolve(builder: &mut Builder<'_, '_>) {
    let starts = &builder.starts;
    let start = |target: &mut u32| *target = starts.get(*target as usize).copied().unwrap_or(0);
    for instr in &mut builder.instrs {
        if let Some(target) = instr.target_mut() {
            start(target);
        }
    }
    for_each_case(&mut builder.switches, start);
}

impl Builder<'_, '_> {
    /// Marks as dead what narrows a local variable that never holds anything wide.
    fn drop_narrowings(&mut self) -> Vec<u32> {
        let mut dead = Vec::new();
        for at in 0..self.narrowings.len() {
            let Some(&(pc, local, wanted)) = self.narrowings.get(at) else {
                break;
            };
            if self.local_range(local) & wanted == 0 {
                continue;
            }
            let narrowed = self.instrs.get(pc as usize).and_then(Instr::destination);
            // The return follows at once, or after the lock has been given back.
            let after = self.instrs.get_mut(pc as usize + 1..).unwrap_or(&mut []);
            if let Some(Instr::Return { s }) = after.iter_mut().find(|instr| matches!(instr, Instr::Return { .. }))
                && Some(*s) == narrowed
            {
                *s = local;
                dead.push(pc);
            }
        }
        dead
    }
}

/// Follows jumps to their ends.
fn follow(instrs: &[Instr], mut pc: u32) -> u32 {
    for _ in 0..THREAD {
        match instrs.get(pc as usize) {
            Some(&Instr::Goto { target }) => pc = target,
            _ => break,
        }
    }
    pc
}

/// Makes jumps go straight to where they end, and finds those that are for nothing. Gives whether a jump was replaced,
/// so that its target may have become unreachable.
fn shorten(builder: &mut Builder<'_, '_>, dead: &mut Vec<u32>) -> bool {
    let mut replaced = false;
    for at in 0..builder.instrs.len() {
        let Some(&(mut instr)) = builder.instrs.get(at) else {
            break;
        };
        let next = at as u32 + 1;
        let Some(target) = instr.target_mut() else { continue };
        *target = follow(&builder.instrs, *target);
        let target = *target;
        if let Instr::Goto { .. } = instr {
            let there = builder.instrs.get(target as usize).copied();
            if target == next || follow(&builder.instrs, next) == target {
                dead.push(at as u32);
            } else if let Some(returned @ (Instr::Return { .. } | Instr::ReturnWide { .. } | Instr::ReturnVoid)) = there
            {
                instr = returned;
                replaced = true;
                let bci = builder.bcis.get(target as usize).copied();
                if let (Some(slot), Some(bci)) = (builder.bcis.get_mut(at), bci) {
                    *slot = bci;
                }
            } else if let Some(mut inverted) = there.and_then(inverted) {
                // A loop whose test is at its head: going back, test at once. It leaves the loop to here.
                if let Some(out) = inverted.target_mut()
                    && follow(&builder.instrs, *out) == follow(&builder.instrs, next)
                {
                    *out = follow(&builder.instrs, target + 1);
                    instr = inverted;
                }
            }
        } else if target == next {
            dead.push(at as u32);
        }
        if let Some(slot) = builder.instrs.get_mut(at) {
            *slot = instr;
        }
    }
    let instrs = &builder.instrs;
    for_each_case(&mut builder.switches, |target| *target = follow(instrs, *target));
    replaced
}

/// Finds instructions that nothing leads to any more.
fn prune(builder: &Builder<'_, '_>, unlocking: u32, dead: &mut Vec<u32>) {
    let mut entered = vec![false; builder.instrs.len()];
    let mut enter = |pc: u32| {
        if let Some(entered) = entered.get_mut(pc as usize) {
            *entered = true;
        }
    };
    enter(0);
    for instr in &builder.instrs {
        if let Some(target) = { *instr }.target_mut() {
            enter(*target);
        }
    }
    for switch in &builder.switches {
        let (Switch::Table { targets, default, .. } | Switch::Lookup { targets, default, .. }) = switch;
        targets.iter().chain([default]).for_each(|&target| enter(target));
    }
    for piece in &builder.pieces {
        enter(builder.starts.get(piece.target as usize).copied().unwrap_or(unlocking));
    }
    let mut reached = false;
    for (pc, instr) in builder.instrs.iter().enumerate() {
        reached |= entered.get(pc).copied().unwrap_or(true);
        if !reached {
            dead.push(pc as u32);
        }
        reached &= instr.falls_through();
    }
}

/// The conditional jump that goes where this one does not; the target stays.
fn inverted(instr: Instr) -> Option<Instr> {
    use Instr::*;
    Some(match instr {
        IfEq { a, b, target } => IfNe { a, b, target },
        IfNe { a, b, target } => IfEq { a, b, target },
        IfLt { a, b, target } => IfGe { a, b, target },
        IfGe { a, b, target } => IfLt { a, b, target },
        IfGt { a, b, target } => IfLe { a, b, target },
        IfLe { a, b, target } => IfGt { a, b, target },
        IfEqImm { a, imm, target } => IfNeImm { a, imm, target },
        IfNeImm { a, imm, target } => IfEqImm { a, imm, target },
        IfLtImm { a, imm, target } => IfGeImm { a, imm, target },
        IfGeImm { a, imm, target } => IfLtImm { a, imm, target },
        IfGtImm { a, imm, target } => IfLeImm { a, imm, target },
        IfLeImm { a, imm, target } => IfGtImm { a, imm, target },
        IfEqL { a, b, target } => IfNeL { a, b, target },
        IfNeL { a, b, target } => IfEqL { a, b, target },
        IfLtL { a, b, target } => IfGeL { a, b, target },
        IfGeL { a, b, target } => IfLtL { a, b, target },
        IfGtL { a, b, target } => IfLeL { a, b, target },
        IfLeL { a, b, target } => IfGtL { a, b, target },
        _ => return None,
    })
}

/// Removes dead instructions; gives where each one went, or nothing if all stayed.
fn compact(builder: &mut Builder<'_, '_>, dead: &[u32]) -> Vec<u32> {
    if dead.is_empty() {
        return Vec::new();
    }
    let length = builder.instrs.len();
    let mut kept = vec![true; length];
    for &pc in dead {
        if let Some(kept) = kept.get_mut(pc as usize) {
            *kept = false;
        }
    }
    let mut moved = Vec::with_capacity(length + 1);
    let mut count = 0;
    for &keep in &kept {
        moved.push(count);
        count += u32::from(keep);
    }
    moved.push(count);
    let mut keep = kept.iter();
    builder.instrs.retain(|_| *keep.next().unwrap_or(&true));
    let mut keep = kept.iter();
    builder.bcis.retain(|_| *keep.next().unwrap_or(&true));
    moved
}

/// Gives frame words to the registers that the code mentions: parameters, then local variables, then the stack. The
/// words are left in the scratch vectors; given are the registers, the frame's words and the parameters' words.
fn number(builder: &mut Builder<'_, '_>, scratch: &mut Scratch) -> Result<(Box<[Register]>, u16, u16)> {
    let total = builder.registers.len();
    let parameters = builder.parameters;
    let Scratch { used, words, .. } = scratch;
    used.clear();
    used.resize(total, false);
    let mut mark = |reg: Reg| {
        if let Some(used) = used.get_mut(usize::from(reg)) {
            *used = true;
        }
    };
    for instr in &mut builder.instrs {
        instr.visit(|reg, _| mark(*reg));
    }
    builder.calls.iter().for_each(|call| mark(call.dest));
    builder.operands.iter().for_each(|operand| mark(operand.0));
    builder.pieces.iter().for_each(|piece| mark(piece.reg));
    (0..parameters).for_each(|parameter| mark(parameter as Reg));
    words.clear();
    words.resize(total, Reg::MAX);
    let mut registers = Vec::with_capacity(used.iter().filter(|used| **used).count());
    let (mut next, mut parameter_words) = (0usize, 0usize);
    for (at, reg) in builder.registers.in_order(parameters).enumerate() {
        if !used.get(usize::from(reg)).copied().unwrap_or(false) {
            continue;
        }
        let kind = builder.registers.kind(reg);
        if let Some(word) = words.get_mut(usize::from(reg)) {
            *word = next as Reg;
        }
        registers.push(Register { reg: next as Reg, kind });
        next += if kind == RegisterKind::Wide { 2 } else { 1 };
        if next > MOST {
            return Err(LowerError::unsupported(
                0,
                "the method is too large: its frame has more words than we can number",
            ));
        }
        if at + 1 == parameters {
            parameter_words = next;
        }
    }
    Ok((registers.into(), next as u16, parameter_words as u16))
}
