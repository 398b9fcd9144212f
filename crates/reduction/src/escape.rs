//! `escape`: dynamic escape (Dwyer et al., section 5.2).
//!
//! An object that only this thread can get hold of in this state stays so until the thread itself gives it away: the others can
//! only get hold of what they reach. So they cannot interfere with any access to it, its monitor included. The start of a thread
//! is an access to its thread object and goes through the same test. So does what is as good as local: giving back a monitor that
//! one has.

use crate::guess::Guesses;
use crate::independence::{Independence, gives_back};
use crate::patience::Patience;
use kernel::{ThreadId, Touch, View};

/// The independence.
#[derive(Default)]
pub struct Escape {
    patience: Patience,
}

impl<S: View> Independence<S> for Escape {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: Touch,
        _guesses: &mut Guesses,
    ) -> bool {
        let spot = system.spot(state, thread);
        gives_back(system, state, thread, touch)
            || self.patience.ask(spot, || system.is_local(state, thread, touch.place))
    }
}
