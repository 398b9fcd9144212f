//! `dominated`: objects behind a locked self-locking one (Dwyer et al., section 6.2 and appendix D).
//!
//! An object commutes as a local one does if every way by which any other thread can get to it goes through an object of a
//! self-locking class that this thread has locked: who keeps to self-locking cannot get past it.
//!
//! The paper's algorithm 5 unites, over the other threads, what shields an object from each (lines 5.8 to 5.10); that takes an
//! object for dominated which a third thread reaches freely. Here one traversal from all other threads' roots, which does
//! not go past the locked objects, must not meet it.

use crate::assumption::{Assumption, Assumptions};
use crate::independence::Independence;
use crate::query_throttle::QueryThrottle;
use crate::selflock;
use kernel::{Location, MemoryAccess, ThreadId, View};
use std::cell::RefCell;

/// The independence.
pub struct Dominated {
    throttle: QueryThrottle,
    /// Whether somebody else looks after the classes that are assumed to be self-locking.
    is_watched: bool,
}

impl Dominated {
    /// The independence. Whoever has `selflock` as well has the same assumptions checked by it.
    pub fn new(is_watched: bool) -> Dominated {
        Dominated {
            throttle: QueryThrottle::default(),
            is_watched,
        }
    }
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
            let holds = assumptions.holds(Assumption::SelfLocking(class));
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
                assumptions.rely(Assumption::SelfLocking(class));
            }
        }
        dominated
    }

    fn watches(&self, system: &S, state: &mut S::State, location: Location, assumptions: &Assumptions) -> bool {
        !self.is_watched && selflock::watches(system, state, location, assumptions)
    }

    fn watch(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: MemoryAccess,
        assumptions: &mut Assumptions,
    ) {
        if !self.is_watched {
            selflock::watch(system, state, thread, touch, assumptions);
        }
    }
}
