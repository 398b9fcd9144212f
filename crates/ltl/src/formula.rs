//! Formulas as they are written.

/// An atom of a formula, by its number in [`Atoms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub u32);

/// How many atoms a formula may have: labels are sets of them in a word.
pub(crate) const MOST_ATOMS: usize = 64;

/// The atoms of formulas: texts, each once, in the order in which they were met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Atoms {
    texts: Vec<String>,
    offsets: Vec<usize>,
}

impl Atoms {
    /// The texts.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Where in the text of the formula an atom stands first, as a byte.
    pub fn offset(&self, atom: Atom) -> usize {
        self.offsets[atom.0 as usize]
    }

    /// The atom of a text, unless there are too many.
    pub(crate) fn intern(&mut self, text: String, offset: usize) -> Option<Atom> {
        let known = self.texts.iter().position(|known| *known == text);
        let position = known.unwrap_or(self.texts.len());
        if known.is_none() {
            self.texts.push(text);
            self.offsets.push(offset);
        }
        (position < MOST_ATOMS).then_some(Atom(position as u32))
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// It does not hold.
    Not,
    /// It holds in the next state.
    Next,
    /// It holds from now on.
    Always,
    /// It will hold.
    Eventually,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Both hold.
    And,
    /// One holds.
    Or,
    /// If the left one holds, so does the right one.
    Implies,
    /// Both hold or none does.
    Iff,
    /// The right one will hold, and the left one until then.
    Until,
    /// The right one holds up to and including where the left one does; for ever if that is nowhere.
    Release,
    /// The left one holds until the right one does; for ever if that is nowhere.
    WeakUntil,
    /// The right one holds up to and including where the left one does, which is somewhere.
    StrongRelease,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Holds always or never.
    Constant(bool),
    /// Holds in states in which the atom does.
    Atom(Atom),
    /// An operator and its operand.
    Unary(Unary, Box<Formula>),
    /// An operator and its operands.
    Binary(Binary, Box<Formula>, Box<Formula>),
}

impl Formula {
    /// An operator with its operand.
    pub fn unary(operator: Unary, inner: Formula) -> Formula {
        Formula::Unary(operator, Box::new(inner))
    }

    /// An operator with its operands.
    pub fn binary(operator: Binary, left: Formula, right: Formula) -> Formula {
        Formula::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Its negation.
    pub fn negated(&self) -> Formula {
        Formula::unary(Unary::Not, self.clone())
    }

    /// Whether it speaks of the next state: then it can tell how often a state is repeated, and no reduction keeps what it means.
    pub fn has_next(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Atom(_) => false,
            Formula::Unary(operator, inner) => *operator == Unary::Next || inner.has_next(),
            Formula::Binary(_, left, right) => left.has_next() || right.has_next(),
        }
    }

    /// How many operators, atoms and constants it has.
    pub fn size(&self) -> usize {
        match self {
            Formula::Constant(_) | Formula::Atom(_) => 1,
            Formula::Unary(_, inner) => 1 + inner.size(),
            Formula::Binary(_, left, right) => 1 + left.size() + right.size(),
        }
    }
}
