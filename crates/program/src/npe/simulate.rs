//! A sweep over the bytecode that says, for each instruction, which instruction pushed each slot of the operand stack.

use super::Code;
use crate::classfile::Constant;
use crate::descriptor;

/// Beyond so many slots in all stacks together the sweep gives up, as HotSpot's does.
const MOST_SLOTS: usize = 1_000_000;
/// Beyond so many steps too: only code made to annoy needs more than a few sweeps.
const MOST_STEPS: usize = 4_000_000;

/// An operand stack, and which local variables may have been assigned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stack {
    /// The instruction that pushed each slot; `None` where paths with different ones meet.
    slots: Vec<Option<u16>>,
    /// One bit for each of the first 64 local variables.
    written: u64,
}

impl Stack {
    /// The instruction that pushed the slot this far below the top.
    pub fn source(&self, below_top: usize) -> Option<usize> {
        let place = self.slots.len().checked_sub(below_top)?.checked_sub(1)?;
        self.slots.get(place).copied().flatten().map(usize::from)
    }

    /// Whether a local variable may have been assigned. Of those beyond 63 nothing is known.
    pub fn was_written(&self, local: u16) -> bool {
        local >= 64 || self.written & (1 << local) != 0
    }

    fn write(&mut self, local: u16, words: u16) {
        for local in local..local.saturating_add(words).min(64) {
            self.written |= 1 << local;
        }
    }

    fn push(&mut self, bci: usize, words: u32) {
        for _ in 0..words {
            self.slots.push(u16::try_from(bci).ok());
        }
    }

    fn pop(&mut self, words: u32) -> Option<()> {
        let left = self.slots.len().checked_sub(words as usize)?;
        self.slots.truncate(left);
        Some(())
    }

    /// Copies the top `count` slots and puts them `below` slots deeper.
    fn duplicate(&mut self, count: usize, below: usize) -> Option<()> {
        let start = self.slots.len().checked_sub(count)?;
        let target = start.checked_sub(below)?;
        let copy = self.slots.get(start..)?.to_vec();
        self.slots.splice(target..target, copy);
        Some(())
    }

    /// Keeps what both paths agree on.
    fn merge(&mut self, other: &Stack) {
        for (slot, other) in self.slots.iter_mut().zip(&other.slots) {
            if slot != other {
                *slot = None;
            }
        }
        self.written |= other.written;
    }
}

/// The stack before each instruction that the sweep has come to.
pub(super) struct Simulation<'a> {
    code: &'a Code<'a>,
    stacks: Vec<Option<Stack>>,
    slots: usize,
    steps: usize,
    added: bool,
}

/// What an instruction does to control.
#[derive(Default)]
struct Flow {
    length: usize,
    ends: bool,
    targets: Vec<usize>,
}

