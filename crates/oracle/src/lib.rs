//! Random programs, and whether all strategies say the same about them.
//!
//! A reduction that drops one interleaving too many still looks excellent in a table. So every strategy is compared, on
//! thousands of small programs, with a search that leaves nothing out.
//!
//! - [`compare`] holds any [`kernel::System`] against a list of strategies.
//! - [`commute`] checks what a reduction claims, at every state.
//! - [`models`] makes smaller ones of guarded-command models that disagree.
//! - [`java`] makes small Java programs, writes them down, and makes smaller ones of those that disagree.

pub mod commute;
pub mod compare;
mod draw;
pub mod java;
pub mod models;
pub mod shrink;
