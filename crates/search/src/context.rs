//! What all explorers of one search share: what is searched, for what, where its states are kept, and what was found so far.
//!
//! Everything is used through a shared reference. An explorer's own is in [`crate::expand::Explorer`].

use crate::Options;
use crate::bounds::Bound;
use crate::reporting::Reporting;
use kernel::{Flaw, System};

/// One search.
pub(crate) struct Context<'a, S: System, V: ?Sized> {
    /// The system.
    pub system: &'a S,
    /// The states met.
    pub visited: &'a V,
    /// What is asked for.
    pub options: &'a Options,
    /// The bound on switches, if there is one.
    pub bound: Option<Bound>,
    /// What was found, and whether to stop.
    pub reporting: Reporting<S::Action>,
}

impl<'a, S: System, V: ?Sized> Context<'a, S, V> {
    /// Nothing explored so far.
    pub fn new(system: &'a S, visited: &'a V, options: &'a Options) -> Self {
        Context {
            system,
            visited,
            options,
            bound: options.preemptions.map(|limit| Bound { limit, every: false }),
            reporting: Reporting::new(options, None),
        }
    }

    /// The same for one flaw, within a bound.
    pub fn looking_for(self, flaw: Flaw, bound: Bound) -> Self {
        Context {
            bound: Some(bound),
            reporting: Reporting::new(self.options, Some(flaw)),
            ..self
        }
    }
}
