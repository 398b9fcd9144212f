//! Several strategies on one program, side by side: a table for a terminal, CSV, and a bar chart.

mod chart;
mod csv;
mod table;

use crate::model::Verdict;
pub use chart::svg;
pub use csv::csv;
pub use table::table;

/// What several strategies came to.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// What was checked, as the user named it.
    pub program: String,
    /// The strategies, in the order in which they ran. Factors are to the first.
    pub strategies: Vec<Strategy>,
}

/// What one strategy came to.
#[derive(Clone, Debug, Default)]
pub struct Strategy {
    /// A short name.
    pub name: String,
    /// Names of the reductions in it, with commas between them.
    pub reductions: String,
    /// Distinct states stored.
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Time of the search alone.
    pub seconds: f64,
    /// Memory of the visited store.
    pub bytes: u64,
    /// What it says about the program.
    pub verdict: Verdict,
    /// Why the verdict is unknown.
    pub reason: Option<String>,
    /// Whether everything was explored.
    pub complete: bool,
    /// How often the search started over.
    pub restarts: u32,
    /// How many assumptions were wrong.
    pub dropped: usize,
}

/// By how much a strategy makes the states fewer, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Factor {
    /// By just that much.
    Exactly(f64),
    /// The first strategy has more states than it came to see.
    MoreThan(f64),
    /// This one has more states than it came to see.
    LessThan(f64),
    /// Neither came to its end.
    Unknown,
}

impl Comparison {
    /// The factor of the first strategy's states to those of this one.
    pub fn factor(&self, index: usize) -> Factor {
        let (Some(first), Some(one)) = (self.strategies.first(), self.strategies.get(index)) else {
            return Factor::Unknown;
        };
        if index == 0 {
            return Factor::Exactly(1.0);
        }
        let factor = first.states as f64 / one.states.max(1) as f64;
        match (first.complete, one.complete) {
            (true, true) => Factor::Exactly(factor),
            (false, true) => Factor::MoreThan(factor),
            (true, false) => Factor::LessThan(factor),
            (false, false) => Factor::Unknown,
        }
    }

    /// Whether some strategies say that the program holds and others that it does not.
    pub fn disagrees(&self) -> bool {
        let says = |verdict: Verdict| self.strategies.iter().any(|one| one.verdict == verdict);
        says(Verdict::Holds) && says(Verdict::Violated)
    }
}

impl Factor {
    /// The number, if there is one.
    pub fn number(self) -> Option<f64> {
        match self {
            Factor::Exactly(number) | Factor::MoreThan(number) | Factor::LessThan(number) => Some(number),
            Factor::Unknown => None,
        }
    }

    /// `3.4`, `>12`, `<0.5`, `?`.
    fn show(self) -> String {
        let sign = match self {
            Factor::Exactly(_) => "",
            Factor::MoreThan(_) => ">",
            Factor::LessThan(_) => "<",
            Factor::Unknown => return "?".to_owned(),
        };
        match self.number().unwrap_or_default() {
            number if number < 0.095 => format!("{sign}{number:.2}"),
            number if number < 99.95 => format!("{sign}{number:.1}"),
            number => format!("{sign}{}", crate::words::count(number.round() as u64)),
        }
    }
}
