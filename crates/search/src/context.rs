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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use crate::entry::Entry;
    use crate::frames::Frames;
    use crate::reducing::Reducing;
    use crate::reporting::Tally;
    use crate::run_compression::RunCompression;
    use crate::sleep_sets::Sleep;
    use kernel::{StateVector, ThreadId, Transition, Transitions, Unsupported};
    use store::StateTable;

    /// A system of which there is none.
    enum None {}

    impl System for None {
        type State = ();
        type Action = u32;
        type Undo = ();

        fn initial(&self) -> Result<(), Unsupported> {
            match *self {}
        }

        fn transitions(&self, (): &mut (), _transitions: &mut Transitions<u32>) {
            match *self {}
        }

        fn apply(&self, (): &mut (), _action: u32) -> Result<(), Unsupported> {
            match *self {}
        }

        fn undo(&self, (): &mut (), (): ()) {
            match *self {}
        }

        fn wrote(&self, (): &()) -> bool {
            match *self {}
        }

        fn encode(&self, (): &mut (), _out: &mut StateVector) {
            match *self {}
        }

        fn decode(&self, (): &mut (), _words: &[u32]) -> Result<(), Unsupported> {
            match *self {}
        }

        fn canonical_id(&self, (): &mut (), _thread: ThreadId) -> Option<ThreadId> {
            match *self {}
        }

        fn is_broken(&self) -> bool {
            match *self {}
        }

        fn refine(&self, (): &mut ()) -> Result<bool, Unsupported> {
            match *self {}
        }

        fn stuck(&self, (): &mut ()) -> u64 {
            match *self {}
        }

        fn race(&self, (): &mut (), _one: &Transition<u32>, _two: &Transition<u32>) -> Option<u64> {
            match *self {}
        }
    }

    fn is_sync<T: Sync + ?Sized>() {}
    fn is_send<T: Send + ?Sized>() {}

    #[test]
    fn what_explorers_share_is_sync() {
        is_sync::<Context<'_, None, dyn StateTable>>();
        is_sync::<Reporting<u32>>();
    }

    /// All parts of an explorer but its monitor: the observer stays with whoever began the search.
    #[test]
    fn what_an_explorer_has_is_send() {
        is_send::<&Context<'_, None, dyn StateTable>>();
        is_send::<Entry<'_>>();
        is_send::<Transitions<u32>>();
        is_send::<Reducing<'_, None>>();
        is_send::<Sleep<u32>>();
        is_send::<RunCompression<u32>>();
        is_send::<Draw>();
        is_send::<Tally>();
        is_send::<Frames<u32>>();
    }
}
