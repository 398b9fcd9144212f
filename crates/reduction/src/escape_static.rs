//! `escape-static`: objects that were proved beforehand never to be shared (Dwyer et al., section 5.1 and appendix A).
//!
//! SOUNDNESS: the proof is about all executions, so nobody else ever gets hold of such an object, and no access to it, its monitor included,
//! can be interfered with.

use crate::Ample;
use crate::description::Description;
use crate::independence::Independence;
use crate::watches_nothing;
use kernel::{Assumptions, Instrumentation, MemoryAccess, ThreadId, View};

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::PROOFS,
    keeps_preemptions: true,
    ..Description::new(
        "escape-static",
        "objects proved beforehand never to be shared are no reason to switch threads",
    )
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(10, Box::new(EscapeStatic));
}

/// The independence.
struct EscapeStatic;

impl<S: View> Independence<S> for EscapeStatic {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        _thread: ThreadId,
        touch: MemoryAccess,
        _assumptions: &mut Assumptions,
    ) -> bool {
        system.is_proved_local(state, touch.location)
    }

    fn takes_nothing(&self) -> bool {
        false
    }
}

watches_nothing!(EscapeStatic);
