//! Depth-first, breadth-first and random search over any [`kernel::System`].
//!
//! One expansion kernel (`expand`) knows what happens at a state: it is entered into the store, looked at, and the
//! actions to be tried are chosen, all in one place each. The searches (`depth`, `breadth`, `random`) differ only in
//! which state comes next and in how they get there: by undoing, by decoding, or by walking.
//!
//! [`explore()`] runs a search, [`replay()`] runs a schedule that was found, [`minimise()`] makes one easier to read.

mod bounds;
mod breadth;
mod components;
mod context;
mod cycle_detector;
mod depth;
mod draw;
mod entry;
mod expand;
mod explore;
mod frames;
mod inspect;
mod livelock;
mod lookup_heuristic;
mod minimise;
mod monitor;
mod options;
mod outcome;
mod progress_timer;
mod proviso;
mod race_candidates;
mod random;
mod random_walk;
mod reducing;
mod replay;
mod reporting;
mod run_compression;
mod shrink;
mod sleep_sets;
mod step;
pub mod temporal;

pub use explore::explore;
pub use inspect::{flaws_of, meets};
pub use minimise::minimise;
pub use options::{Conflict, Effort, Options, Order};
pub use outcome::{Ending, Figures, Found, Observer, Outcome, Silent, Walked, Why};
pub use replay::{Blocked, replay, rewind};
