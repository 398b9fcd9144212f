//! Statements.

use super::Parser;
use crate::Error;
use crate::lexer::Token;
use crate::syntax::{Assignment, Command, Place, Statement};

impl Parser {
    /// Statements up to the `}` that ends them.
    pub(super) fn statements(&mut self) -> Result<Vec<Statement>, Error> {
        let mut out = Vec::new();
        while !self.takes("}") {
            let at = self.at();
            self.operators = 0;
            let command = self.nested(Parser::command)?;
            out.push(Statement { at, command });
        }
        Ok(out)
    }

    fn block(&mut self) -> Result<Vec<Statement>, Error> {
        self.expect("{")?;
        self.statements()
    }

    fn command(&mut self) -> Result<Command, Error> {
        let word = match self.token() {
            Token::Name(_) => return self.assign(),
            Token::Sign(word) => *word,
            _ => "",
        };
        let position = self.position;
        self.advance();
        let command = match word {
            "if" => {
                let condition = self.expression()?;
                let yes = self.block()?;
                let no = match self.takes("else") {
                    true if self.sees("if") => {
                        let at = self.at();
                        let command = self.nested(Parser::command)?;
                        vec![Statement { at, command }]
                    }
                    true => self.block()?,
                    false => Vec::new(),
                };
                return Ok(Command::If(condition, yes, no));
            }
            "while" => return Ok(Command::While(self.expression()?, self.block()?)),
            "loop" => return Ok(Command::Loop(self.block()?)),
            "atomic" => return Ok(Command::Atomic(self.block()?)),
            "lock" => {
                let (lock, body) = (self.place()?, self.block()?);
                let end = self.tokens[self.position.saturating_sub(1)].0;
                return Ok(Command::Locked(lock, body, end));
            }
            "choose" if self.sees("{") => return self.either(),
            "choose" => {
                let place = self.place()?;
                self.expect("in")?;
                let low = self.expression()?;
                self.expect("..")?;
                Command::Choose(place, low, self.expression()?)
            }
            "when" => {
                let condition = self.expression()?;
                self.expect(":")?;
                Command::When(condition, self.assignments()?)
            }
            "await" => Command::Await(self.expression()?),
            "assert" => Command::Assert(self.expression()?),
            "observe" => {
                let mut values = vec![self.expression()?];
                while self.takes(",") {
                    values.push(self.expression()?);
                }
                Command::Observe(values)
            }
            "skip" => Command::Skip,
            "stop" => Command::Stop,
            "acquire" => Command::Acquire(self.place()?),
            "release" => Command::Release(self.place()?),
            "wait" => Command::Wait(self.place()?),
            "notify" => Command::Notify(self.place()?),
            "notifyAll" => Command::NotifyAll(self.place()?),
            "up" => Command::Up(self.place()?),
            "down" => Command::Down(self.place()?),
            _ => return self.no_statement(position),
        };
        self.expect(";")?;
        Ok(command)
    }

    /// What to say of the token at a position, which begins no statement.
    fn no_statement(&mut self, position: usize) -> Result<Command, Error> {
        self.position = position;
        if self.sees("int") {
            let message = "variables are declared before the first statement";
            return Err(Error::new(self.at(), message));
        }
        self.wrong("a statement or `}`")
    }

    fn assign(&mut self) -> Result<Command, Error> {
        let command = Command::Assign(self.assignments()?);
        self.expect(";")?;
        Ok(command)
    }

    /// `place = value, place = value, …`
    fn assignments(&mut self) -> Result<Vec<Assignment>, Error> {
        let mut out = Vec::new();
        loop {
            let place: Place = self.place()?;
            self.expect("=")?;
            let value = self.expression()?;
            out.push(Assignment { place, value });
            if !self.takes(",") {
                return Ok(out);
            }
        }
    }

    /// `{ … } or { … } …`
    fn either(&mut self) -> Result<Command, Error> {
        let mut blocks = vec![self.block()?];
        while self.takes("or") {
            blocks.push(self.block()?);
        }
        if blocks.len() == 1 {
            return self.wrong("`or` and another block");
        }
        Ok(Command::Either(blocks))
    }
}
