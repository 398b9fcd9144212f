//! The vocabulary of Raddle: what a concurrent system is, what its steps touch, and what is said about it in the end.
//!
//! Nothing here knows the JVM, does I/O or starts a thread. A system is driven by asking each live thread for its
//! pending actions ([`System::transitions`]), applying one of them, and going back by undoing it.

mod assumption;
mod assumptions;
mod footprint;
mod instrumentation;
mod mixer;
mod properties;
mod property;
mod propositions;
mod reduction;
mod state_vector;
mod system;
mod transitions;
mod verdict;
mod version;
mod view;
mod wrapper;

pub use assumption::{Assumption, AssumptionKind, BrokenAssumption, Doubt, Sight};
pub use assumptions::Assumptions;
pub use footprint::{AccessKind, Location, MemoryAccess, conflict};
pub use instrumentation::{Instrumentation, Instrumented};
pub use mixer::Mixer;
pub use property::{Check, Definition, Flaw, Inspected, Kind, NextStep, Property, Visible};
pub use propositions::Propositions;
pub use reduction::Reduction;
pub use state_vector::{Section, StateVector};
pub use system::{System, ThreadId};
pub use transitions::{End, Transition, Transitions};
pub use verdict::{Obstacle, Unsupported, Verdict};
pub use version::Versions;
pub use view::{
    Describe, Discipline, Immutability, Interference, Locks, Locksets, OwnerAccess, Ownership, Protection,
    Reachability, Symmetry, Transactions, Variables, View, Whereabouts,
};
pub use wrapper::Wrapper;
