//! A lock that is still held by a thread that is over, as the system notices it.
//!
//! In a Java program it counts only while some thread can reach the lock, which any step may change: no reduction keeps that.

use crate::property::{Definition, Kind, Property, Visible};

static DEFINITION: Definition = Definition {
    name: "lock",
    summary: "a monitor, lock or read lock still held by a thread that has ended",
    is_default: false,
    kind: Kind::State(None),
    visible: Visible::OwnSteps,
};

impl Property {
    /// A lock that is still held by a thread that is over.
    pub const LOCK: Property = Property::new(&DEFINITION);
}
