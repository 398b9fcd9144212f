//! From text to tokens.

use crate::Error;
use crate::syntax::{At, Operator};
use std::fmt;

/// Words that are no names.
const WORDS: [&str; 29] = [
    "acquire",
    "assert",
    "atomic",
    "await",
    "choose",
    "down",
    "else",
    "false",
    "final",
    "if",
    "in",
    "int",
    "lock",
    "loop",
    "notify",
    "notifyAll",
    "observe",
    "or",
    "release",
    "semaphore",
    "skip",
    "stop",
    "thread",
    "true",
    "up",
    "volatile",
    "wait",
    "when",
    "while",
];

/// Signs; a longer one comes before those that it begins with.
const SIGNS: [&str; 28] = [
    "||", "&&", "==", "!=", "<=", ">=", "..", "<", ">", "=", "+", "-", "*", "/", "%", "!", "(", ")", "{", "}", "[",
    "]", ";", ",", ":", ".", "&", "|",
];

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name that the model gives.
    Name(String),
    /// A number, as large as the absolute value of any `int`.
    Number(u32),
    /// A word or sign of the language.
    Sign(&'static str),
    /// The end of the text.
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => write!(f, "the end of the text"),
        }
    }
}

/// The tokens of a text, each with its place; the last is [`Token::End`].
pub fn tokens(text: &str) -> Result<Vec<(At, Token)>, Error> {
    let mut out = Vec::new();
    let mut at = At { line: 1, column: 1 };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => match rest.find("*/") {
                Some(end) => end + 2,
                None => return Err(Error::new(at, "this comment has no end: expected `*/`")),
            },
            _ => {
                let (token, length) = token(rest, first, at)?;
                out.push((at, token));
                length
            }
        };
        for letter in rest[..length].chars() {
            if letter == '\n' {
                at = At {
                    line: at.line + 1,
                    column: 1,
                };
            } else {
                at.column += 1;
            }
        }
        rest = &rest[length..];
    }
    out.push((at, Token::End));
    Ok(out)
}

/// How deep an expression may be nested: what reads it is recursive, and the stack is not endless.
const DEEPEST: usize = 200;
/// How many operators a text may have, for the same reason: `1 + 1 + 1` is deep on its left side.
const MOST_OPERATORS: usize = 1000;

/// Goes over the tokens of a text.
pub struct Cursor {
    tokens: Vec<(At, Token)>,
    at: usize,
    depth: usize,
    operators: usize,
}

impl Cursor {
    /// At the beginning of a text.
    pub fn new(text: &str) -> Result<Cursor, Error> {
        let tokens = tokens(text)?;
        Ok(Cursor {
            tokens,
            at: 0,
            depth: 0,
            operators: 0,
        })
    }

    /// What comes next.
    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    /// What comes so much later.
    pub fn ahead(&self, by: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + by).min(last)].1
    }

    /// Where that is.
    pub fn place(&self) -> At {
        self.tokens[self.at].0
    }

    /// Goes on; never beyond the end.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// An error here.
    pub fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::new(self.place(), message))
    }

    /// Steps over a sign or word if it is there.
    pub fn take(&mut self, wanted: &str) -> bool {
        let found = match self.peek() {
            Token::Sign(sign) => *sign == wanted,
            Token::Name(name) => name == wanted,
            _ => false,
        };
        if found {
            self.advance();
        }
        found
    }

    /// Steps over a sign or word that must be there.
    pub fn expect(&mut self, wanted: &str) -> Result<(), Error> {
        match self.take(wanted) {
            true => Ok(()),
            false => self.wrong(format!("expected `{wanted}` instead of {}", self.peek())),
        }
    }

    /// Numbers of lines in parentheses, each one that is `known`.
    pub fn lines(&mut self, known: impl Fn(u32) -> bool) -> Result<Vec<u32>, Error> {
        self.expect("(")?;
        let mut lines = Vec::new();
        loop {
            let Token::Number(line) = *self.peek() else {
                return self.wrong(format!("expected the number of a line instead of {}", self.peek()));
            };
            if !known(line) {
                return self.wrong(format!("no statement begins at line {line}"));
            }
            self.advance();
            lines.push(line);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(lines)
    }
}

/// Reads expressions: `or`, `and`, comparisons and sums over terms of its own.
pub trait Expressions {
    /// What an expression becomes.
    type Term;

    /// Makes the negation of a term.
    const NOT: fn(Box<Self::Term>) -> Self::Term;

    /// Makes the negative of a term.
    const MINUS: fn(Box<Self::Term>) -> Self::Term;

    /// Where it is read.
    fn cursor(&mut self) -> &mut Cursor;

    /// A term that is no sum, no comparison and so on, nor in parentheses.
    fn single(&mut self) -> Result<Self::Term, Error>;

