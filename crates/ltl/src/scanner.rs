//! Goes over the text of a formula: words, signs, and atoms as a whole.
//!
//! An atom is what others understand: `x`, `done(t[1])`, `thread("clerk").at(12)`, sums and comparisons of such. It ends before a logical or
//! temporal operator, a comma or a closing parenthesis; what stands in parentheses or brackets within it is not looked into.

use crate::Error;

/// Signs between the parts of an atom; a longer one comes before those that it begins with.
const SIGNS: [&str; 11] = ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%"];

/// How many of these compare.
const COMPARISONS: usize = 6;

/// Signs that are operators of formulas although an atom's sign begins like them.
const NOT_SIGNS: [&str; 3] = ["<->", "<>", "->"];

/// A place in a text.
pub(crate) struct Scanner<'t> {
    pub text: &'t str,
    /// The byte that comes next.
    pub at: usize,
}

/// An atom as it stands in a text.
pub(crate) struct Scanned {
    pub text: String,
    /// Whether it consists of several parts with signs between them.
    pub has_sign: bool,
}

fn in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t str) -> Scanner<'t> {
        Scanner { text, at: 0 }
    }

    /// What is left, after spaces.
    pub fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    pub fn wrong<T>(&self, offset: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::at(self.text, offset, message))
    }

    /// What stands next, for a message.
    pub fn next(&mut self) -> String {
        let rest = self.rest();
        let word = self.word();
        match rest.chars().next() {
            None => "the end of the formula".to_owned(),
            Some(first) if word.is_empty() => format!("`{}`", first.escape_debug()),
            Some(_) => format!("`{word}`"),
        }
    }

    /// The word that stands next, empty if there is none.
    pub fn word(&mut self) -> &'t str {
        let rest = self.rest();
        &rest[..rest.find(|letter| !in_word(letter)).unwrap_or(rest.len())]
    }

    /// Whether one of these signs or words stands next, which is then passed. A word that goes on like a name is none.
    pub fn take(&mut self, wanted: &[&str]) -> bool {
        let rest = self.rest();
        let found = wanted.iter().find(|wanted| match wanted.starts_with(in_word) {
            true => self.word() == **wanted && !continues(&rest[wanted.len()..]),
            false => rest.starts_with(**wanted) && (**wanted != "!" || !rest.starts_with("!=")),
        });
        self.at += found.map_or(0, |found| found.len());
        found.is_some()
    }

    /// Splits a word like `GF` that stands next, which is one operator after another: its first letter is passed.
    pub fn take_first_of(&mut self, letters: &str) -> Option<char> {
        let rest = self.rest();
        let word = self.word();
        let is_row = word.len() > 1 && word.chars().all(|letter| letters.contains(letter));
        let first = word
            .chars()
            .next()
            .filter(|_| is_row && !continues(&rest[word.len()..]))?;
        self.at += first.len_utf8();
        Some(first)
    }

    /// The sign of an atom that stands next.
    fn sign(&mut self) -> Option<&'static str> {
        let rest = self.rest();
        let is_operator = NOT_SIGNS.iter().any(|sign| rest.starts_with(sign));
        let mut signs = SIGNS.iter().filter(|_| !is_operator);
        signs.find(|sign| rest.starts_with(**sign)).copied()
    }

    /// What stands between the bracket that comes next and the one that closes it. Both are passed.
    fn bracketed(&mut self) -> Result<&'t str, Error> {
        let first = self.at;
        let mut open = Vec::new();
        let mut letters = self.text[first..].char_indices();
        while let Some((position, letter)) = letters.next() {
            let closes = match letter {
                '"' => match letters.find(|(_, letter)| *letter == '"') {
                    Some(_) => continue,
                    None => return self.wrong(first + position, "this `\"` has no end"),
                },
                '(' => ')',
                '[' => ']',
                '{' => '}',
                ')' | ']' | '}' if open.pop() != Some(letter) => {
                    return self.wrong(first + position, format!("`{letter}` closes nothing here"));
                }
                ')' | ']' | '}' if open.is_empty() => {
                    self.at = first + position + 1;
                    return Ok(&self.text[first + 1..first + position]);
                }
                _ => continue,
            };
            open.push(closes);
        }
        self.wrong(first, format!("`{}` is never closed", &self.text[first..=first]))
    }

    /// Whether the parenthesis that stands next belongs to an atom: `(x + 1) * 2 == y`.
    pub fn opens_atom(&mut self) -> bool {
        let at = self.at;
        let opens = self.bracketed().is_ok() && (self.sign().is_some() || continues(self.rest()));
        self.at = at;
        opens
    }

    /// The atom that stands next.
    pub fn atom(&mut self) -> Result<Scanned, Error> {
        let found = self.rest();
        let first = self.at;
        if found.starts_with('{') {
            let text = self.bracketed()?;
            return match text.trim() {
                "" => self.wrong(first, "there is nothing between these braces"),
                text => Ok(Scanned {
                    text: spaced(text),
                    has_sign: false,
                }),
            };
        }
        let mut signs = 0;
        self.operand()?;
        while let Some(sign) = self.sign() {
            self.at += sign.len();
            signs += 1;
            self.operand()?;
        }
        let end = self.at;
        if self.rest().starts_with('=') {
            return self.wrong(self.at, "`=` compares nothing: write `==`");
        }
        Ok(Scanned {
            text: spaced(self.text[first..end].trim_end()),
            has_sign: signs > 0,
        })
    }

    /// A part of an atom.
    fn operand(&mut self) -> Result<(), Error> {
        while self.take(&["-"]) {}
        let rest = self.rest();
        let word = self.word();
        match word.is_empty() {
            false => self.at += word.len(),
            true if rest.starts_with(['(', '"']) => self.suffix()?,
            true => {
                let next = self.next();
                return self.wrong(self.at, format!("expected a proposition instead of {next}"));
            }
        }
        loop {
            let end = self.at;
            let rest = self.rest();
            if rest.starts_with(['(', '[']) && !rest.starts_with("[]") {
                self.suffix()?;
            } else if let Some(after) = rest.strip_prefix('.')
                && after.starts_with(in_word)
            {
                self.at += 1;
                self.at += self.word().len();
            } else {
                // The spaces after it are not part of it.
                self.at = end;
                return Ok(());
            }
        }
    }

    fn suffix(&mut self) -> Result<(), Error> {
        if self.rest().starts_with('"') {
            let first = self.at;
            let Some(length) = self.text[first + 1..].find('"') else {
                return self.wrong(first, "this `\"` has no end");
            };
            self.at = first + length + 2;
            return Ok(());
        }
        self.bracketed().map(|_| ())
    }
}

/// Whether what comes after a word shows that it is the name of something that has parts or is compared.
fn continues(after: &str) -> bool {
    let after = after.trim_start();
    let field = after.strip_prefix('.').is_some_and(|after| after.starts_with(in_word));
    let is_operator = NOT_SIGNS.iter().any(|sign| after.starts_with(sign));
    let compared = !is_operator && SIGNS[..COMPARISONS].iter().any(|sign| after.starts_with(sign));
    field || compared || after.starts_with('[') && !after.starts_with("[]")
}

/// A text with one space where it has several.
fn spaced(text: &str) -> String {
    if text.contains('"') {
        return text.trim().to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
