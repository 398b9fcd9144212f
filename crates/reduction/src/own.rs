//! `own`: a thread's own object, the locks that name it, and a clock that nobody else looks at.
//!
//! A `Thread` object is in the hands of whoever started it, and of the thread itself. Most of its fields are nobody's business but
//! the thread's own: what it runs, its local variables, all that is cleared when it ends. A field that, once the object is
//! shared, only the thread itself accesses commutes with whatever the others do.
//!
//! Newer JDKs keep a part of these fields in a second object, which belongs to one thread for ever and counts as the thread's own as well.
//!
//! Which fields these are is guessed, for each class and field. SOUNDNESS: the owner is given by the object and never changes, so
//! the guess needs no history. Let some execution have a first access by another thread; all the owner's accesses to the
//! field commute with what comes before it, so an execution that takes them early and was not left out has it, too. There it
//! is seen, because every access is looked at, also one that commutes for another reason.
//!
//! SOUNDNESS: what others do to the object before the thread is started, or after it has ended, does not matter: start and end are steps
//! that touch the whole object, and the second one, so whoever could as well come in between is seen there, too.
//!
//! A lock that is made of fields names its owner in one of them. That field is the owner's own in much the same way, though the
//! owner changes: he names himself, and whoever else looks there only wants to know whether it is he, which is so before and after. And as
//! long as there is an owner, nobody else changes the lock, so the owner finds it as he left it. That is guessed
//! for each class of locks ([`Tenure`]). SOUNDNESS: let some execution have a first access that is against it. Whatever was taken early
//! on its account until then comes to the same early and late: what others do in order changes neither whether a thread is the owner, nor
//! the lock while it is. A thread that names itself early may find that another does so before it would have; then the other one finds an
//! owner where it should find none. All of this is seen as long as the owner is named, and that he is: to remove himself is a step before
//! which all others have their turn. (If that commuted as well, all that he does as the owner could be over before anybody looks.)
//!
//! The clock goes on where a time limit is over, and is read where one begins. Where all that is done by one thread, the clock is its
//! own, for the same reason as a field of its own object. SOUNDNESS: a step of another thread that drops the last moment which somebody
//! remembers has the clock set back, without naming it. That only shifts all times at once, of which no program can tell.

use crate::assumption::{Guess, Guesses};
use crate::independence::Independence;
use kernel::{Place, Tenure, ThreadId, Touch, View};

/// The independence.
#[derive(Default)]
pub struct Own {
    /// The thread that was the first to look at the clock.
    clock: Option<ThreadId>,
}

impl<S: View> Independence<S> for Own {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: Touch,
        guesses: &mut Guesses,
    ) -> bool {
        let tenure = system.tenure(state, thread, touch);
        if tenure.is_some() {
            return tenure == Some(Tenure::Own) && guesses.try_rely(Guess::Named);
        }
        if touch.place == Place::CLOCK {
            return self.clock == Some(thread) && !system.is_renamed(state, thread) && guesses.try_rely(Guess::Clock);
        }
        let cell = touch.place.cell;
        if matches!(cell, Place::MONITOR | Place::WHOLE) || system.stands_for(state, thread, touch.place) != Some(true)
        {
            return false;
        }
        let Some(class) = system.class_of(state, touch.place) else {
            return false;
        };
        // Who accesses the whole object accesses the field.
        guesses.holds(Guess::Own(class, Place::WHOLE))
            && guesses.try_rely(Guess::Own(class, cell))
            && guesses.try_rely(Guess::Own(class, Place::WHOLE))
    }

    fn minds(&self, system: &S, state: &mut S::State, place: Place, _guesses: &Guesses) -> bool {
        system.may_be_held(state, place)
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        // One that is met under several numbers may be another one.
        let is_clock = touch.place == Place::CLOCK;
        if is_clock && (*self.clock.get_or_insert(thread) != thread || system.is_renamed(state, thread)) {
            guesses.breach(Guess::Clock, thread, touch.place);
        }
        if system.tenure(state, thread, touch) == Some(Tenure::Broken) && system.has_escaped(state, touch.place) {
            guesses.breach(Guess::Named, thread, touch.place);
        }
        if touch.place.cell != Place::MONITOR
            && system.stands_for(state, thread, touch.place) == Some(false)
            && system.has_escaped(state, touch.place)
            && let Some(class) = system.class_of(state, touch.place)
        {
            guesses.breach(Guess::Own(class, touch.place.cell), thread, touch.place);
        }
    }
}
