//! `final`, for what is settled before the program begins: volatile fields of the library that are only read from then on.
//!
//! The library looks at such fields all the time: how far the JDK has started, the highest priority of a thread group, the table of a
//! cache that is filled. They are not final, but a place that is not written any more commutes with whatever the others do.
//!
//! Which places these are is guessed, for each by itself. SOUNDNESS: the place exists in the first state, and has the same name in all.
//! Let some execution have a first write to it; all reads before commute with what comes before them, so an execution that takes
//! them early and was not left out has it, too. There it is seen, because every access is looked at.

use crate::assumption::{Guess, Guesses};
use crate::independence::Independence;
use kernel::{Place, ThreadId, Touch, View};

/// The independence.
pub struct Settled;

/// Stands for the static fields, whose objects have no class of their own.
const STATICS: u32 = 0;

fn guess<S: View>(system: &S, state: &mut S::State, place: Place) -> Guess {
    let class = system.class_of(state, place).unwrap_or(STATICS);
    Guess::Settled(class, place.object, place.cell)
}

impl<S: View> Independence<S> for Settled {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        _thread: ThreadId,
        touch: Touch,
        guesses: &mut Guesses,
    ) -> bool {
        let place = touch.place;
        if !touch.access.is_read()
            || matches!(place.cell, Place::MONITOR | Place::WHOLE)
            || !system.is_settled(state, place)
        {
            return false;
        }
        // Who writes the whole object writes the field.
        let cell = Place::WHOLE;
        let whole = guess(system, state, Place { cell, ..place });
        let field = guess(system, state, place);
        guesses.holds(whole) && guesses.try_rely(field) && guesses.try_rely(whole)
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        if !touch.access.is_read() && touch.place.cell != Place::MONITOR && system.is_settled(state, touch.place) {
            let guess = guess(system, state, touch.place);
            guesses.breach(guess, thread, touch.place);
        }
    }
}
