//! What is wrong with a formula.

use std::fmt;

/// A text that is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What is wrong: lower case, no full stop.
    pub message: String,
}

impl Error {
    /// An error at a byte of a text.
    pub fn at(text: &str, offset: usize, message: impl Into<String>) -> Error {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Error {
            line: before.matches('\n').count() as u32 + 1,
            column: line.chars().count() as u32 + 1,
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// A formula whose automaton would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the automaton of this formula is too large: try several smaller formulas")
    }
}

impl std::error::Error for TooLarge {}
