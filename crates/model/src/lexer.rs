//! From text to tokens.

use crate::Error;
use crate::syntax::At;
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
pub(crate) enum Token {
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
pub(crate) fn tokens(text: &str) -> Result<Vec<(At, Token)>, Error> {
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
            format!("`{}` has no meaning here", first.escape_default()),
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
