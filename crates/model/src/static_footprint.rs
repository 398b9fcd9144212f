//! What steps touch, as far as it can be told before they are taken.
//!
//! Which element of an array is meant is known where the index is made of constants and the thread's number, and of its own
//! variables before its very next step. Elsewhere it may be any.

use crate::code::{Act, Cell, Expr, Model, OWNER_MASK, Op, calculate};
use crate::syntax::Operator;
use crate::system::State;
use kernel::{AccessKind, Location, MemoryAccess};

/// What is known of a thread's own variables.
pub(crate) struct StaticFootprint<'m> {
    model: &'m Model,
    thread: usize,
    /// The state, if it is the one in which the step is taken.
    now: Option<&'m State>,
}

impl<'m> StaticFootprint<'m> {
    /// Before a step of a thread, which is taken in the state `now` or, without it, some time.
    pub(crate) fn new(model: &'m Model, thread: usize, now: Option<&'m State>) -> StaticFootprint<'m> {
        StaticFootprint { model, thread, now }
    }

    /// The value of an expression, if it is the same whenever the step is taken.
    pub(crate) fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Number(number) => Some(*number),
            Expr::Parameter => Some(self.model.instances[self.thread].parameter),
            Expr::Cell(cell) if cell.local => {
                let index = self.index(cell)?;
                let word = self.model.instances[self.thread].first + cell.first + index;
                Some(self.now?.words[word as usize] as i32)
            }
            Expr::Cell(_) => None,
            Expr::Minus(inner) => Some(self.value(inner)?.wrapping_neg()),
            Expr::Not(inner) => Some(i32::from(self.value(inner)? == 0)),
            Expr::Binary(operator, left, right) => calculate(*operator, self.value(left)?, self.value(right)?).ok(),
        }
    }

    /// Which element a cell is, if that is known and it is one.
    fn index(&self, cell: &Cell) -> Option<u32> {
        let Some(index) = &cell.index else { return Some(0) };
        u32::try_from(self.value(index)?)
            .ok()
            .filter(|&index| index < cell.size)
    }

    /// The first and the last word that a lock or semaphore may be.
    pub(crate) fn words(&self, cell: &Cell) -> std::ops::Range<u32> {
        match self.index(cell) {
            Some(index) => cell.first + index..cell.first + index + 1,
            None => cell.first..cell.first + cell.size,
        }
    }

    fn location(&self, cell: &Cell) -> Location {
        Location {
            object: cell.first + 1,
            cell: self.index(cell).unwrap_or(Location::WHOLE),
        }
    }

    /// Adds what an expression reads.
    pub(crate) fn reads(&self, expr: &Expr, out: &mut Vec<MemoryAccess>) {
        match expr {
            Expr::Number(_) | Expr::Parameter => {}
            Expr::Cell(cell) => {
                if !cell.local {
                    let access = if cell.volatile {
                        AccessKind::AtomicRead
                    } else {
                        AccessKind::Read
                    };
                    let location = self.location(cell);
                    out.push(MemoryAccess { location, access });
                }
                self.way(cell, out);
            }
            Expr::Minus(inner) | Expr::Not(inner) => self.reads(inner, out),
            Expr::Binary(_, left, right) => {
                self.reads(left, out);
                self.reads(right, out);
            }
        }
    }

    /// Adds what is read to find a cell.
    fn way(&self, cell: &Cell, out: &mut Vec<MemoryAccess>) {
        if let Some(index) = &cell.index {
            self.reads(index, out);
        }
    }

    fn writes(&self, cell: &Cell, out: &mut Vec<MemoryAccess>) {
        self.way(cell, out);
        if !cell.local {
            let access = if cell.volatile {
                AccessKind::AtomicWrite
            } else {
                AccessKind::Write
            };
            let location = self.location(cell);
            out.push(MemoryAccess { location, access });
        }
    }

    /// Adds what a step touches.
    pub(crate) fn touches(&self, state: &State, op: &Op, out: &mut Vec<MemoryAccess>) {
        let monitor = |word: u32, access: AccessKind| MemoryAccess {
            location: Location {
                object: word + 1,
                cell: Location::MONITOR,
            },
            access,
        };
        match op {
            Op::End => {}
            Op::Do(guard, acts) => {
                if let Some(guard) = guard {
                    self.reads(guard, out);
                }
                for act in acts {
                    match act {
                        Act::Assert(condition) => self.reads(condition, out),
                        Act::Set(sets) => {
                            for (cell, value) in sets {
                                self.reads(value, out);
                                self.writes(cell, out);
                            }
                        }
                    }
                }
            }
            Op::Branch(condition, _) => self.reads(condition, out),
            Op::Acquire(lock) => {
                self.way(lock, out);
                out.extend(self.words(lock).map(|word| monitor(word, AccessKind::Acquire)));
            }
            Op::Release(lock) | Op::Wait(lock) | Op::Notify(lock) | Op::NotifyAll(lock) => {
                self.way(lock, out);
                out.extend(self.words(lock).map(|word| monitor(word, AccessKind::Release)));
            }
            Op::Waiting | Op::Reacquire => {
                let locks = self.awaited(state);
                out.extend(locks.into_iter().map(|word| monitor(word, AccessKind::Acquire)));
            }
            Op::Up(semaphore) | Op::Down(semaphore) => {
                self.way(semaphore, out);
                out.extend(self.words(semaphore).map(|word| MemoryAccess {
                    location: Location {
                        object: word + 1,
                        cell: 0,
                    },
                    access: AccessKind::AtomicWrite,
                }));
            }
            Op::Choose(cell, low, high) => {
                self.reads(low, out);
                self.reads(high, out);
                self.writes(cell, out);
            }
            Op::Either(_) => {}
            Op::Observe(values) => values.iter().for_each(|(_, value)| self.reads(value, out)),
        }
    }

    /// The locks that a thread in the midst of waiting may wait for: the one it waits for now, or any that it may wait for later.
    pub(crate) fn awaited(&self, state: &State) -> Vec<u32> {
        if self.now.is_some() {
            let first = self.model.instances[self.thread].first as usize;
            return (state.words[first + 1] & OWNER_MASK)
                .checked_sub(1)
                .into_iter()
                .collect();
        }
        let template = self.model.instances[self.thread].template;
        let mut locks: Vec<u32> = Vec::new();
        for step in self.model.steps_of(template) {
            if let Op::Wait(lock) = &self.model.steps[step].op {
                locks.extend(self.words(lock));
            }
        }
        locks
    }
}

