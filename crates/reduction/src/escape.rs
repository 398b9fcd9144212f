//! `escape`: dynamic escape (Dwyer et al., section 5.2).
//!
//! An object that only this thread can get hold of in this state stays so until the thread itself gives it away: the others can
//! only get hold of what they reach. So they cannot interfere with any access to it, its monitor included. The start of a thread
//! is an access to its thread object and goes through the same test. So does what is as good as local: giving back a monitor that
//! one has.

use crate::Ample;
use crate::description::Description;
use crate::independence::{Independence, gives_back};
use crate::query_throttle::QueryThrottle;
use crate::watches_nothing;
use kernel::{Assumptions, Instrumentation, MemoryAccess, ThreadId, View};

pub(crate) static DESCRIPTION: Description = Description {
    needs: Instrumentation::ESCAPE_BITS.and(Instrumentation::LOCAL_COMMUTES),
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new(
        "escape",
        "objects that only one thread can reach in a state are no reason to switch there",
    )
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(40, Box::<Escape>::default());
}

/// The independence.
#[derive(Default)]
struct Escape {
    throttle: QueryThrottle,
}

impl<S: View> Independence<S> for Escape {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        _assumptions: &mut Assumptions,
    ) -> bool {
        if gives_back(system, state, thread, touch) {
            return true;
        }
        let soon = system.is_soon_known_local(state, thread, touch.location);
        soon.unwrap_or_else(|| {
            let spot = system.spot(state, thread);
            self.throttle
                .ask(spot, || system.is_local(state, thread, touch.location))
        })
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

watches_nothing!(Escape);
