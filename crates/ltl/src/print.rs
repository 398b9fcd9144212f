//! From formulas to text.

use crate::scanner::Scanner;
use crate::{Atoms, Binary, Formula, Unary};
use std::fmt;

/// A formula with the texts of its atoms.
struct Shown<'f>(&'f Formula, &'f Atoms);

impl Formula {
    /// The formula in words that [`crate::parse`] understands.
    pub fn show(&self, atoms: &Atoms) -> impl fmt::Display {
        Shown(self, atoms).to_string()
    }
}

impl Unary {
    fn sign(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X ",
            Unary::Always => "G ",
            Unary::Eventually => "F ",
        }
    }
}

impl Binary {
    fn sign(self) -> &'static str {
        match self {
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Until => "U",
            Binary::Release => "R",
            Binary::WeakUntil => "W",
            Binary::StrongRelease => "M",
        }
    }

    /// Whether a chain of them needs no parentheses.
    fn is_chain(self) -> bool {
        matches!(self, Binary::And | Binary::Or)
    }
}

/// An atom as it can be written in a formula. What would be read as something else gets braces.
fn atom(text: &str, is_negated: bool) -> String {
    let mut scanner = Scanner::new(text);
    let read = crate::parse(text).is_ok_and(|parsed| matches!(parsed.formula, Formula::Atom(_)));
    match scanner.atom() {
        Ok(scanned) if read && !text.starts_with('{') && scanner.rest().is_empty() => {
            match is_negated && scanned.has_sign {
                true => format!("({text})"),
                false => text.to_owned(),
            }
        }
        _ => format!("{{{text}}}"),
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(formula, atoms) = *self;
        match formula {
            Formula::Constant(value) => write!(f, "{value}"),
            Formula::Atom(number) => f.write_str(&atom(&atoms.texts()[number.0 as usize], false)),
            Formula::Unary(operator, inner) => {
                f.write_str(operator.sign())?;
                match &**inner {
                    Formula::Binary(..) => write!(f, "({})", Shown(inner, atoms)),
                    Formula::Atom(number) => {
                        f.write_str(&atom(&atoms.texts()[number.0 as usize], *operator == Unary::Not))
                    }
                    _ => write!(f, "{}", Shown(inner, atoms)),
                }
            }
            Formula::Binary(operator, left, right) => {
                let side = |side: &Formula, chains: bool| match side {
                    Formula::Binary(inner, ..) if inner != operator || !chains => format!("({})", Shown(side, atoms)),
                    _ => Shown(side, atoms).to_string(),
                };
                let chains = operator.is_chain();
                write!(f, "{} {} {}", side(left, chains), operator.sign(), side(right, false))
            }
        }
    }
}