    /// Two terms put together.
    fn joined(&self, operator: Operator, left: Self::Term, right: Self::Term) -> Self::Term;

    /// A whole expression.
    fn expression(&mut self) -> Result<Self::Term, Error> {
        let mut left = self.both()?;
        while self.cursor().take("||") || self.cursor().take("or") {
            let right = self.deeper(Self::both)?;
            left = self.join(Operator::Or, left, right)?;
        }
        Ok(left)
    }

    /// What `or` puts together.
    fn both(&mut self) -> Result<Self::Term, Error> {
        let mut left = self.comparison()?;
        while self.cursor().take("&&") || self.cursor().take("and") {
            let right = self.deeper(Self::comparison)?;
            left = self.join(Operator::And, left, right)?;
        }
        Ok(left)
    }

    /// What `and` puts together.
    fn comparison(&mut self) -> Result<Self::Term, Error> {
        let left = self.sum()?;
        for (operator, sign, binds) in Operator::ALL {
            if binds == 2 && self.cursor().take(sign) {
                let right = self.sum()?;
                return self.join(operator, left, right);
            }
        }
        Ok(left)
    }

    /// What is compared.
    fn sum(&mut self) -> Result<Self::Term, Error> {
        let mut left = self.deeper(Self::term)?;
        loop {
            let operator = match () {
                () if self.cursor().take("+") => Operator::Plus,
                () if self.cursor().take("-") => Operator::Minus,
                () => return Ok(left),
            };
            let right = self.deeper(Self::term)?;
            left = self.join(operator, left, right)?;
        }
    }

    /// What is added.
    fn term(&mut self) -> Result<Self::Term, Error> {
        if self.cursor().take("(") {
            let inner = self.expression()?;
            self.cursor().expect(")")?;
            return Ok(inner);
        }
        let not = self.cursor().take("!") || self.cursor().take("not");
        if not || self.cursor().take("-") {
            let inner = Box::new(self.deeper(Self::term)?);
            return Ok(if not { Self::NOT(inner) } else { Self::MINUS(inner) });
        }
        self.single()
    }

    /// Puts two terms together, if there are not too many.
    fn join(&mut self, operator: Operator, left: Self::Term, right: Self::Term) -> Result<Self::Term, Error> {
        self.cursor().operators += 1;
        if self.cursor().operators > MOST_OPERATORS {
            return self
                .cursor()
                .wrong(format!("there are more than {MOST_OPERATORS} operators in this text"));
        }
        Ok(self.joined(operator, left, right))
    }

    /// Reads something that is part of something else, if that is not too deep.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.cursor().depth >= DEEPEST {
            return self
                .cursor()
                .wrong(format!("this is nested more than {DEEPEST} levels deep"));
        }
        self.cursor().depth += 1;
        let read = inner(self);
        self.cursor().depth -= 1;
        read
    }
}

/// The token that a text begins with, and its length.
fn token(rest: &str, first: char, at: At) -> Result<(Token, usize), Error> {
    if first.is_ascii_alphanumeric() || first == '_' {
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let word = &rest[..end.unwrap_or(rest.len())];
        let token = if first.is_ascii_digit() {
            let number = word.parse::<u32>().ok().filter(|&number| number <= 1 << 31);
            Token::Number(number.ok_or_else(|| Error::new(at, format!("`{word}` is no number below 2147483648")))?)
        } else {
            match WORDS.iter().find(|known| **known == word) {
                Some(known) => Token::Sign(known),
                None => Token::Name(word.to_owned()),
            }
        };
        return Ok((token, word.len()));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => Err(Error::new(
            at,
            match first.is_control() {
                true => format!("`{}` has no meaning here", first.escape_default()),
                false => format!("`{first}` has no meaning here"),
            },
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_know_their_places() {
        let got = tokens("int x; // x\n  /* y\n*/ x<=10..").expect("tokens");
        let got: Vec<(u32, u32, String)> = got
            .iter()
            .map(|(at, token)| (at.line, at.column, token.to_string()))
            .collect();
        let expected = [
            (1, 1, "`int`"),
            (1, 5, "`x`"),
            (1, 6, "`;`"),
            (3, 4, "`x`"),
            (3, 5, "`<=`"),
            (3, 7, "`10`"),
            (3, 9, "`..`"),
            (3, 11, "the end of the text"),
        ];
        assert_eq!(
            got,
            expected.map(|(line, column, text)| (line, column, text.to_owned()))
        );
    }

    #[test]
    fn what_is_no_token_is_told() {
        for (text, place) in [
            ("int é", "1:5"),
            ("\n /* x", "2:2"),
            ("12x", "1:1"),
            ("4294967296", "1:1"),
        ] {
            let error = tokens(text).expect_err(text);
            assert!(error.to_string().starts_with(place), "{error}");
        }
    }
}
