//! Registers while a method is translated: one for each local variable or stack slot and kind of value.
//!
//! They are numbered in the order in which they are first asked for; those that the finished code mentions get their
//! frame words at the end.

use crate::ir::{Reg, RegisterKind};

/// What a register stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// A local variable.
    Local(u32),
    /// A slot of the operand stack; those beyond the deepest are scratch.
    Stack(u32),
    /// The lock of a synchronized method.
    Lock,
}

/// Not asked for yet.
const ABSENT: Reg = Reg::MAX;

/// The most registers, and the most frame words, that a method may have.
pub(super) const MOST: usize = 65000;

/// All registers of a method.
#[derive(Default)]
pub(super) struct Registers {
    locals: Vec<[Reg; 3]>,
    stack: Vec<[Reg; 3]>,
    lock: Option<Reg>,
    homes: Vec<(Home, RegisterKind)>,
    /// How many entries of the symbolic stack are each register.
    held: Vec<u32>,
    /// More than [`MOST`] were asked for.
    pub overflow: bool,
}

impl Registers {
    /// Begins a method with this many local variables and stack slots.
    pub fn reset(&mut self, locals: u16, stack: u16) {
        self.locals.clear();
        self.locals.resize(locals.into(), [ABSENT; 3]);
        self.stack.clear();
        self.stack.resize(usize::from(stack) + 1, [ABSENT; 3]);
        self.lock = None;
        self.homes.clear();
        self.held.clear();
        self.overflow = false;
    }

    fn add(&mut self, home: Home, kind: RegisterKind) -> Reg {
        if self.homes.len() >= MOST {
            self.overflow = true;
            return 0;
        }
        self.homes.push((home, kind));
        self.held.push(0);
        (self.homes.len() - 1) as Reg
    }

    /// The register of a local variable.
    #[inline]
    pub fn local(&mut self, slot: u32, kind: RegisterKind) -> Reg {
        match self.locals.get(slot as usize) {
            Some(row) if row[kind as usize] != ABSENT => row[kind as usize],
            _ => {
                let reg = self.add(Home::Local(slot), kind);
                if let Some(row) = self.locals.get_mut(slot as usize) {
                    row[kind as usize] = reg;
                }
                reg
            }
        }
    }

    /// The register of a local variable if it has been asked for.
    pub fn known_local(&self, slot: u32, kind: RegisterKind) -> Option<Reg> {
        self.locals
            .get(slot as usize)
            .map(|row| row[kind as usize])
            .filter(|&reg| reg != ABSENT)
    }

    /// The register of a stack slot.
    #[inline]
    pub fn stack(&mut self, slot: u32, kind: RegisterKind) -> Reg {
        match self.stack.get(slot as usize) {
            Some(row) if row[kind as usize] != ABSENT => row[kind as usize],
            _ => {
                let reg = self.add(Home::Stack(slot), kind);
                if self.stack.len() <= slot as usize && !self.overflow {
                    self.stack.resize(slot as usize + 1, [ABSENT; 3]);
                }
                if let Some(row) = self.stack.get_mut(slot as usize) {
                    row[kind as usize] = reg;
                }
                reg
            }
        }
    }

    /// The register of the lock.
    pub fn lock(&mut self) -> Reg {
        let reg = self.add(Home::Lock, RegisterKind::Ref);
        self.lock = Some(reg);
        reg
    }

    pub fn len(&self) -> usize {
        self.homes.len()
    }

    pub fn kind(&self, reg: Reg) -> RegisterKind {
        self.homes
            .get(usize::from(reg))
            .map_or(RegisterKind::Word, |home| home.1)
    }

    pub fn home(&self, reg: Reg) -> Home {
        self.homes.get(usize::from(reg)).map_or(Home::Lock, |home| home.0)
    }

    /// Whether the register holds a value of the operand stack and nothing else.
    pub fn is_stack(&self, reg: Reg) -> bool {
        matches!(self.home(reg), Home::Stack(_))
    }

    pub fn held(&self, reg: Reg) -> u32 {
        self.held.get(usize::from(reg)).copied().unwrap_or(0)
    }

    pub fn hold(&mut self, reg: Reg) {
        if let Some(count) = self.held.get_mut(usize::from(reg)) {
            *count += 1;
        }
    }

    pub fn release(&mut self, reg: Reg) {
        if let Some(count) = self.held.get_mut(usize::from(reg)) {
            *count = count.saturating_sub(1);
        }
    }

    /// All registers in the order of their frame words: parameters, local variables, the lock, the stack.
    pub fn in_order(&self, parameters: usize) -> impl Iterator<Item = Reg> {
        let rest = move |reg: &Reg| *reg != ABSENT && usize::from(*reg) >= parameters;
        let locals = self.locals.iter().flatten().copied().filter(rest);
        let stack = self.stack.iter().flatten().copied().filter(rest);
        (0..parameters)
            .map(|reg| reg as Reg)
            .chain(locals)
            .chain(self.lock)
            .chain(stack)
    }

    /// A stack register beyond the deepest slot that no entry of the symbolic stack is.
    pub fn scratch(&mut self, deepest: u32, kind: RegisterKind) -> Reg {
        let mut slot = deepest;
        loop {
            let reg = self.stack(slot, kind);
            if self.held(reg) == 0 || self.overflow {
                return reg;
            }
            slot += 1;
        }
    }
}
