//! `own`: a thread's own object.
//!
//! A `Thread` object is in the hands of whoever started it, and of the thread itself. Most of its fields are nobody's business but
//! the thread's own: what it runs, its local variables, all that is cleared when it ends. A field that, once the object is
//! shared, only the thread itself accesses commutes with whatever the others do.
//!
//! Which fields these are is guessed, for each class and field. SOUNDNESS: the owner is given by the object and never changes, so
//! the guess needs no history. Let some execution have a first access by another thread; all the owner's accesses to the
//! field commute with what comes before it, so an execution that takes them early and was not left out has it, too. There it
//! is seen, because every access is looked at, also one that commutes for another reason.
//!
//! SOUNDNESS: what others do to the object before the thread is started, or after it has ended, does not matter: start and end are steps
//! that touch the whole object, so whoever could as well come in between is seen there, too.

use crate::guess::{Guess, Guesses};
use crate::independence::Independence;
use kernel::{Place, ThreadId, Touch, View};

/// The independence.
pub struct Own;

impl<S: View> Independence<S> for Own {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: Touch,
        guesses: &mut Guesses,
    ) -> bool {
        let cell = touch.place.cell;
        if matches!(cell, Place::MONITOR | Place::WHOLE) || system.stands_for(state, thread, touch.place) != Some(true)
        {
            return false;
        }
        let Some(class) = system.class_of(state, touch.place) else {
            return false;
        };
        // Who accesses the whole object accesses the field.
        let rests_on = [Guess::Own(class, cell), Guess::Own(class, Place::WHOLE)];
        let holds = rests_on.iter().all(|&guess| guesses.holds(guess));
        if holds {
            rests_on.iter().for_each(|&guess| guesses.rely(guess));
        }
        holds
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        if touch.place.cell != Place::MONITOR
            && system.stands_for(state, thread, touch.place) == Some(false)
            && system.has_escaped(state, touch.place)
            && let Some(class) = system.class_of(state, touch.place)
        {
            guesses.breach(Guess::Own(class, touch.place.cell), thread, touch.place);
        }
    }
}
