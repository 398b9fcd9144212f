//! The vocabulary of Raddle: what a concurrent system is, what its steps touch, and what is said about it in the end.
//!
//! Nothing here knows the JVM, does I/O or starts a thread. A system is driven by asking each live thread for its
//! pending actions ([`System::pending`]), applying one of them, and going back by undoing it.

mod footprint;
mod property;
mod reduction;
mod state_vector;
mod system;
mod transitions;
mod verdict;
mod view;

pub use footprint::{Access, Place, Touch, conflict};
pub use property::{Flaw, Property};
pub use reduction::Reduction;
pub use state_vector::{Section, Vector};
pub use system::{System, ThreadId};
pub use transitions::{End, Menu, Pending};
pub use verdict::{Obstacle, Unsupported, Verdict};
pub use view::{Protection, Tenure, View, Whereabouts};
