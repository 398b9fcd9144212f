//! From tokens to the syntax tree, by recursive descent.

mod expression;
mod statement;

use crate::Error;
use crate::lexer::{Token, tokens};
use crate::syntax::{At, Expr, Initial, Kind, Program, Thread, Variable};

/// How deep statements and expressions may be nested: what reads trees is recursive, and the stack is not endless.
const DEEPEST: usize = 100;
/// How many operators a statement or declaration may have, for the same reason: `1 + 1 + 1` is deep on its left side.
const MOST_OPERATORS: usize = 1000;

/// Reads a model.
pub fn parse(text: &str) -> Result<Program, Error> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        position: 0,
        depth: 0,
        operators: 0,
    };
    parser.program()
}

struct Parser {
    tokens: Vec<(At, Token)>,
    position: usize,
    depth: usize,
    operators: usize,
}

impl Parser {
    fn at(&self) -> At {
        self.tokens[self.position].0
    }

    fn token(&self) -> &Token {
        &self.tokens[self.position].1
    }

    /// Goes on by one token; never beyond the end.
    fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    fn sees(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(seen) if *seen == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let sees = self.sees(sign);
        if sees {
            self.advance();
        }
        sees
    }

    fn wrong<T>(&self, expected: &str) -> Result<T, Error> {
        Err(Error::new(
            self.at(),
            format!("expected {expected}, found {}", self.token()),
        ))
    }

    fn expect(&mut self, sign: &str) -> Result<(), Error> {
        if self.takes(sign) {
            return Ok(());
        }
        self.wrong(&format!("`{sign}`"))
    }

    fn name(&mut self, what: &str) -> Result<String, Error> {
        match self.token() {
            Token::Name(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => self.wrong(what),
        }
    }

    /// Goes one level deeper, if that is not too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= DEEPEST {
            let message = format!("this is nested more than {DEEPEST} levels deep");
            return Err(Error::new(self.at(), message));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn program(&mut self) -> Result<Program, Error> {
        let mut program = Program::default();
        loop {
            if self.takes("thread") {
                program.threads.push(self.thread()?);
            } else if self.takes("lock") {
                self.variables(Kind::Lock, &mut program.globals)?;
            } else if self.takes("semaphore") {
                self.variables(Kind::Semaphore, &mut program.globals)?;
            } else if self.takes("final") {
                self.expect("int")?;
                self.variables(Kind::Constant, &mut program.globals)?;
            } else if self.takes("volatile") {
                self.expect("int")?;
                self.variables(Kind::Volatile, &mut program.globals)?;
            } else if self.takes("int") {
                self.variables(Kind::Int, &mut program.globals)?;
            } else if *self.token() == Token::End {
                return Ok(program);
            } else {
                return self.wrong("`int`, `volatile int`, `final int`, `lock`, `semaphore` or `thread`");
            }
        }
    }

    /// `name, name[size] = value, …;`
    fn variables(&mut self, kind: Kind, out: &mut Vec<Variable>) -> Result<(), Error> {
        loop {
            let at = self.at();
            self.operators = 0;
            let name = self.name("a name")?;
            let size = self.bracketed()?;
            let initial = match self.sees("=") {
                true if kind == Kind::Lock => {
                    return Err(Error::new(self.at(), "a lock has no value: it is free at first"));
                }
                true => {
                    self.advance();
                    self.initial(size.is_some())?
                }
                false if kind == Kind::Constant => return self.wrong("`=` and the value of the constant"),
                false => Initial::Zero,
            };
            out.push(Variable {
                at,
                kind,
                name,
                size,
                initial,
            });
            if !self.takes(",") {
                break;
            }
        }
        self.expect(";")
    }

    fn initial(&mut self, array: bool) -> Result<Initial, Error> {
        if !array || !self.takes("{") {
            return Ok(Initial::All(self.expression()?));
        }
        let mut values = Vec::new();
        loop {
            values.push(self.expression()?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Initial::Each(values))
    }

    /// `[expression]`, if there is one.
    fn bracketed(&mut self) -> Result<Option<Expr>, Error> {
        if !self.takes("[") {
            return Ok(None);
        }
        let inner = self.expression()?;
        self.expect("]")?;
        Ok(Some(inner))
    }

    /// `name(parameter) [count] { locals statements }`
    fn thread(&mut self) -> Result<Thread, Error> {
        let at = self.at();
        let name = self.name("the name of the thread")?;
        let mut parameter = None;
        if self.takes("(") {
            parameter = Some(self.name("the name by which the thread knows its number")?);
            self.expect(")")?;
        }
        let count = self.bracketed()?;
        self.expect("{")?;
        let mut locals = Vec::new();
        while self.takes("int") {
            self.variables(Kind::Int, &mut locals)?;
        }
        let body = self.statements()?;
        Ok(Thread {
            at,
            name,
            parameter,
            count,
            locals,
            body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, expected: &str) {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), expected, "{text}");
    }

    #[test]
    fn errors_say_what_was_expected() {
        fails("int x", "1:6: expected `;`, found the end of the text");
        fails("int if;", "1:5: expected a name, found `if`");
        fails(
            "final int n;",
            "1:12: expected `=` and the value of the constant, found `;`",
        );
        fails("lock m = 1;", "1:8: a lock has no value: it is free at first");
        fails(
            "x = 1;",
            "1:1: expected `int`, `volatile int`, `final int`, `lock`, `semaphore` or `thread`, found `x`",
        );
        fails("thread { }", "1:8: expected the name of the thread, found `{`");
        fails("int x; thread t { x = ; }", "1:23: expected an expression, found `;`");
        fails("int x; thread t { x 1; }", "1:21: expected `=`, found `1`");
        fails("int x; thread t { x = 1 < 2 < 3; }", "1:29: expected `;`, found `<`");
        fails(
            "thread t { int x; skip; int y; }",
            "1:25: variables are declared before the first statement",
        );
        fails(
            "thread t { choose { skip; } }",
            "1:29: expected `or` and another block, found `}`",
        );
        fails(
            "thread t { skip; ",
            "1:18: expected a statement or `}`, found the end of the text",
        );
        fails("thread t { frob m; }", "1:17: expected `=`, found `m`");
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = |open: &str, close: &str, times: usize| {
            let (open, close) = (open.repeat(times), close.repeat(times));
            format!("int x; thread t {{ x = {open}1{close}; }}")
        };
        parse(&deep("(", ")", 50)).expect("not too deep");
        for (open, close) in [("(", ")"), ("-", ""), ("!", ""), ("1-(", ")"), ("x[", "]")] {
            let error = parse(&deep(open, close, 100_000)).expect_err("too deep");
            assert!(error.message.contains("100 levels"), "{error}");
        }
        let error = parse(&deep("1+", "", 100_000)).expect_err("too long");
        assert!(error.message.contains("1000 operators"), "{error}");
        let blocks = format!("thread t {{ {} }}", "loop { ".repeat(100_000));
        assert!(parse(&blocks).expect_err("too deep").message.contains("100 levels"));
    }
}
