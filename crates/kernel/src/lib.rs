//! The vocabulary of Raddle: what a concurrent system is, what its steps touch, and what is said about it in the end.
//!
//! Nothing here knows the JVM, does I/O or starts a thread. A system is driven by asking each live thread for its
//! pending actions ([`System::pending`]), applying one of them, and going back by undoing it.

mod footprint;
mod system;
mod verdict;

pub use footprint::{Access, Footprint, Place, Touch};
pub use system::{Pending, System, ThreadId};
pub use verdict::{Unsupported, Verdict};
