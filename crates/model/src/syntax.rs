//! The syntax tree of a model. It can be built by hand, changed and printed; two trees are equal whatever their positions.

/// A place in a text. All places are equal, so that trees compare by what they say.
#[derive(Clone, Copy, Debug, Default)]
pub struct At {
    /// The line, from 1; 0 for what was never text.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

/// A model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Constants, variables, locks and semaphores.
    pub globals: Vec<Variable>,
    /// Threads; all of them run from the start.
    pub threads: Vec<Thread>,
}

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `final int`: no part of a state.
    Constant,
    /// `int`: accesses of several threads may race.
    Int,
    /// `volatile int`: accesses never race.
    Volatile,
    /// `lock`: a Java monitor.
    Lock,
    /// `semaphore`.
    Semaphore,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Where its name stands.
    pub at: At,
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// How many elements, for an array.
    pub size: Option<Expr>,
    /// What it is at first.
    pub initial: Initial,
}

/// A first value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// 0.
    Zero,
    /// The same for all elements.
    All(Expr),
    /// One for each element.
    Each(Vec<Expr>),
}

/// Threads that do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Where the name stands.
    pub at: At,
    /// Their name.
    pub name: String,
    /// The name by which each knows its number, from 0.
    pub parameter: Option<String>,
    /// How many there are; one without it.
    pub count: Option<Expr>,
    /// Variables of their own.
    pub locals: Vec<Variable>,
    /// What they do.
    pub body: Vec<Statement>,
}

/// A statement and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where.
    pub at: At,
    /// What it does.
    pub command: Command,
}

/// `place = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// What is written.
    pub place: Place,
    /// What it becomes.
    pub value: Expr,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Assignments at once.
    Assign(Vec<Assignment>),
    /// The same, as soon as a condition holds.
    When(Expr, Vec<Assignment>),
    /// Blocks until a condition holds.
    Await(Expr),
    /// Fails unless a condition holds.
    Assert(Expr),
    /// Shows values to whoever compares executions.
    Observe(Vec<Expr>),
    /// Nothing.
    Skip,
    /// Ends the thread.
    Stop,
    /// Takes a lock.
    Acquire(Place),
    /// Gives it back.
    Release(Place),
    /// Takes it, and gives it back at the end, which is there.
    Locked(Place, Vec<Statement>, At),
    /// Gives a lock up until notified.
    Wait(Place),
    /// Wakes one waiter, any of them.
    Notify(Place),
    /// Wakes all waiters.
    NotifyAll(Place),
    /// Adds one to a semaphore.
    Up(Place),
    /// Takes one from it, as soon as it is positive.
    Down(Place),
    /// Any number from the first to the second.
    Choose(Place, Expr, Expr),
    /// Any of the blocks.
    Either(Vec<Vec<Statement>>),
    /// The first block if the condition holds, else the second.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// The block as long as the condition holds.
    While(Expr, Vec<Statement>),
    /// The block for ever.
    Loop(Vec<Statement>),
    /// Simple statements in one step: assignments, assertions and `skip`, after at most one `await`.
    Atomic(Vec<Statement>),
}

/// A name, with an index for an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub at: At,
    /// The name.
    pub name: String,
    /// Which element.
    pub index: Option<Box<Expr>>,
}

/// An expression over 32-bit integers; what holds is 1 and what does not is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(i32),
    /// A constant, variable, element or parameter.
    Place(Place),
    /// `-a`.
    Minus(Box<Expr>),
    /// `!a`.
    Not(Box<Expr>),
    /// `a op b`.
    Binary(Operator, Box<Expr>, Box<Expr>),
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names say it
pub enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
}

impl Operator {
    /// All of them, with how they are written and how strongly they bind.
    pub const ALL: [(Operator, &str, u8); 13] = [
        (Operator::Or, "||", 0),
        (Operator::And, "&&", 1),
        (Operator::Equal, "==", 2),
        (Operator::Unequal, "!=", 2),
        (Operator::Less, "<", 2),
        (Operator::AtMost, "<=", 2),
        (Operator::Greater, ">", 2),
        (Operator::AtLeast, ">=", 2),
        (Operator::Plus, "+", 3),
        (Operator::Minus, "-", 3),
        (Operator::Times, "*", 4),
        (Operator::Divide, "/", 4),
        (Operator::Remainder, "%", 4),
    ];

    /// How it is written.
    pub fn sign(self) -> &'static str {
        Operator::ALL[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_listed_in_their_order() {
        for (position, (operator, sign, _)) in Operator::ALL.into_iter().enumerate() {
            assert_eq!((operator as usize, operator.sign()), (position, sign));
        }
    }
}
