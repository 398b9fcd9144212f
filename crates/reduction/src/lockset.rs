//! `lockset`: locking disciplines (Dwyer et al., section 6.3).
//!
//! A shared object, or static field, that is only read since it was shared, or at every access to which some one lock was held,
//! commutes with what others do while that lock is held. Which lock it is, the record in the state tells; that it goes on like
//! this is guessed for each class and each static field.
//!
//! SOUNDNESS: every access to a shared object goes into its record, also one that commutes for another reason. A guess is broken
//! once some record is empty, written and unlocked, and anything rested on it. While a thread has the locks of a record, nobody else has
//! any of them, so an access by another before its own leaves that record empty, in either order. That nobody loses a lock
//! to another thread is the machine's word for monitors, and a guess for locks that are made of fields.

use crate::guess::{Guess, Guesses};
use crate::independence::Independence;
use kernel::{Place, Protection, ThreadId, Touch, View};

/// The independence.
pub struct Lockset;

fn guess<S: View>(system: &S, state: &mut S::State, touch: Touch) -> Option<Guess> {
    if touch.place.cell == Place::MONITOR {
        return None;
    }
    let (class, cell) = system.owner_of(state, touch.place)?;
    Some(Guess::Protected(class, cell))
}

/// Notes an access that takes a lock from its owner.
pub(crate) fn watch_owners<S: View>(
    system: &S,
    state: &mut S::State,
    thread: ThreadId,
    touch: Touch,
    guesses: &mut Guesses,
) {
    if !touch.access.is_read() && guesses.holds(Guess::Owners) && system.usurps(state, thread, touch.place) {
        guesses.breach(Guess::Owners, thread, touch.place);
    }
}

impl<S: View> Independence<S> for Lockset {
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        thread: ThreadId,
        touch: Touch,
        guesses: &mut Guesses,
    ) -> bool {
        let Some(guess) = guess(system, state, touch).filter(|&guess| guesses.holds(guess)) else {
            return false;
        };
        let protection = system.protection(state, thread, touch.place, touch.access);
        let protected = matches!(protection, Some(Protection::ReadOnly | Protection::Locked));
        if !protected || !guesses.holds(Guess::Owners) {
            return false;
        }
        guesses.rely(guess);
        guesses.rely(Guess::Owners);
        true
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        watch_owners(system, state, thread, touch, guesses);
        let Some(guess) = guess(system, state, touch).filter(|&guess| guesses.holds(guess)) else {
            return;
        };
        if system.protection(state, thread, touch.place, touch.access) == Some(Protection::Open) {
            guesses.breach(guess, thread, touch.place);
        }
    }
}
