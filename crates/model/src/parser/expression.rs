//! Expressions.

use super::{MOST_OPERATORS, Parser};
use crate::Error;
use crate::lexer::Token;
use crate::syntax::{Expr, Operator, Place};

/// How strongly comparisons bind: the one level whose operators do not chain.
const COMPARISON: u8 = 2;
/// One more than the strongest.
const STRONGEST: u8 = 5;

impl Parser {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Error> {
        self.binary(0)
    }

    fn binary(&mut self, level: u8) -> Result<Expr, Error> {
        if level == STRONGEST {
            return self.nested(Parser::unary);
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                let message = format!("a statement has at most {MOST_OPERATORS} operators");
                return Err(Error::new(self.at(), message));
            }
            self.advance();
            let right = self.binary(level + 1)?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
            if level == COMPARISON {
                break;
            }
        }
        Ok(left)
    }

    fn operator(&self, level: u8) -> Option<Operator> {
        let Token::Sign(seen) = self.token() else { return None };
        let found = Operator::ALL.iter().find(|(_, sign, of)| *of == level && sign == seen);
        found.map(|(operator, _, _)| *operator)
    }

    fn unary(&mut self) -> Result<Expr, Error> {
        let at = self.at();
        if self.takes("!") {
            return Ok(Expr::Not(Box::new(self.nested(Parser::unary)?)));
        }
        let minus = self.takes("-");
        if let Token::Number(number) = *self.token() {
            self.advance();
            let number = if minus { -i64::from(number) } else { number.into() };
            return match i32::try_from(number) {
                Ok(number) => Ok(Expr::Number(number)),
                Err(_) => Err(Error::new(at, format!("`{number}` is no number below 2147483648"))),
            };
        }
        if minus {
            return Ok(Expr::Minus(Box::new(self.nested(Parser::unary)?)));
        }
        if self.takes("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("true") {
            return Ok(Expr::Number(1));
        }
        if self.takes("false") {
            return Ok(Expr::Number(0));
        }
        match self.token() {
            Token::Name(_) => Ok(Expr::Place(self.place()?)),
            _ => self.wrong("an expression"),
        }
    }

    /// `name` or `name[index]`.
    pub(super) fn place(&mut self) -> Result<Place, Error> {
        let at = self.at();
        let name = self.name("a name")?;
        let index = self.bracketed()?.map(Box::new);
        Ok(Place { at, name, index })
    }
}
