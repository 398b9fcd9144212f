//! A model made ready to run: steps between control points, over one row of words.

use crate::atomicity::Facts;
use crate::discipline::Discipline;
use crate::syntax::{At, Kind, Operator, Program};
use crate::{Error, compile};

/// The control point of a thread that has failed: this bit, the fault, and the step that it failed at.
pub(crate) const FAILED: u32 = 1 << 31;
/// How many bits a step's number has.
pub(crate) const STEP_BITS: u32 = 24;
/// In a lock's word: its owner's number and one. What is above counts how often it was taken again. In the word of a thread
/// that waits: the lock's word and one, and the same count.
pub(crate) const OWNER_BITS: u32 = 21;
/// The lower bits.
pub(crate) const OWNER_MASK: u32 = (1 << OWNER_BITS) - 1;

/// A model that can be run.
#[derive(Clone, Debug)]
pub struct Model {
    /// Whether every statement is a step, or only those that others can see, with all local work after them.
    pub every: bool,
    /// Whether waiting threads may wake up for no reason.
    pub spurious: bool,
    /// Names of variables on which races are allowed.
    pub allowed: Vec<String>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) templates: Vec<Template>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) steps: Vec<Step>,
    /// The words at the start: first those of the variables, then those of each thread.
    pub(crate) initial: Vec<u32>,
    /// What each observation looks at, as text, and where.
    pub(crate) observations: Vec<(String, At)>,
    /// What the text says about its variables.
    pub(crate) facts: Facts,
    /// The user's rules.
    pub(crate) discipline: Option<Discipline>,
}

impl Model {
    /// Makes a program ready. `every` is whether every statement is a step (`--reduce none`) or only those that touch
    /// what is shared, with the local work after them (`base`).
    pub fn new(program: &Program, every: bool) -> Result<Model, Error> {
        compile::compile(program, every)
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.instances.len()
    }

    /// The names of the variables that may be in a race.
    pub fn plain_variables(&self) -> impl Iterator<Item = &str> {
        let plain = self.variables.iter().filter(|one| one.kind == Kind::Int);
        plain.map(|one| &*one.name)
    }

    /// The words that belong to a thread.
    pub(crate) fn words_of(&self, thread: usize) -> std::ops::Range<usize> {
        let next = self.instances.get(thread + 1).map(|next| next.first as usize);
        self.instances[thread].first as usize..next.unwrap_or(self.initial.len())
    }
}

/// A variable, lock or semaphore.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub kind: Kind,
    /// Its first word: of all words for a global one, of its thread's words for a local one.
    pub first: u32,
    pub size: u32,
    pub array: bool,
}

/// Threads that do the same.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub entry: u32,
    /// The control point at its end, and the last of its own.
    pub end: u32,
    pub locals: Vec<Variable>,
}

/// A thread.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub name: String,
    pub template: usize,
    pub parameter: i32,
    /// The word of its control point. The next one says which lock it waits for, and how often it had it; then come its
    /// variables.
    pub first: u32,
}

/// How many words a thread has before its variables.
pub(crate) const THREAD_WORDS: u32 = 2;

/// What leads from one control point to another.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub at: At,
    /// Whether nobody else can see it and it has just one outcome.
    pub silent: bool,
    /// Where it leads.
    pub next: u32,
    pub op: Op,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Nothing comes after this.
    End,
    /// Waits until the guard holds, then carries these out in order.
    Do(Option<Expr>, Vec<Act>),
    /// Goes elsewhere unless the condition holds.
    Branch(Expr, u32),
    Acquire(Cell),
    Release(Cell),
    /// Three steps: gives the lock up, is in the wait set, takes the lock back.
    Wait(Cell),
    Waiting,
    Reacquire,
    Notify(Cell),
    NotifyAll(Cell),
    Up(Cell),
    Down(Cell),
    Choose(Cell, Expr, Expr),
    Either(Vec<u32>),
    /// The number of each observation, and what it looks at.
    Observe(Vec<(u32, Expr)>),
}

/// A part of a step.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Assignments at once.
    Set(Vec<(Cell, Expr)>),
    Assert(Expr),
}

/// A word, or one of several.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub local: bool,
    pub volatile: bool,
    pub first: u32,
    pub size: u32,
    pub index: Option<Box<Expr>>,
}

