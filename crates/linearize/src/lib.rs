//! Whether the methods of a class take effect at once.
//!
//! A [`Scenario`] is a few threads with a few calls each. Its [source](Scenario::source) is a Java program that records a [`History`]: what
//! each call came to, and which calls had ended before it began. Whoever can run programs runs it twice, in all interleavings: once as
//! it is, and once with every call indivisible. If the first gives a history that the second does not, some call does not take effect
//! at once. [`explain()`] says why no order of the calls accounts for that history.
//!
//! SOUNDNESS: an indivisible call of a linearizable object may stand for a call as it is, in whatever program. So histories of
//! linearizable objects are within those of indivisible calls, whichever way the program records. Conversely, the program can note each
//! beginning directly before the first access of a call, and each end directly after its last one, so every order of calls in time is
//! recorded by some execution; and what is recorded to have ended before a call began did so.
//!
//! Nothing here knows how programs are run.

mod arguments;
mod choose;
mod draw;
mod explain;
mod history;
mod scenario;
mod source;

pub use choose::{Choice, Wanted, choose};
pub use explain::{explain, told};
pub use history::{Call as Noted, Ended, History};
pub use scenario::{Call, Method, Scenario, Subject, callable, some_arguments, thread_name};
pub use source::{METHODS_PATTERN, MOST_CALLS, MOST_THREADS};