impl<'a> Simulation<'a> {
    /// Sweeps until the stack at `bci` is known. What was found before an instruction that cannot be simulated is kept.
    pub fn run(code: &'a Code<'a>, bci: usize) -> Simulation<'a> {
        let mut stacks = Vec::new();
        stacks.resize_with(code.bytes.len(), || None);
        let mut simulation = Simulation {
            code,
            stacks,
            slots: 0,
            steps: 0,
            added: true,
        };
        if let Some(first) = simulation.stacks.first_mut() {
            *first = Some(Stack::default());
        }
        for handler in &code.info.handlers {
            let target = usize::from(handler.target);
            if let Some(place) = simulation.stacks.get_mut(target).filter(|place| place.is_none()) {
                let mut stack = Stack::default();
                stack.push(target, 1);
                *place = Some(stack);
            }
        }
        simulation.sweep(bci);
        simulation
    }

    /// The stack before the instruction at `bci`, if the sweep has come there.
    pub fn stack(&self, bci: usize) -> Option<&Stack> {
        self.stacks.get(bci)?.as_ref()
    }

    fn sweep(&mut self, wanted: usize) -> Option<()> {
        let mut complete = false;
        while !complete && self.added {
            (complete, self.added) = (true, false);
            let mut bci = 0;
            while bci < self.code.bytes.len() {
                let known = self.stack(bci).is_some();
                complete &= known;
                bci += self.step(bci)?;
                if bci == wanted && self.stack(bci).is_some() {
                    return Some(());
                }
                self.steps += 1;
                if self.slots > MOST_SLOTS || self.steps > MOST_STEPS {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Simulates one instruction; gives its length.
    fn step(&mut self, bci: usize) -> Option<usize> {
        let Some(mut stack) = self.stack(bci).cloned() else {
            return length(self.code, bci);
        };
        let flow = execute(self.code, bci, &mut stack)?;
        for target in &flow.targets {
            self.join(*target, &stack);
        }
        if !flow.ends {
            self.join(bci + flow.length, &stack);
        }
        Some(flow.length)
    }

    /// Brings a stack to an instruction.
    fn join(&mut self, bci: usize, stack: &Stack) {
        match self.stacks.get_mut(bci) {
            Some(Some(known)) => known.merge(stack),
            Some(place) => {
                *place = Some(stack.clone());
                self.added = true;
                self.slots += stack.slots.len();
            }
            None => {}
        }
    }
}

/// The length of the instruction at `bci`.
fn length(code: &Code<'_>, bci: usize) -> Option<usize> {
    let (opcode, operand, wide) = code.instruction(bci)?;
    let operands = match opcode {
        16 | 18 | 21..=25 | 54..=58 | 169 | 188 => 1 + usize::from(wide),
        17 | 19 | 20 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 2,
        132 => 2 * (1 + usize::from(wide)),
        185 | 186 | 200 | 201 => 4,
        197 => 3,
        170 | 171 => {
            let table = (bci | 3) + 1;
            let rows = match opcode {
                170 => i64::from(code.i4(table + 8)?) - i64::from(code.i4(table + 4)?) + 1,
                _ => i64::from(code.i4(table + 4)?) * 2,
            };
            let head = if opcode == 170 { 12 } else { 8 };
            let rows = usize::try_from(rows).ok().filter(|rows| *rows <= code.bytes.len())?;
            table + head + rows * 4 - operand
        }
        _ => 0,
    };
    Some(operand - bci + operands)
}

fn execute(code: &Code<'_>, bci: usize, stack: &mut Stack) -> Option<Flow> {
    let (opcode, operand, wide) = code.instruction(bci)?;
    let mut flow = Flow {
        length: length(code, bci)?,
        ..Flow::default()
    };
    if let Some((pops, pushes)) = simple_effect(opcode) {
        stack.pop(pops)?;
        stack.push(bci, pushes);
        return Some(flow);
    }
    let target = |offset: i32| usize::try_from(i64::try_from(bci).ok()? + i64::from(offset)).ok();
    match opcode {
        // A cast leaves the slot alone: it still holds what was pushed before. And iinc (132) is no assignment to HotSpot.
        0 | 132 | 192 => {}
        54..=58 => {
            let words = if matches!(opcode, 55 | 57) { 2 } else { 1 };
            stack.pop(u32::from(words))?;
            stack.write(code.local(operand, wide)?, words);
        }
        59..=78 => {
            let (kind, local) = ((opcode - 59) / 4, (opcode - 59) % 4);
            let words = if matches!(kind, 1 | 3) { 2 } else { 1 };
            stack.pop(u32::from(words))?;
            stack.write(u16::from(local), words);
        }
        89 => stack.duplicate(1, 0)?,
        90 => stack.duplicate(1, 1)?,
        91 => stack.duplicate(1, 2)?,
        92 => stack.duplicate(2, 0)?,
        93 => stack.duplicate(2, 1)?,
        94 => stack.duplicate(2, 2)?,
        95 => {
            let top = stack.slots.len();
            let (one, other) = (top.checked_sub(1)?, top.checked_sub(2)?);
            stack.slots.swap(one, other);
        }
        153..=168 | 198 | 199 => {
            match opcode {
                159..=166 => stack.pop(2)?,
                153..=158 | 198 | 199 => stack.pop(1)?,
                168 => stack.push(bci, 1),
                _ => {}
            }
            flow.targets.extend(target(i32::from(code.u2(operand)?.cast_signed())));
            flow.ends = matches!(opcode, 167 | 168);
        }
        200 | 201 => {
            if opcode == 201 {
                stack.push(bci, 1);
            }
            flow.targets.extend(target(code.i4(operand)?));
            flow.ends = true;
        }
        170 | 171 => {
            stack.pop(1)?;
            let end = bci + flow.length;
            let table = (bci | 3) + 1;
            flow.targets.extend(target(code.i4(table)?));
            // After the default come the bounds, or the number of pairs and the first key.
            for at in (table + 12..end).step_by(if opcode == 170 { 4 } else { 8 }) {
                flow.targets.extend(target(code.i4(at)?));
            }
            flow.ends = true;
        }
        169 | 172..=177 | 191 => flow.ends = true,
        178..=181 => {
            let words = field_words(code, code.u2(operand)?)?;
            match opcode {
                178 => stack.push(bci, words),
                179 => stack.pop(words)?,
                180 => {
                    stack.pop(1)?;
                    stack.push(bci, words);
                }
                _ => stack.pop(words + 1)?,
            }
        }
        182..=186 => {
            let descriptor = call_descriptor(code, code.u2(operand)?)?;
            let receiver = u32::from(!matches!(opcode, 184 | 186));
            stack.pop(descriptor::argument_words(descriptor) + receiver)?;
            stack.push(
                bci,
                descriptor::return_type(descriptor).map_or(0, |(_, kind)| kind.words()),
            );
        }
        197 => {
            stack.pop(u32::from(code.u1(operand + 2)?))?;
            stack.push(bci, 1);
        }
        _ => return None,
    }
    Some(flow)
}

/// How many words an instruction pops and then pushes, for those that do nothing else.
fn simple_effect(opcode: u8) -> Option<(u32, u32)> {
    Some(match opcode {
        1..=8 | 11..=13 | 16..=19 | 187 => (0, 1),
        9 | 10 | 14 | 15 | 20 => (0, 2),
        21 | 23 | 25 | 26..=29 | 34..=37 | 42..=45 => (0, 1),
        22 | 24 | 30..=33 | 38..=41 => (0, 2),
        46 | 48 | 50..=53 => (2, 1),
        47 | 49 => (2, 2),
        79 | 81 | 83..=86 => (3, 0),
        80 | 82 => (4, 0),
        87 => (1, 0),
        88 => (2, 0),
        // Arithmetic comes in the order int, long, float, double; the shifts and bit operations without the last two.
        96 | 98 | 100 | 102 | 104 | 106 | 108 | 110 | 112 | 114 | 120 | 122 | 124 | 126 | 128 | 130 => (2, 1),
        97 | 99 | 101 | 103 | 105 | 107 | 109 | 111 | 113 | 115 | 127 | 129 | 131 => (4, 2),
        116 | 118 => (1, 1),
        117 | 119 => (2, 2),
        121 | 123 | 125 => (3, 2),
        133 | 135 | 140 | 141 => (1, 2),
        134 | 139 | 145..=147 => (1, 1),
        136 | 137 | 142 | 144 => (2, 1),
        138 | 143 => (2, 2),
        148 | 151 | 152 => (4, 1),
        149 | 150 => (2, 1),
        188 | 189 | 190 | 193 => (1, 1),
        194 | 195 => (1, 0),
        _ => return None,
    })
}

/// The words of the field behind a Field constant.
pub(super) fn field_words(code: &Code<'_>, index: u16) -> Option<u32> {
    let (_, _, descriptor) = code.file.pool.member(index);
    descriptor::Kind::of(descriptor).map(descriptor::Kind::words)
}

fn call_descriptor<'a>(code: &Code<'a>, index: u16) -> Option<&'a str> {
    let pool = &code.file.pool;
    let descriptor = match *pool.get(index) {
        Constant::Method(_, member) | Constant::InterfaceMethod(_, member) | Constant::InvokeDynamic(_, member) => {
            pool.name_and_type(member).1
        }
        _ => return None,
    };
    descriptor.starts_with('(').then_some(descriptor)
}
