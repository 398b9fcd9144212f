//! The words for reports, and the places in the code.

use crate::{Location, System, ThreadId};

/// A part of [`crate::View`].
pub trait Describe: System {
    /// What a variable or a lock is called in a report.
    fn describe(&self, state: &mut Self::State, location: Location) -> String;

    /// Where a thread stands, as a number that tells places in the code apart.
    fn spot(&self, state: &mut Self::State, thread: ThreadId) -> u64;

    /// Who a thread is and where in the code it stands, for reports.
    fn whereabouts(&self, state: &mut Self::State, thread: ThreadId) -> Whereabouts;
}

/// A thread by its name, and where in the code it stands; empty and 0 for what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The thread's name.
    pub thread: String,
    /// The class in whose code it is.
    pub class: String,
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
}
