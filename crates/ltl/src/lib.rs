//! Linear temporal logic: formulas, and automata that accept the executions that a formula is about.
//!
//! A text becomes a [`Formula`] (`scanner`, `parser`, `patterns`; `print` makes a text of it again), that a formula in negation normal
//! form, which is rewritten while it is made (`normal`, `rewrite`, `implication`), and that a generalised Büchi automaton (`translate`),
//! which is made smaller (`trim`, `simulation`). `degeneralise` makes do with one acceptance condition, `finite` finds those formulas for
//! which a finite automaton is enough. `lasso` evaluates a formula directly: what the automata are held against.
//!
//! The atoms of a formula are texts that nothing here looks into.
//!
//! ```
//! let parsed = ltl::parse("G (request -> F x == 1)").unwrap();
//! assert_eq!(parsed.atoms.texts(), ["request", "x == 1"]);
//! let automaton = ltl::translate(&parsed.formula).unwrap();
//! assert_eq!(automaton.states(), 2);
//! ```

mod automaton;
mod components;
mod degeneralise;
mod error;
mod finite;
mod formula;
mod implication;
mod lasso;
mod normal;
mod parser;
mod patterns;
mod print;
mod rewrite;
mod scanner;
mod simulation;
mod translate;
mod trim;

pub use automaton::{Automaton, Edge, Label};
pub use components::{Components, components};
pub use error::{Error, TooLarge};
pub use finite::{Finite, Reading};
pub use formula::{Atom, Atoms, Binary, Formula, Unary};
pub use lasso::Lasso;
pub use parser::{Parsed, parse};
pub use translate::{simplify, translate};
