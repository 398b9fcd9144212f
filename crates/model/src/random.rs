//! Random programs: small, with few values, and using all of the language. For tests that compare ways of exploring.
//!
//! The states are finitely many: values are taken modulo 3, and what could count up (semaphores, locks taken without a
//! block) is not done in loops. Some programs deadlock, fail or race, and some do not.

use crate::syntax::{
    Assignment, At, Command, Expr, Initial, Kind, Operator, Place, Program, Statement, Thread, Variable,
};

/// A program, the same for the same seed.
pub fn random(seed: u64) -> Program {
    let mut draw = Draw::new(seed);
    let mut program = Program {
        globals: vec![
            declare(Kind::Constant, "n", None, Initial::All(Expr::Number(2))),
            declare(Kind::Int, "x", None, Initial::Zero),
            declare(Kind::Volatile, "v", None, Initial::All(Expr::Number(draw.below(2)))),
            declare(Kind::Volatile, "w", None, Initial::Zero),
            declare(
                Kind::Int,
                "a",
                Some(name("n")),
                Initial::Each(vec![Expr::Number(0), Expr::Number(1)]),
            ),
            declare(Kind::Lock, "m", Some(name("n")), Initial::Zero),
            declare(Kind::Lock, "l", None, Initial::Zero),
            declare(Kind::Semaphore, "s", None, Initial::All(Expr::Number(draw.below(2)))),
        ],
        threads: Vec::new(),
    };
    let twins = draw.one_in(3);
    let threads = if twins { 1 } else { 2 + draw.below(2) };
    for number in 0..threads {
        let mut writer = Writer {
            draw: &mut draw,
            parameter: twins,
            held: Vec::new(),
            loops: 0,
            left: 3 + 6 / (threads as usize + usize::from(twins)),
        };
        let mut body = Vec::new();
        while writer.left > 0 {
            body.push(writer.statement(0));
        }
        program.threads.push(Thread {
            at: At::default(),
            name: ["t", "u", "r"][number as usize].to_owned(),
            parameter: twins.then(|| "i".to_owned()),
            count: twins.then_some(Expr::Number(2)),
            locals: vec![declare(Kind::Int, "y", None, Initial::Zero)],
            body,
        });
    }
    program
}

fn declare(kind: Kind, name: &str, size: Option<Expr>, initial: Initial) -> Variable {
    Variable {
        at: At::default(),
        kind,
        name: name.to_owned(),
        size,
        initial,
    }
}

fn place(name: &str, index: Option<Expr>) -> Place {
    Place {
        at: At::default(),
        name: name.to_owned(),
        index: index.map(Box::new),
    }
}

fn name(name: &str) -> Expr {
    Expr::Place(place(name, None))
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

/// Random numbers: xorshift64*, seeded through a multiplication so that small seeds differ.
struct Draw(u64);

impl Draw {
    fn new(seed: u64) -> Draw {
        Draw((seed ^ 0x5bf0_3635).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: i32) -> i32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        (mixed % end.max(1) as u64) as i32
    }

    fn one_in(&mut self, end: i32) -> bool {
        self.below(end) == 0
    }
}

/// Writes one thread.
struct Writer<'a> {
    draw: &'a mut Draw,
    /// Whether the thread knows its number, as `i`.
    parameter: bool,
    /// The locks of the blocks around.
    held: Vec<Place>,
    /// How many loops are around.
    loops: usize,
    /// How many statements may still come.
    left: usize,
}

