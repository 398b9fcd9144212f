//! What one step does: reads, writes, and the locations it touches on the way.

use crate::code::{Act, Cell, Expr, Fault, Model, OWNER_BITS, OWNER_MASK, Op, Step, calculate};
use crate::syntax::Operator;
use crate::system::{State, What};
use kernel::{AccessKind, Location, MemoryAccess};

/// How many numbers there may be to choose from.
const MOST_CHOICES: i64 = 10_000;

/// Whether a step can be taken, and in how many ways.
pub(crate) enum Ready {
    /// It has to wait.
    No,
    /// In one way.
    Yes,
    /// In so many.
    Choices(u32),
    /// By notifying one of these.
    Wakes(Vec<u32>),
}

/// A thread at work.
pub(crate) struct Run<'a> {
    model: &'a Model,
    state: &'a mut State,
    thread: usize,
    /// Whether the locations that are touched are collected, in the state's `touches`.
    records: bool,
}

impl<'a> Run<'a> {
    /// A thread of a state.
    pub fn new(model: &'a Model, state: &'a mut State, thread: usize, records: bool) -> Run<'a> {
        Run {
            model,
            state,
            thread,
            records,
        }
    }

    fn owner(&self) -> u32 {
        self.thread as u32 + 1
    }

    fn first(&self) -> u32 {
        self.model.instances[self.thread].first
    }

    fn touch(&mut self, object: u32, cell: u32, access: AccessKind) {
        if !self.records {
            return;
        }
        let touch = MemoryAccess {
            location: Location { object, cell },
            access,
        };
        if !self.state.touches.contains(&touch) {
            self.state.touches.push(touch);
        }
    }

    /// Which element of a variable is meant, and its word.
    fn locate(&mut self, cell: &Cell) -> Result<(u32, u32), Fault> {
        let index = match &cell.index {
            Some(index) => self.value(index)?,
            None => 0,
        };
        let index = u32::try_from(index).ok().filter(|&index| index < cell.size);
        let index = index.ok_or(Fault::Index)?;
        let base = if cell.local { self.first() } else { 0 };
        Ok((index, base + cell.first + index))
    }

    fn access(&mut self, cell: &Cell, index: u32, plain: AccessKind, atomic: AccessKind) {
        if !cell.local {
            // Object 0 is the clock's.
            self.touch(cell.first + 1, index, if cell.volatile { atomic } else { plain });
        }
    }

    fn read(&mut self, cell: &Cell) -> Result<i32, Fault> {
        let (index, word) = self.locate(cell)?;
        self.access(cell, index, AccessKind::Read, AccessKind::AtomicRead);
        Ok(self.state.words[word as usize] as i32)
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr) -> Result<i32, Fault> {
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Parameter => Ok(self.model.instances[self.thread].parameter),
            Expr::Cell(cell) => self.read(cell),
            Expr::Minus(inner) => Ok(self.value(inner)?.wrapping_neg()),
            Expr::Not(inner) => Ok(i32::from(self.value(inner)? == 0)),
            Expr::Binary(Operator::And, left, right) => {
                Ok(i32::from(self.value(left)? != 0 && self.value(right)? != 0))
            }
            Expr::Binary(Operator::Or, left, right) => Ok(i32::from(self.value(left)? != 0 || self.value(right)? != 0)),
            Expr::Binary(operator, left, right) => calculate(*operator, self.value(left)?, self.value(right)?),
        }
    }

    /// The word of a lock, which is an object of its own.
    pub fn lock(&mut self, cell: &Cell, access: AccessKind) -> Result<u32, Fault> {
        let (_, word) = self.locate(cell)?;
        self.touch(word + 1, Location::MONITOR, access);
        Ok(word)
    }

    /// The word of a lock that the thread holds.
    fn held(&mut self, cell: &Cell) -> Result<u32, Fault> {
        let word = self.lock(cell, AccessKind::Release)?;
        match self.state.words[word as usize] & OWNER_MASK {
            owner if owner == self.owner() => Ok(word),
            _ => Err(Fault::Owner),
        }
    }

    fn semaphore(&mut self, cell: &Cell) -> Result<u32, Fault> {
        let (_, word) = self.locate(cell)?;
        self.touch(word + 1, 0, AccessKind::AtomicWrite);
        Ok(word)
    }

    /// The lock that the thread waits for or wants back, as a word, and how often it had it.
    pub fn waits_for(&self) -> (u32, u32) {
        let word = self.state.words[self.first() as usize + 1];
        ((word & OWNER_MASK).wrapping_sub(1), word >> OWNER_BITS)
    }

    /// Whether a step can be taken. A fault means that it can, and fails.
    pub fn ready(&mut self, step: &Step) -> Result<Ready, Fault> {
        let yes = match &step.op {
            Op::Do(Some(guard), _) => self.value(guard)? != 0,
            Op::Acquire(lock) => {
                let word = self.lock(lock, AccessKind::Acquire)?;
                let owner = self.state.words[word as usize] & OWNER_MASK;
                owner == 0 || owner == self.owner()
            }
            Op::Reacquire => self.state.words[self.waits_for().0 as usize] == 0,
            Op::Waiting | Op::End => false,
            Op::Down(semaphore) => {
                let word = self.semaphore(semaphore)?;
                self.state.words[word as usize] != 0
            }
            Op::Notify(lock) => {
                let word = self.held(lock)?;
                let waiters = self.waiters(word);
                return Ok(if waiters.is_empty() {
                    Ready::Yes
                } else {
                    Ready::Wakes(waiters)
                });
            }
            Op::Choose(_, low, high) => {
                let (low, high) = (self.value(low)?, self.value(high)?);
                return match i64::from(high) - i64::from(low) + 1 {
                    count @ 1..=MOST_CHOICES => Ok(Ready::Choices(count as u32)),
                    _ => Err(Fault::Range),
                };
            }
            Op::Either(targets) => return Ok(Ready::Choices(targets.len() as u32)),
            _ => true,
        };
        Ok(if yes { Ready::Yes } else { Ready::No })
    }

    /// The threads in the wait set of a lock.
    fn waiters(&self, word: u32) -> Vec<u32> {
        let waits = |thread: &usize| {
            let first = self.model.instances[*thread].first as usize;
            let step = self.model.steps.get(self.state.words[first] as usize);
            step.is_some_and(|step| matches!(step.op, Op::Waiting))
                && self.state.words[first + 1] & OWNER_MASK == word + 1
        };
        let waiting = (0..self.model.instances.len()).filter(waits);
        waiting.map(|thread| thread as u32).collect()
    }

    /// Puts a thread that waits before taking its lock back.
    fn wake(&mut self, thread: u32) {
        let first = self.model.instances[thread as usize].first;
        let point = self.state.words[first as usize];
        self.state.set(first, point + 1);
    }

    /// Carries a step out; where it leads. After a fault, the state is to be set back.
    pub fn execute(&mut self, step: &Step, what: What) -> Result<u32, Fault> {
        match &step.op {
            Op::End => {}
            Op::Do(_, acts) => acts.iter().try_for_each(|act| self.act(act))?,
            Op::Branch(condition, otherwise) => {
                if self.value(condition)? == 0 {
                    return Ok(*otherwise);
                }
            }
            Op::Acquire(lock) => {
                let word = self.lock(lock, AccessKind::Acquire)?;
                let value = match self.state.words[word as usize] {
                    0 => self.owner(),
                    value => value.checked_add(1 << OWNER_BITS).ok_or(Fault::Count)?,
                };
                self.state.set(word, value);
            }
            Op::Release(lock) => {
                let word = self.held(lock)?;
                let value = self.state.words[word as usize];
                self.state.set(word, value.saturating_sub(1 << OWNER_BITS));
            }
            Op::Wait(lock) => {
                let word = self.held(lock)?;
                let count = self.state.words[word as usize] >> OWNER_BITS;
                self.state.set(word, 0);
                self.state.set(self.first() + 1, count << OWNER_BITS | (word + 1));
            }
            Op::Waiting => self.touch(self.waits_for().0 + 1, Location::MONITOR, AccessKind::Acquire),
            Op::Reacquire => {
                let (word, count) = self.waits_for();
                self.touch(word + 1, Location::MONITOR, AccessKind::Acquire);
                self.state.set(word, count << OWNER_BITS | self.owner());
                self.state.set(self.first() + 1, 0);
            }
            Op::Notify(lock) => {
                self.held(lock)?;
                if let What::Wake(thread) = what {
                    self.wake(thread);
                }
            }
            Op::NotifyAll(lock) => {
                let word = self.held(lock)?;
                self.waiters(word).into_iter().for_each(|thread| self.wake(thread));
            }
            Op::Up(semaphore) => {
                let word = self.semaphore(semaphore)?;
                let value = (self.state.words[word as usize] as i32).checked_add(1);
                self.state.set(word, value.ok_or(Fault::Count)? as u32);
            }
            Op::Down(semaphore) => {
                let word = self.semaphore(semaphore)?;
                self.state.set(word, self.state.words[word as usize].wrapping_sub(1));
            }
            Op::Choose(cell, low, high) => {
                self.ready(step)?;
                let (low, _) = (self.value(low)?, self.value(high)?);
                let number = if let What::Choose(number) = what { number } else { 0 };
                let (index, word) = self.locate(cell)?;
                self.access(cell, index, AccessKind::Write, AccessKind::AtomicWrite);
                self.state.set(word, low.wrapping_add(number as i32) as u32);
            }
            Op::Either(targets) => {
                let number = if let What::Choose(number) = what { number } else { 0 };
                return Ok(targets.get(number as usize).copied().unwrap_or(step.next));
            }
            Op::Observe(values) => {
                for (_, value) in values {
                    self.value(value)?;
                }
            }
        }
        Ok(step.next)
    }

    fn act(&mut self, act: &Act) -> Result<(), Fault> {
        match act {
            Act::Assert(condition) => match self.value(condition)? {
                0 => Err(Fault::Assertion),
                _ => Ok(()),
            },
            Act::Set(sets) => match &sets[..] {
                [(cell, value)] => {
                    let value = self.value(value)?;
                    let (index, word) = self.locate(cell)?;
                    self.access(cell, index, AccessKind::Write, AccessKind::AtomicWrite);
                    self.state.set(word, value as u32);
                    Ok(())
                }
                _ => self.set_at_once(sets),
            },
        }
    }

    /// Looks at everything before anything changes.
    fn set_at_once(&mut self, sets: &[(Cell, Expr)]) -> Result<(), Fault> {
        let mut writes = Vec::with_capacity(sets.len());
        for (cell, value) in sets {
            let value = self.value(value)?;
            writes.push((self.locate(cell)?, value));
        }
        for ((cell, _), ((index, word), value)) in sets.iter().zip(writes) {
            self.access(cell, index, AccessKind::Write, AccessKind::AtomicWrite);
            self.state.set(word, value as u32);
        }
        Ok(())
    }
}
