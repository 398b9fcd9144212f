//! From text to formulas.
//!
//! `!`, `G`, `F` and `X` bind most tightly, then `U`, `W`, `R` and `M`, which group to the right, then `&&`, `||`, `->` (to the right) and
//! `<->`. All have words: `not`, `always`, `eventually`, `next`, `until`, `unless`, `releases`, `and`, `or`, `implies`, `iff`. `[]` and `<>`
//! are `G` and `F`, and `GF p` is `G F p`.

use crate::formula::MOST_ATOMS;
use crate::patterns::Pattern;
use crate::scanner::Scanner;
use crate::{Atoms, Binary, Error, Formula, Unary};

/// How many operators and parentheses a formula may have: what reads it is recursive, and the stack is not endless.
const MOST_OPERATORS: usize = 400;

/// A formula and its atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// What its atoms are.
    pub atoms: Atoms,
}

const UNARY: [(Unary, &[&str]); 4] = [
    (Unary::Not, &["!", "not"]),
    (Unary::Next, &["X", "next"]),
    (Unary::Always, &["G", "[]", "always"]),
    (Unary::Eventually, &["F", "<>", "eventually"]),
];

/// How tightly each binds, and whether it groups to the right.
const BINARY: [(Binary, &[&str], u32, bool); 8] = [
    (Binary::Iff, &["<->", "iff"], 1, false),
    (Binary::Implies, &["->", "implies"], 2, true),
    (Binary::Or, &["||", "or"], 3, false),
    (Binary::And, &["&&", "and"], 4, false),
    (Binary::Until, &["U", "until"], 5, true),
    (Binary::WeakUntil, &["W", "unless"], 5, true),
    (Binary::Release, &["R", "V", "releases"], 5, true),
    (Binary::StrongRelease, &["M"], 5, true),
];

/// The formula that a text stands for.
pub fn parse(text: &str) -> Result<Parsed, Error> {
    let mut parser = Parser {
        scanner: Scanner::new(text),
        atoms: Atoms::default(),
        operators: 0,
    };
    let formula = parser.binary(1)?;
    if !parser.scanner.rest().is_empty() {
        let next = parser.scanner.next();
        return parser.wrong(format!("expected an operator instead of {next}"));
    }
    Ok(Parsed {
        formula,
        atoms: parser.atoms,
    })
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    atoms: Atoms,
    operators: usize,
}

impl Parser<'_> {
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        self.scanner.wrong(self.scanner.at, message)
    }

    fn count(&mut self) -> Result<(), Error> {
        self.operators += 1;
        match self.operators > MOST_OPERATORS {
            true => self.wrong(format!(
                "there are more than {MOST_OPERATORS} operators in this formula"
            )),
            false => Ok(()),
        }
    }

    /// Operands with operators between them that bind at least so tightly.
    fn binary(&mut self, least: u32) -> Result<Formula, Error> {
        let mut left = self.unary()?;
        'operators: loop {
            for (operator, names, binds, to_the_right) in BINARY {
                if binds >= least && self.scanner.take(names) {
                    self.count()?;
                    let right = self.binary(if to_the_right { binds } else { binds + 1 })?;
                    left = Formula::binary(operator, left, right);
                    continue 'operators;
                }
            }
            return Ok(left);
        }
    }

    fn unary(&mut self) -> Result<Formula, Error> {
        match self.unary_operator() {
            Some(operator) => {
                self.count()?;
                Ok(Formula::unary(operator, self.operand(operator == Unary::Not)?))
            }
            None => self.operand(false),
        }
    }

    /// The operator with one operand that stands next, if there is one; the first of several in a row, as in `GF`.
    fn unary_operator(&mut self) -> Option<Unary> {
        let found = UNARY.iter().find(|(_, names)| self.scanner.take(names));
        let first = match found {
            Some((operator, _)) => return Some(*operator),
            None => self.scanner.take_first_of("XGF")?.to_string(),
        };
        let named = UNARY.iter().find(|(_, names)| names.contains(&&*first));
        named.map(|(operator, _)| *operator)
    }

    /// What an operator with one operand applies to.
    fn operand(&mut self, is_negated: bool) -> Result<Formula, Error> {
        let rest = self.scanner.rest();
        let first = self.scanner.at;
        if self.unary_operator().is_some() {
            self.scanner.at = first;
            return self.unary();
        }
        if rest.starts_with('(') && !self.scanner.opens_atom() {
            self.count()?;
            self.scanner.at += 1;
            let inner = self.binary(1)?;
            self.expect(")", first)?;
            return Ok(inner);
        }
        if let Some(pattern) = Pattern::named(self.scanner.word())
            && rest[self.scanner.word().len()..].trim_start().starts_with('(')
        {
            return self.pattern(pattern);
        }
        let scanned = self.scanner.atom()?;
        if is_negated && scanned.has_sign {
            let text = scanned.text;
            return self.scanner.wrong(
                first,
                format!("what is negated here? write `!({text})` if that is meant"),
            );
        }
        match &*scanned.text {
            "true" => return Ok(Formula::Constant(true)),
            "false" => return Ok(Formula::Constant(false)),
            _ => {}
        }
        match self.atoms.intern(scanned.text, first) {
            Some(atom) => Ok(Formula::Atom(atom)),
            None => self.scanner.wrong(
                first,
                format!("there are more than {MOST_ATOMS} propositions in this formula"),
            ),
        }
    }

    fn expect(&mut self, sign: &str, opened: usize) -> Result<(), Error> {
        if self.scanner.take(&[sign]) {
            return Ok(());
        }
        if self.scanner.rest().is_empty() {
            return self.scanner.wrong(opened, "`(` is never closed");
        }
        let next = self.scanner.next();
        self.wrong(format!("expected `{sign}` or an operator instead of {next}"))
    }

    /// Formulas in parentheses, with commas between them; the last may be a scope.
    fn pattern(&mut self, pattern: Pattern) -> Result<Formula, Error> {
        self.count()?;
        self.scanner.at += self.scanner.word().len();
        let opened = self.scanner.rest().as_ptr() as usize - self.scanner.text.as_ptr() as usize;
        self.scanner.at += 1;
        let mut operands = vec![self.binary(1)?];
        while operands.len() < pattern.operands() {
            self.expect(",", opened)?;
            operands.push(self.binary(1)?);
        }
        let mut bounds = Vec::new();
        let mut scope = None;
        if self.scanner.take(&[","]) {
            let word = self.scanner.word();
            let Some(found) = Pattern::scope(word) else {
                return self.wrong("expected `before(r)`, `after(q)`, `between(q, r)` or `after_until(q, r)` here");
            };
            self.scanner.at += word.len();
            self.expect("(", opened)?;
            bounds.push(self.binary(1)?);
            while bounds.len() < found.bounds() {
                self.expect(",", opened)?;
                bounds.push(self.binary(1)?);
            }
            self.expect(")", opened)?;
            scope = Some(found);
        }
        self.expect(")", opened)?;
        Ok(pattern.formula(operands, scope, bounds))
    }
}
