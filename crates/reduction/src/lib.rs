//! Partial-order reductions: one file each, in any combination.
//!
//! The file of a reduction has its [`Description`] (its name, what it needs, what it goes with, what it takes for granted) and a
//! function `add`, which gives an [`Ample`] its rule. [`REDUCTIONS`] is the list that the command line, the documentation and the tests read; a
//! [`Combination`] is some of it, or of a longer list.
//!
//! Most rules are an *independence*: it proves, for a touch of the next step of a thread in a state, that no other thread can interfere
//! with it; a combination proves what any of its members proves. [`Ample`] turns that into a choice of threads, with `persistent` for
//! sets of several and `optimistic` for transactions instead.

mod ample;
mod combination;
mod description;
mod independence;
mod list;
mod query_throttle;
mod watchers;

// The reductions.
mod atomic;
mod bounded;
mod dominated;
mod escape;
mod escape_static;
mod final_field;
mod lockset;
mod optimistic;
mod own;
mod persistent;
mod selflock;
mod settled;
mod sleep;

pub use ample::{Ample, Several, Transactions};
pub use combination::{Combination, Illegal};
pub use description::{Description, Goes, Rule};
pub use independence::{Independence, Watcher};
#[doc(hidden)]
pub use kernel;
pub use list::{REDUCTIONS, claimed_by, rules};
