//! What may be assumed about a program without proof: kinds of assumptions, each in a sentence, and what it takes to break one.

use crate::{Location, ThreadId, Whereabouts};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Something that a reduction or a system assumes, of the whole program or of many things in it, each by itself. Whoever assumes it
/// has it in a file of its own.
#[derive(Debug)]
pub struct AssumptionKind {
    /// Its name, for ourselves.
    pub name: &'static str,
    /// Where reports tell it, among others.
    pub rank: u8,
    /// The sentence for the report, about what has this name.
    pub sentence: fn(Assumption, &str) -> String,
    /// The same about a variable of a model, if it is told there.
    pub sentence_for_models: Option<fn(&str) -> String>,
    /// Whether it is about a variable ([`crate::Variables::variable_of`]), and so has the name of one.
    pub is_about_variable: bool,
    /// The kind which says the same and more, of the same thing: only one of both is told.
    pub stronger: Option<&'static AssumptionKind>,
    /// The option by which the user claims it of some classes, instead of it being assumed of all.
    pub claimed_by: Option<&'static str>,
}

impl AssumptionKind {
    /// One that is told in a sentence, and has nothing special about it.
    pub const fn new(name: &'static str, rank: u8, sentence: fn(Assumption, &str) -> String) -> AssumptionKind {
        AssumptionKind {
            name,
            rank,
            sentence,
            sentence_for_models: None,
            is_about_variable: false,
            stronger: None,
            claimed_by: None,
        }
    }

    /// The assumption about nothing in particular.
    pub const fn alone(&'static self) -> Assumption {
        self.of(0)
    }

    /// The assumption about a class.
    pub const fn of(&'static self, class: u32) -> Assumption {
        self.of_cell(class, 0)
    }

    /// The assumption about a cell of each object of a class.
    pub const fn of_cell(&'static self, class: u32, cell: u32) -> Assumption {
        let kind = self;
        let object = 0;
        Assumption {
            kind,
            class,
            object,
            cell,
        }
    }
}

/// Something assumed about a program.
#[derive(Clone, Copy)]
pub struct Assumption {
    /// What it is.
    pub kind: &'static AssumptionKind,
    /// The class that it is about; 0 for none.
    pub class: u32,
    /// The object, if it is about a single one; else 0.
    pub object: u32,
    /// The cell, if it is about one; else 0.
    pub cell: u32,
}

impl Assumption {
    /// Whether it is of this kind.
    #[inline]
    pub fn is(self, kind: &'static AssumptionKind) -> bool {
        std::ptr::eq(self.kind, kind)
    }

    /// The one that says the same and more, if there is such a kind.
    pub fn stronger(self) -> Option<Assumption> {
        self.kind.stronger.map(|kind| Assumption { kind, ..self })
    }

    fn key(self) -> (u8, &'static str, u32, u32, u32) {
        (self.kind.rank, self.kind.name, self.class, self.object, self.cell)
    }
}

impl PartialEq for Assumption {
    #[inline]
    fn eq(&self, other: &Assumption) -> bool {
        self.is(other.kind) && (self.class, self.object, self.cell) == (other.class, other.object, other.cell)
    }
}

impl Eq for Assumption {}

impl Hash for Assumption {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.kind.rank) << 32 | u64::from(self.class));
        state.write_u64(u64::from(self.object) << 32 | u64::from(self.cell));
    }
}

impl PartialOrd for Assumption {
    fn partial_cmp(&self, other: &Assumption) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Assumption {
    fn cmp(&self, other: &Assumption) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl fmt::Debug for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, {}, {})", self.kind.name, self.class, self.object, self.cell)
    }
}

/// Who broke an assumption: the thread that was about to access a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenAssumption {
    /// What was assumed.
    pub assumption: Assumption,
    /// Who was about to break it.
    pub thread: ThreadId,
    /// What it was about to access.
    pub location: Location,
    /// Where in the code it was.
    pub at: Whereabouts,
    /// Whether anything rested on the assumption.
    pub relied: bool,
    /// The locks that it had, and another access with which these do not go together, where that is known.
    pub with: Option<Box<(Vec<String>, Sight)>>,
}

/// An access that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Who and where.
    pub at: Whereabouts,
    /// Which locks the thread had, in words.
    pub locks: Vec<String>,
}

/// What was found to be against the hypotheses that are no assumption about a single location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Two threads have exclusive access to one location, of this name.
    Disputed(String, Whereabouts, Whereabouts),
    /// The first takes from the second its exclusive access to a location of this name.
    Expelled(String, Whereabouts, Whereabouts),
    /// A thread goes round by invisible steps.
    Endless(Whereabouts),
}