/// Whether the value of an expression may not exist.
pub(crate) fn may_fail(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Parameter => false,
        Expr::Cell(cell) => match cell.index.as_deref() {
            None => false,
            Some(Expr::Number(number)) => !u32::try_from(*number).is_ok_and(|number| number < cell.size),
            // It fails always or never.
            Some(Expr::Parameter) => false,
            Some(_) => true,
        },
        Expr::Minus(inner) | Expr::Not(inner) => may_fail(inner),
        Expr::Binary(operator, left, right) => {
            matches!(operator, Operator::Divide | Operator::Remainder) || may_fail(left) || may_fail(right)
        }
    }
}

/// The parts of a condition all of which must hold.
pub(crate) fn parts<'e>(condition: &'e Expr, out: &mut Vec<&'e Expr>) {
    match condition {
        Expr::Binary(Operator::And, left, right) => {
            parts(left, out);
            parts(right, out);
        }
        _ => out.push(condition),
    }
}

/// Whether an expression reads variables of the thread.
pub(crate) fn has_locals(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Parameter => false,
        Expr::Cell(cell) => cell.local || cell.index.as_deref().is_some_and(has_locals),
        Expr::Minus(inner) | Expr::Not(inner) => has_locals(inner),
        Expr::Binary(_, left, right) => has_locals(left) || has_locals(right),
    }
}

impl Model {
    /// The numbers of a template's steps.
    pub(crate) fn steps_of(&self, template: usize) -> std::ops::RangeInclusive<usize> {
        let first = template
            .checked_sub(1)
            .map_or(0, |before| self.templates[before].end + 1);
        first as usize..=self.templates[template].end as usize
    }
}
