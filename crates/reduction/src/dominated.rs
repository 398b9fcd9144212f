//! `dominated`: objects behind a locked self-locking one (Dwyer et al., section 6.2 and appendix D).
//!
//! An object commutes as a local one does if every way by which any other thread can get to it goes through an object of a
//! self-locking class that this thread has locked: who keeps to self-locking cannot get past it.
//!
//! The paper's algorithm 5 unites, over the other threads, what shields an object from each (lines 5.8 to 5.10); that takes an
//! object for dominated which a third thread reaches freely. Here one traversal from all other threads' roots, which does
//! not go past the locked objects, must not meet it.

use crate::Ample;
use crate::description::{Description, Goes};
use crate::independence::Independence;
use crate::query_throttle::QueryThrottle;
use crate::selflock::SELF_LOCKING;
use crate::watches_nothing;
use kernel::{Assumptions, MemoryAccess, ThreadId, View};
use std::cell::RefCell;

pub(crate) static DESCRIPTION: Description = Description {
    goes: Goes::Needs("selflock"),
    assumes: &[&SELF_LOCKING],
    in_auto: true,
    keeps_preemptions: true,
    ..Description::new(
        "dominated",
        "nor are objects that others can only reach through such a locked one",
    )
};

pub(crate) fn add<S: View>(ample: &mut Ample<S>) {
    ample.prove(70, Box::<Dominated>::default());
}

/// The independence.
#[derive(Default)]
struct Dominated {
    throttle: QueryThrottle,
}

impl<S: View> Independence<S> for Dominated {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) -> bool {
        let relied = RefCell::new(Vec::new());
        let locks = |class: u32| {
            let holds = assumptions.holds(SELF_LOCKING.of(class));
            if holds && !relied.borrow().contains(&class) {
                relied.borrow_mut().push(class);
            }
            holds
        };
        let spot = system.spot(state, thread);
        let question = || system.is_dominated(state, thread, touch.location, &locks);
        let dominated = self.throttle.ask(spot, question);
        if dominated {
            for class in relied.into_inner() {
                assumptions.rely(SELF_LOCKING.of(class));
            }
        }
        dominated
    }

    fn takes_nothing(&self) -> bool {
        true
    }
}

watches_nothing!(Dominated);
