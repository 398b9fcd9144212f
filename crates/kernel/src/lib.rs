//! The vocabulary of Raddle: what a concurrent system is, what its steps touch, and what is said about it in the end.
//!
//! Nothing here knows the JVM, does I/O or starts a thread. A system is driven by asking each live thread for its
//! pending actions ([`System::transitions`]), applying one of them, and going back by undoing it.

mod footprint;
mod instrumentation;
mod property;
mod reduction;
mod state_vector;
mod system;
mod transitions;
mod verdict;
mod view;

pub use footprint::{AccessKind, Location, MemoryAccess, conflict};
pub use instrumentation::Instrumentation;
pub use property::{Flaw, Property};
pub use reduction::Reduction;
pub use state_vector::{Section, StateVector};
pub use system::{System, ThreadId};
pub use transitions::{End, Transition, Transitions};
pub use verdict::{Obstacle, Unsupported, Verdict};
pub use view::{OwnerAccess, Protection, View, Whereabouts};