impl Writer<'_> {
    /// A value between -2 and 2, most often.
    fn value(&mut self) -> Expr {
        match self.draw.below(12) {
            0..=2 => Expr::Number(self.draw.below(3)),
            3 => name("x"),
            4 | 5 => name("v"),
            6 => name("w"),
            7 => Expr::Place(self.element()),
            8 if self.parameter => name("i"),
            9 if self.draw.one_in(8) => binary(Operator::Divide, Expr::Number(2), name("y")),
            10 => {
                let sign = if self.draw.one_in(2) {
                    Operator::Plus
                } else {
                    Operator::Minus
                };
                let sum = binary(sign, self.value(), Expr::Number(1));
                binary(Operator::Remainder, sum, Expr::Number(3))
            }
            11 if self.draw.one_in(4) => Expr::Minus(Box::new(name("y"))),
            _ => name("y"),
        }
    }

    fn element(&mut self) -> Place {
        let index = match self.draw.below(8) {
            0 => name("y"),
            1 => binary(Operator::Times, name("v"), name("v")),
            2 | 3 if self.parameter => name("i"),
            _ => Expr::Number(self.draw.below(2)),
        };
        place("a", Some(index))
    }

    fn condition(&mut self) -> Expr {
        let signs = [Operator::Equal, Operator::Unequal, Operator::Less, Operator::AtLeast];
        let sign = signs[self.draw.below(4) as usize];
        let plain = binary(sign, self.value(), Expr::Number(self.draw.below(3)));
        match self.draw.below(8) {
            0 => binary(Operator::And, plain, self.value()),
            1 => binary(Operator::Or, plain, self.value()),
            2 => Expr::Not(Box::new(plain)),
            _ => plain,
        }
    }

    fn target(&mut self) -> Place {
        match self.draw.below(8) {
            0 => place("x", None),
            1..=3 => place("v", None),
            4 => place("w", None),
            5 => self.element(),
            _ => place("y", None),
        }
    }

    fn assignment(&mut self) -> Assignment {
        let value = binary(Operator::Remainder, self.value(), Expr::Number(3));
        Assignment {
            place: self.target(),
            value,
        }
    }

    fn lock(&mut self) -> Place {
        match self.draw.below(4) {
            0 if self.parameter => place("m", Some(name("i"))),
            0 | 1 => place("m", Some(Expr::Number(self.draw.below(2)))),
            _ => place("l", None),
        }
    }

    /// A lock that is held, most often.
    fn own_lock(&mut self) -> Place {
        match self.held.last() {
            Some(held) if !self.draw.one_in(12) => held.clone(),
            _ => self.lock(),
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let count = 1 + self.draw.below(2);
        (0..count).map(|_| self.statement(depth + 1)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        self.left = self.left.saturating_sub(1);
        let command = match self.draw.below(if depth < 2 { 30 } else { 19 }) {
            0..=4 => Command::Assign(vec![self.assignment()]),
            5 => Command::Assign(vec![self.assignment(), self.assignment()]),
            6 => Command::When(self.condition(), vec![self.assignment()]),
            7 => Command::Await(self.condition()),
            8 if self.draw.one_in(2) => Command::Assert(self.condition()),
            9 | 10 => Command::Observe(vec![self.value(), name("v")]),
            11 => Command::Choose(place("y", None), Expr::Number(0), Expr::Number(1)),
            12 => Command::Down(place("s", None)),
            13 if self.loops == 0 => Command::Up(place("s", None)),
            14 if !self.held.is_empty() => Command::Wait(self.own_lock()),
            15 if !self.held.is_empty() => Command::Notify(self.own_lock()),
            16 if !self.held.is_empty() => Command::NotifyAll(self.own_lock()),
            17 if self.draw.one_in(4) => Command::Stop,
            18 if self.loops == 0 && self.draw.one_in(3) => Command::Acquire(self.lock()),
            19..=23 => {
                let lock = self.lock();
                self.held.push(lock.clone());
                let body = self.block(depth);
                self.held.pop();
                Command::Locked(lock, body, At::default())
            }
            24 => Command::If(self.condition(), self.block(depth), Vec::new()),
            25 => Command::If(self.condition(), self.block(depth), self.block(depth)),
            26 | 27 => {
                self.loops += 1;
                let (condition, body) = (self.condition(), self.block(depth));
                self.loops -= 1;
                if self.draw.one_in(6) {
                    Command::Loop(body)
                } else {
                    Command::While(condition, body)
                }
            }
            28 => Command::Either(vec![self.block(depth), self.block(depth)]),
            29 => {
                let mut body = vec![
                    Command::Assign(vec![self.assignment()]),
                    Command::Assign(vec![self.assignment()]),
                ];
                if self.draw.one_in(2) {
                    body.insert(0, Command::Await(self.condition()));
                }
                Command::Atomic(body.into_iter().map(stated).collect())
            }
            _ => Command::Skip,
        };
        stated(command)
    }
}

fn stated(command: Command) -> Statement {
    let at = At::default();
    Statement { at, command }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, parse};

    #[test]
    fn random_programs_are_programs() {
        for seed in 0..1000 {
            let program = random(seed);
            let text = program.to_string();
            let again = parse(&text).unwrap_or_else(|error| panic!("{}", error.show("random", &text)));
            assert_eq!(again, program, "{text}");
            Model::new(&again, false).unwrap_or_else(|error| panic!("{}", error.show("random", &text)));
        }
    }
}
