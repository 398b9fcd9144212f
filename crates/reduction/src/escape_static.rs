//! `escape-static`: objects that were proved beforehand never to be shared (Dwyer et al., section 5.1 and appendix A).

use crate::assumption::Assumptions;
use crate::independence::Independence;
use kernel::{Location, MemoryAccess, ThreadId, View};

/// The independence.
pub struct EscapeStatic;

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

    fn watches(&self, _system: &S, _state: &mut S::State, _location: Location, _assumptions: &Assumptions) -> bool {
        false
    }
}
