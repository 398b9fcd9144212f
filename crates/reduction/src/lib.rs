//! Partial-order reductions: one file each, in any combination.
//!
//! An *independence* proves, for a touch of the next step of a thread in a state, that no other thread can interfere with it; a
//! combination proves what any of its members proves. [`Ample`] turns that into a choice of threads, with `persistent` for sets of several and
//! [`Optimistic`] for transactions instead. [`REDUCTIONS`] is the list
//! that the command line, the documentation and the tests read.

mod ample;
mod assumption;
mod dominated;
mod escape;
mod escape_static;
mod final_field;
mod independence;
mod list;
mod lockset;
mod mixer;
mod optimistic;
mod own;
mod persistent;
mod query_throttle;
mod selflock;
mod settled;
mod watchers;

pub use ample::Ample;
pub use assumption::{Assumption, Assumptions, BrokenAssumption, Doubt, Sight};
pub use independence::Independence;
pub use list::{Combination, Entry, Illegal, Part, REDUCTIONS};
pub use optimistic::Optimistic;
