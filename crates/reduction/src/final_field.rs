//! `final`: final fields.
//!
//! A final field that is written only before its object is shared never changes for anybody else, so reading it commutes.
//! With the local variables, which are in no footprint, this is the yardstick LocalFinal of Stoller and Cohen (2006, section 11).
//!
//! That it is not written later (by a constructor that gave `this` away, or by reflection) is guessed for each class, and
//! checked.

use crate::assumption::{Guess, Guesses};
use crate::independence::Independence;
use kernel::{Place, ThreadId, Touch, View};

/// The independence.
pub struct FinalField;

/// Stands for the static fields, whose objects have no class of their own.
const STATICS: u32 = 0;

impl<S: View> Independence<S> for FinalField {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        _thread: ThreadId,
        touch: Touch,
        guesses: &mut Guesses,
    ) -> bool {
        if !touch.access.is_read() || !system.is_final(state, touch.place) {
            return false;
        }
        let guess = Guess::Final(system.class_of(state, touch.place).unwrap_or(STATICS));
        let holds = guesses.holds(guess);
        if holds {
            guesses.rely(guess);
        }
        holds
    }

    fn minds(&self, system: &S, state: &mut S::State, place: Place, _guesses: &Guesses) -> bool {
        system.is_final(state, place)
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        if touch.access.is_read() || touch.place.cell == Place::MONITOR {
            return;
        }
        // A write to a whole object is one to each of its final fields.
        let mut parts = Vec::new();
        if touch.place.cell == Place::WHOLE {
            system.parts(state, touch, &mut parts);
        }
        let of_place = [touch.place].into_iter();
        let mut places = of_place.chain(parts.into_iter().map(|part| part.place));
        if places.any(|place| system.is_final(state, place)) && system.has_escaped(state, touch.place) {
            let class = system.class_of(state, touch.place).unwrap_or(STATICS);
            guesses.breach(Guess::Final(class), thread, touch.place);
        }
    }
}
