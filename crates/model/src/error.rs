//! What is wrong with a text, and where.

use crate::syntax::At;
use std::fmt;

/// A text that is no model.
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
    /// An error at a place.
    pub fn new(at: At, message: impl Into<String>) -> Error {
        Error {
            line: at.line,
            column: at.column,
            message: message.into(),
        }
    }

    /// The message with its place in a file, the line and a caret below what is wrong.
    pub fn show(&self, file: &str, text: &str) -> String {
        let place = format!("{file}:{}:{}: {}", self.line, self.column, self.message);
        let line = text.lines().nth(self.line.saturating_sub(1) as usize).unwrap_or("");
        // A caret lands where it should only if tabs and the like are as wide as what stands above them.
        let shown: String = line
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(self.column.saturating_sub(1) as usize);
        format!("{place}\n{number} | {}\n{margin} | {indent}^", shown.trim_end())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_stands_below_what_is_wrong() {
        let error = Error::new(At { line: 2, column: 3 }, "no such thing");
        assert_eq!(
            error.show("a.rad", "int x;\n\tyz\n"),
            "a.rad:2:3: no such thing\n2 |  yz\n  |   ^"
        );
        let beyond = Error::new(At { line: 9, column: 1 }, "expected more");
        assert_eq!(beyond.show("a.rad", ""), "a.rad:9:1: expected more\n9 | \n  | ^");
    }
}
