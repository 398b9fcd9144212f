//! `selflock`: weak self-locking (Dwyer et al., section 6.1).
//!
//! A class is self-locking if its shared objects are only accessed by threads that have locked them. Whoever has locked one has it
//! for himself until he gives the lock back, and an access then commutes. Taking a lock does not: another thread may take it first.
//!
//! That a class is self-locking is guessed. SOUNDNESS: every access to an object that was ever shared must keep to it, also one that
//! commutes for another reason; that the object happens to be local now does not excuse it, because the schedule in which it
//! was not may be the one that was left out.

use crate::assumption::{Guess, Guesses};
use crate::independence::{Independence, gives_back};
use kernel::{Place, ThreadId, Touch, View};

/// The independence.
pub struct SelfLock;

/// Whether an access to a place may be against self-locking.
pub(crate) fn minds<S: View>(system: &S, state: &mut S::State, place: Place, guesses: &Guesses) -> bool {
    let class = system.class_of(state, place);
    class.is_some_and(|class| guesses.stands(Guess::SelfLocking(class)))
}

/// Notes an access that does not keep to self-locking.
pub(crate) fn watch<S: View>(system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
    if touch.place.cell == Place::MONITOR {
        return;
    }
    if let Some(class) = system.class_of(state, touch.place)
        && guesses.holds(Guess::SelfLocking(class))
        && !system.holds(state, thread, touch.place)
        && system.has_escaped(state, touch.place)
    {
        guesses.breach(Guess::SelfLocking(class), thread, touch.place);
    }
}

impl<S: View> Independence<S> for SelfLock {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: Touch,
        guesses: &mut Guesses,
    ) -> bool {
        let Some(class) = system.class_of(state, touch.place) else {
            return false;
        };
        if gives_back(system, state, thread, touch) {
            return true;
        }
        if touch.place.cell == Place::MONITOR || !system.holds(state, thread, touch.place) {
            return false;
        }
        let guess = Guess::SelfLocking(class);
        let holds = guesses.holds(guess);
        if holds {
            guesses.rely(guess);
        }
        holds
    }

    fn minds(&self, system: &S, state: &mut S::State, place: Place, guesses: &Guesses) -> bool {
        minds(system, state, place, guesses)
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        watch(system, state, thread, touch, guesses);
    }
}
