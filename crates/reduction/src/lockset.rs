//! `lockset`: locking disciplines (Dwyer et al., section 6.3).
//!
//! A field of a shared object, an array or a static field that is only read since it was shared, or at every access to which some one
//! lock was held, commutes with what others do while that lock is held. Which lock it is, the record in the state tells; that it
//! goes on like this is guessed for each variable. The paper has a record for each object; with one for each field, those of an object
//! may be protected by different locks.
//!
//! SOUNDNESS: every access to a shared object goes into its record, also one that commutes for another reason. A guess is broken
//! once some record is empty, written and unlocked, and anything rested on it. While a thread has the locks of a record, nobody else has
//! any of them, so an access by another before its own leaves that record empty, in either order. That nobody loses a lock
//! to another thread is the machine's word for monitors, and a guess for locks that are made of fields: if it is wrong, these are no
//! locks.

use crate::assumption::{Guess, Guesses};
use crate::independence::Independence;
use kernel::{Place, Protection, ThreadId, Touch, View};

/// The independence.
#[derive(Default)]
pub struct Lockset {
    parts: Vec<Touch>,
}

/// What is guessed about a variable.
pub(crate) fn guess<S: View>(system: &S, state: &mut S::State, place: Place) -> Guess {
    let (of, cell) = system.variable_of(state, place);
    Guess::Exclusive(of, cell)
}

/// Notes an access that takes a lock from its owner.
pub(crate) fn watch_owners<S: View>(
    system: &S,
    state: &mut S::State,
    thread: ThreadId,
    touch: Touch,
    guesses: &mut Guesses,
) {
    if !touch.access.is_read() && system.usurps(state, thread, touch.place) && guesses.holds(Guess::Owners) {
        guesses.breach(Guess::Owners, thread, touch.place);
    }
}

/// What of the guess about a variable is wrong with this protection, if anything.
pub(crate) fn broken(guess: Guess, protection: Protection) -> Option<Guess> {
    match (protection, guess) {
        (Protection::Unlocked, Guess::Exclusive(of, cell)) => Some(Guess::Locked(of, cell)),
        (Protection::Open, _) => Some(guess),
        _ => None,
    }
}

/// What has to hold so that nobody else accesses a variable, by its guess.
pub(crate) fn rely(guess: Guess, guesses: &mut Guesses) {
    guesses.rely(guess);
    if guesses.holds(Guess::Owners) {
        guesses.rely(Guess::Owners);
    }
    if let Guess::Exclusive(of, cell) = guess
        && guesses.holds(Guess::Locked(of, cell))
    {
        guesses.rely(Guess::Locked(of, cell));
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
        if touch.place.cell == Place::MONITOR {
            return false;
        }
        let guess = guess(system, state, touch.place);
        if !guesses.holds(guess) {
            return false;
        }
        let protection = system.protection(state, thread, touch.place, touch.access);
        let protected = matches!(protection, Some(Protection::ReadOnly | Protection::Locked));
        if protected {
            rely(guess, guesses);
        }
        protected
    }

    fn minds(&self, system: &S, state: &mut S::State, place: Place, _guesses: &Guesses) -> bool {
        system.may_be_protected(state, place) || system.may_be_held(state, place)
    }

    fn watch(&mut self, system: &S, state: &mut S::State, thread: ThreadId, touch: Touch, guesses: &mut Guesses) {
        watch_owners(system, state, thread, touch, guesses);
        if touch.place.cell == Place::MONITOR {
            return;
        }
        let mut parts = std::mem::take(&mut self.parts);
        system.parts(state, touch, &mut parts);
        for part in parts.drain(..) {
            let protection = system.protection(state, thread, part.place, part.access);
            if let Some(protection @ (Protection::Unlocked | Protection::Open)) = protection {
                let guess = guess(system, state, part.place);
                if let Some(broken) = broken(guess, protection).filter(|_| guesses.holds(guess)) {
                    guesses.breach(broken, thread, part.place);
                }
            }
        }
        self.parts = parts;
    }
}
