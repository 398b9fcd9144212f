//! From the syntax tree back to text: parsing what is printed gives the same tree.

use crate::syntax::{Assignment, Command, Expr, Initial, Kind, Place, Program, Statement, Thread, Variable};
use std::fmt::{self, Display, Formatter, Result};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for variable in &self.globals {
            writeln!(f, "{variable}")?;
        }
        self.threads.iter().try_for_each(|thread| writeln!(f, "{thread}"))
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let kind = match self.kind {
            Kind::Constant => "final int",
            Kind::Int => "int",
            Kind::Volatile => "volatile int",
            Kind::Lock => "lock",
            Kind::Semaphore => "semaphore",
        };
        write!(f, "{kind} {}", self.name)?;
        if let Some(size) = &self.size {
            write!(f, "[{size}]")?;
        }
        match &self.initial {
            Initial::Zero => {}
            Initial::All(value) => write!(f, " = {value}")?,
            Initial::Each(values) => write!(f, " = {{{}}}", listed(values))?,
        }
        write!(f, ";")
    }
}

impl Display for Thread {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "thread {}", self.name)?;
        if let Some(parameter) = &self.parameter {
            write!(f, "({parameter})")?;
        }
        if let Some(count) = &self.count {
            write!(f, " [{count}]")?;
        }
        writeln!(f, " {{")?;
        for local in &self.locals {
            writeln!(f, "    {local}")?;
        }
        write!(f, "{}}}", Lines(&self.body, 1))
    }
}

/// Statements, indented.
struct Lines<'a>(&'a [Statement], usize);

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for statement in self.0 {
            write!(f, "{:width$}", "", width = self.1 * 4)?;
            command(f, &statement.command, self.1)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn command(f: &mut Formatter<'_>, command: &Command, depth: usize) -> Result {
    let block = |f: &mut Formatter<'_>, head: &dyn Display, body: &[Statement]| {
        let (lines, width) = (Lines(body, depth + 1), depth * 4);
        write!(f, "{head} {{\n{lines}{:width$}}}", "")
    };
    match command {
        Command::Assign(assignments) => write!(f, "{};", listed(assignments)),
        Command::When(condition, assignments) => write!(f, "when {condition}: {};", listed(assignments)),
        Command::Await(condition) => write!(f, "await {condition};"),
        Command::Assert(condition) => write!(f, "assert {condition};"),
        Command::Observe(values) => write!(f, "observe {};", listed(values)),
        Command::Skip => write!(f, "skip;"),
        Command::Stop => write!(f, "stop;"),
        Command::Acquire(lock) => write!(f, "acquire {lock};"),
        Command::Release(lock) => write!(f, "release {lock};"),
        Command::Locked(lock, body, _) => block(f, &format_args!("lock {lock}"), body),
        Command::Wait(lock) => write!(f, "wait {lock};"),
        Command::Notify(lock) => write!(f, "notify {lock};"),
        Command::NotifyAll(lock) => write!(f, "notifyAll {lock};"),
        Command::Up(semaphore) => write!(f, "up {semaphore};"),
        Command::Down(semaphore) => write!(f, "down {semaphore};"),
        Command::Choose(place, low, high) => write!(f, "choose {place} in {low}..{high};"),
        Command::Either(blocks) => {
            for (position, body) in blocks.iter().enumerate() {
                block(f, &if position == 0 { "choose" } else { " or" }, body)?;
            }
            Ok(())
        }
        Command::If(condition, yes, no) => {
            block(f, &format_args!("if ({condition})"), yes)?;
            match &no[..] {
                [] => Ok(()),
                _ => block(f, &" else", no),
            }
        }
        Command::While(condition, body) => block(f, &format_args!("while ({condition})"), body),
        Command::Loop(body) => block(f, &"loop", body),
        Command::Atomic(body) => block(f, &"atomic", body),
    }
}

impl Display for Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} = {}", self.place, self.value)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.index {
            Some(index) => write!(f, "{}[{index}]", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Place(place) => write!(f, "{place}"),
            // `-5` is a number, `-(5)` is not.
            Expr::Minus(inner) if matches!(**inner, Expr::Place(_)) => write!(f, "-{inner}"),
            Expr::Minus(inner) => write!(f, "-({inner})"),
            Expr::Not(inner) => write!(f, "!{}", Operand(inner)),
            Expr::Binary(operator, left, right) => {
                write!(f, "{} {} {}", Operand(left), operator.sign(), Operand(right))
            }
        }
    }
}

/// An expression that is part of another.
struct Operand<'a>(&'a Expr);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Expr::Binary(..) => write!(f, "({})", self.0),
            inner => write!(f, "{inner}"),
        }
    }
}

fn listed<T: Display>(items: &[T]) -> impl Display {
    let mut out = String::new();
    for (position, item) in items.iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = fmt::Write::write_fmt(&mut out, format_args!("{comma}{item}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::parse;

    #[test]
    fn what_is_printed_is_parsed_to_the_same() {
        let text = "final int n = -2147483648; int x, a[3] = {0, 1, -1}; volatile int v = 1; lock m[2]; semaphore s = 2;
            thread t(i) [2] { int y = i; int b[2];
              x = 1, y = -(5) + - y * (2 - (3 - 1)); when x > 0 && !(v == 1) || true: x = !x; await x == 2;
              if (x < 1) { skip; } else if (x != a[x % 3]) { stop; } if (1) { } while (x >= 2) { observe x, -(-3); }
              lock m[i] { wait m[i]; notify m[0]; notifyAll m[1]; } acquire m[0]; release m[0]; up s; down s;
              choose y in 0..n - 1; choose { x = 1; } or { } or { assert y == 1 / 2; } loop { atomic { await v; v = 0; } } }
            thread u { }";
        let tree = parse(text).expect("a model");
        let printed = tree.to_string();
        let again = parse(&printed).unwrap_or_else(|error| panic!("{}", error.show("printed", &printed)));
        assert_eq!(again, tree, "{printed}");
        assert_eq!(again.to_string(), printed);
    }
}
