//! Which registers may still be read: backward dataflow over the finished code, exception edges included.

use crate::ir::{Code, Liveness};

/// What one method may cost, in handlers looked at for each instruction and in passes over the code.
const LARGEST_WORK: u64 = 1 << 24;
const MOST_PASSES: usize = 64;

/// Works out the live registers at every instruction of a method.
///
/// SOUNDNESS: a register that is left out is one that no execution reads before it writes it. Where a hostile method
/// would take too long, everything counts as live.
pub fn liveness(code: &Code) -> Liveness {
    let stride = code.registers.len().div_ceil(64);
    let rows = code.instrs.len();
    let mut live = Liveness {
        stride,
        across: rows * stride,
        bits: vec![0; 2 * rows * stride].into(),
    };
    if stride == 0 {
        return live;
    }
    let mut positions = vec![u16::MAX; usize::from(code.frame_words)];
    for (position, register) in code.registers.iter().enumerate() {
        if let Some(slot) = positions.get_mut(usize::from(register.reg)) {
            *slot = position as u16;
        }
    }
    let mut flow = Flow {
        code,
        positions,
        row: vec![0; stride],
    };
    let too_long = rows as u64 * code.handlers.len() as u64 > LARGEST_WORK;
    let settled = !too_long && (0..MOST_PASSES).any(|_| !flow.pass(&mut live) || !flow.has_loops());
    if !settled {
        live.bits.fill(u64::MAX);
    }
    live
}

struct Flow<'a> {
    code: &'a Code,
    /// Position in [`Code::registers`] of the register that begins at each frame word.
    positions: Vec<u16>,
    row: Vec<u64>,
}

impl Flow<'_> {
    fn position(&self, reg: u16) -> Option<usize> {
        self.positions
            .get(usize::from(reg))
            .copied()
            .filter(|&position| position != u16::MAX)
            .map(usize::from)
    }

    /// Whether an edge goes back: only then does one pass not see everything.
    fn has_loops(&self) -> bool {
        let mut back = self.code.handlers.iter().any(|handler| handler.target < handler.end);
        for (pc, instr) in self.code.instrs.iter().enumerate() {
            instr.targets(self.code, |target| back |= target as usize <= pc);
        }
        back
    }

    /// One pass over the code from its end; gives whether another one is needed.
    fn pass(&mut self, live: &mut Liveness) -> bool {
        let code = self.code;
        let stride = live.stride;
        let mut again = false;
        for (pc, instr) in code.instrs.iter().enumerate().rev() {
            let mut row = std::mem::take(&mut self.row);
            row.fill(0);
            if instr.falls_through() {
                join(&mut row, live, pc + 1);
            }
            instr.targets(code, |target| join(&mut row, live, target as usize));
            if let Some(at) = instr.def(code).and_then(|reg| self.position(reg)) {
                clear(&mut row, at);
            }
            if !code.handlers.is_empty() && instr.may_throw() {
                let covers = |handler: &&crate::ir::Handler| (handler.start..handler.end).contains(&(pc as u32));
                for handler in code.handlers.iter().filter(covers) {
                    let received = self.position(handler.reg);
                    let was = received.is_some_and(|at| is_set(&row, at));
                    join(&mut row, live, handler.target as usize);
                    if let (Some(at), false) = (received, was) {
                        clear(&mut row, at);
                    }
                    if handler.class.is_none() {
                        break;
                    }
                }
            }
            store(&row, &mut live.bits, live.across + pc * stride);
            instr.uses(code, |reg| {
                if let Some(at) = self.position(reg)
                    && let Some(word) = row.get_mut(at / 64)
                {
                    *word |= 1 << (at % 64);
                }
            });
            if store(&row, &mut live.bits, pc * stride) {
                again = true;
            }
            self.row = row;
        }
        again
    }
}

fn join(row: &mut [u64], live: &Liveness, pc: usize) {
    if pc * live.stride >= live.across {
        return;
    }
    let from = live.bits.get(pc * live.stride..).unwrap_or(&[]);
    for (word, other) in row.iter_mut().zip(from) {
        *word |= other;
    }
}

fn is_set(row: &[u64], at: usize) -> bool {
    row.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn clear(row: &mut [u64], at: usize) {
    if let Some(word) = row.get_mut(at / 64) {
        *word &= !(1 << (at % 64));
    }
}

/// Writes a row; gives whether it differs from what was there.
fn store(row: &[u64], bits: &mut [u64], start: usize) -> bool {
    match bits.get_mut(start..start + row.len()) {
        Some(old) if old != row => {
            old.copy_from_slice(row);
            true
        }
        _ => false,
    }
}
