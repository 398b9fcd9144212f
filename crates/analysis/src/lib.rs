//! Facts about code, found before anything runs: which method may call which, and which objects only one thread can ever
//! reach.
//!
//! The escape analysis is that of Dwyer et al., section 5.1 and appendix A, which adapts Ruf's: alias sets made by
//! unification, a context for each method, callees first and then callers first over the components of the call graph.
//! It reads the same three-address code as the interpreter.
//!
//! The way through the crate: `scope` says which code is looked into and which is taken for anything; `body` is a method
//! boiled down to what happens to references (`builder` does that, with `live_ranges` telling apart the variables that share a
//! register, `resolve` and `dynamic` finding what its sites mean, `models` standing in for methods without code); `flow`
//! lets types flow until it is known what every call may run; `sets` are the alias sets; `bottom_up_top_down` goes over the call graph
//! twice; `escape` repeats all that until nothing new escapes, and answers.
//!
//! Where this leaves the papers: an object is *shared* when another thread may reach it, not only when another thread may
//! access it. So a thread object, and all that it leads to, is shared from the moment it is started, and it makes no
//! difference how many threads a call starts, or who runs a method: a reference gets from one thread to another only
//! through a static field, through code that is not looked into, or through the object of a started thread.

mod body;
mod bottom_up_top_down;
mod builder;
mod components;
mod dynamic;
mod escape;
mod flow;
mod live_ranges;
mod models;
mod resolve;
mod scope;
mod sets;
mod verdict;

pub use escape::{Escape, Figures};
pub use verdict::{Made, SiteFact, Verdict};