/// An expression with all names looked up.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(i32),
    Parameter,
    Cell(Cell),
    Minus(Box<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
}

impl Cell {
    /// Whether only its thread can see it, and whether the way to it too.
    pub fn is_local(&self) -> bool {
        self.local && self.index.as_ref().is_none_or(|index| index.is_local())
    }
}

impl Expr {
    /// Whether it reads nothing that others can see.
    pub fn is_local(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Parameter => true,
            Expr::Cell(cell) => cell.is_local(),
            Expr::Minus(inner) | Expr::Not(inner) => inner.is_local(),
            Expr::Binary(_, left, right) => left.is_local() && right.is_local(),
        }
    }
}

/// Why a thread fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Assertion,
    Index,
    Division,
    Owner,
    Range,
    Count,
}

impl Fault {
    const ALL: [Fault; 6] = [
        Fault::Assertion,
        Fault::Index,
        Fault::Division,
        Fault::Owner,
        Fault::Range,
        Fault::Count,
    ];

    /// What happened, in words.
    pub fn text(self) -> &'static str {
        match self {
            Fault::Assertion => "the assertion does not hold",
            Fault::Index => "the index is out of range",
            Fault::Division => "division by zero",
            Fault::Owner => "the thread does not hold the lock",
            Fault::Range => "there is nothing to choose from, or more than 10000 numbers",
            Fault::Count => "the lock or semaphore counts too far",
        }
    }

    /// The control point of a thread that failed at a step.
    pub fn point(self, step: u32) -> u32 {
        FAILED | (self as u32) << STEP_BITS | step
    }

    /// The fault and the step of such a control point.
    pub fn of(point: u32) -> Option<(Fault, u32)> {
        let number = (point & !FAILED) >> STEP_BITS;
        let fault = Fault::ALL.into_iter().find(|fault| *fault as u32 == number)?;
        (point & FAILED != 0).then_some((fault, point & ((1 << STEP_BITS) - 1)))
    }
}

/// What an operator gives; arithmetic is that of Java's `int`.
pub(crate) fn calculate(operator: Operator, left: i32, right: i32) -> Result<i32, Fault> {
    if right == 0 && matches!(operator, Operator::Divide | Operator::Remainder) {
        return Err(Fault::Division);
    }
    Ok(match operator {
        Operator::Or => i32::from(left != 0 || right != 0),
        Operator::And => i32::from(left != 0 && right != 0),
        Operator::Equal => i32::from(left == right),
        Operator::Unequal => i32::from(left != right),
        Operator::Less => i32::from(left < right),
        Operator::AtMost => i32::from(left <= right),
        Operator::Greater => i32::from(left > right),
        Operator::AtLeast => i32::from(left >= right),
        Operator::Plus => left.wrapping_add(right),
        Operator::Minus => left.wrapping_sub(right),
        Operator::Times => left.wrapping_mul(right),
        Operator::Divide => left.wrapping_div(right),
        Operator::Remainder => left.wrapping_rem(right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_java() {
        let cases = [
            (i32::MAX, Operator::Plus, 1, Ok(i32::MIN)),
            (i32::MIN, Operator::Divide, -1, Ok(i32::MIN)),
            (i32::MIN, Operator::Remainder, -1, Ok(0)),
            (-7, Operator::Divide, 2, Ok(-3)),
            (-7, Operator::Remainder, 2, Ok(-1)),
            (1 << 20, Operator::Times, 1 << 20, Ok(0)),
            (1, Operator::Remainder, 0, Err(Fault::Division)),
            (3, Operator::And, 0, Ok(0)),
            (3, Operator::Or, 0, Ok(1)),
            (2, Operator::AtLeast, 2, Ok(1)),
        ];
        for (left, operator, right, expected) in cases {
            assert_eq!(
                calculate(operator, left, right),
                expected,
                "{left} {operator:?} {right}"
            );
        }
    }

    #[test]
    fn control_points_say_what_failed() {
        for fault in Fault::ALL {
            assert_eq!(Fault::of(fault.point(17)), Some((fault, 17)));
        }
        assert_eq!(Fault::of(17), None);
        assert_eq!(Fault::of(u32::MAX), None);
    }
}
