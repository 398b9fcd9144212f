//! Guarded-command models: threads over integers, locks and semaphores, a second [`kernel::System`] beside the JVM.
//!
//! A text becomes tokens (`lexer`), these a [`Program`] (`parser`, `syntax`; `print` makes a text of it again), and that a
//! [`Model`]: names are looked up (`check`), statements become steps between control points (`compile`, `code`). `system`
//! runs the steps, with `run` for what one step does, `violations` for what is wrong with a state, `future` for what may still
//! come (by `static_footprint`, which tells what a step will touch), and `atomicity` for what others cannot see, by the rules of a
//! `discipline` where there is one; `propositions` are what formulas are made of, `condition` reads both. `show` has the words for
//! traces, `random` makes programs for tests.
//!
//! ```
//! let text = "int x; thread t [2] { x = x + 1; }";
//! let model = model::Model::new(&model::parse(text).unwrap(), true).unwrap();
//! assert_eq!(model.thread_name(1), "t[1]");
//! ```

mod atomicity;
mod check;
mod code;
mod compile;
mod condition;
mod discipline;
mod error;
mod future;
mod lexer;
mod parser;
mod print;
mod propositions;
mod random;
mod run;
mod show;
mod static_footprint;
pub mod syntax;
mod system;
mod view;
mod violations;

pub use code::Model;
pub use error::Error;
pub use lexer::{Cursor, Expressions, Token};
pub use parser::parse;
pub use propositions::Proposition;
pub use random::random;
pub use show::{Event, Explanation, Held};
pub use syntax::Program;
pub use system::{Action, State, Undo, What};
