//! `escape-static`: objects that were proved beforehand never to be shared (Dwyer et al., section 5.1 and appendix A).

use crate::assumption::Guesses;
use crate::independence::Independence;
use kernel::{Place, ThreadId, Touch, View};

/// The independence.
pub struct EscapeStatic;

impl<S: View> Independence<S> for EscapeStatic {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        _thread: ThreadId,
        touch: Touch,
        _guesses: &mut Guesses,
    ) -> bool {
        system.is_proved_local(state, touch.place)
    }

    fn takes_nothing(&self) -> bool {
        false
    }

    fn minds(&self, _system: &S, _state: &mut S::State, _place: Place, _guesses: &Guesses) -> bool {
        false
    }
}
