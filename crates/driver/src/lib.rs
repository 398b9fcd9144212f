//! Checks programs and says what there is to say about them: what the `raddle` command and other front ends use.
//!
//! Nothing here prints, ends the process or reads the command line. A front end fills in a [`Check`], hears of its progress if it wants
//! to ([`Observer`]), and gets a [`Report`]: a [`Verdict`], violations with their traces, figures. What goes wrong besides the program is
//! a [`Failure`].
//!
//! Whoever wants to do something between the steps makes a [`Plan`] first: it refuses options that do not go together before anything
//! takes long, and its [`Plan::examine`] does the rest.
//!
//! Limits of time and memory are those of the process ([`limits`], [`budget`]).
//!
//! ```
//! use driver::{Check, Silent, Verdict, check};
//!
//! let report = check(Check::new("../../examples/Bank.java"), &mut Silent)?;
//! assert_eq!(report.verdict, Verdict::Violated);
//! let violation = &report.violations[0];
//! assert_eq!(violation.property, "deadlock");
//! for row in &violation.trace.rows {
//!     println!("{} line {}: {}", violation.trace.threads[row.thread], row.line, row.source);
//! }
//!
//! let mended = check(Check::new("../../examples/BankFixed.java"), &mut Silent)?;
//! assert_eq!(mended.verdict, Verdict::Holds);
//! # Ok::<(), driver::Failure>(())
//! ```

pub mod analyze;
mod assumptions;
mod batch;
pub mod budget;
mod certificate;
pub mod certify;
mod check;
pub mod compare;
mod consistency;
mod deepening;
mod discipline;
pub mod dump;
mod failure;
mod growth;
mod jdk_operations;
pub mod limits;
pub mod linearize;
pub mod names;
mod narrate;
mod observer;
mod operations;
pub mod options;
pub mod oracle;
pub mod propositions;
mod remarks;
mod replay;
mod run;
mod sources;
mod subject;
mod target;
mod temporal;
mod trace_file;
mod verdict;
mod verify;
mod world;

pub use check::{Examined, Plan, check};
pub use failure::Failure;
pub use kernel::Property;
pub use limits::Cause;
pub use machine::Console;
pub use observer::{Observer, Silent};
pub use options::Check;
pub use reduction::Combination;
pub use replay::Schedule;
pub use report::model::{Report, Verdict};
pub use run::run;
pub use search::temporal::Fairness;
pub use search::{Figures, Order};
pub use verdict::end_early;
