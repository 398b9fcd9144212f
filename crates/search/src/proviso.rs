//! The cycle proviso: no thread is put off for ever (condition C3 of ample sets).
//!
//! A reduction may say that the steps of some threads are enough at a state. Their order with the steps of the others does not matter, but
//! around a cycle the others might be put off again and again, and never be tried. The proviso says when a state must be opened in full
//! after all.
//!
//! SOUNDNESS: this is the form that is enough for safety, and for ends that cannot be reached (`livelock`). A state may put off threads if
//! one of its steps leads *away*. What that is depends on the order of the search.
//!
//! - Depth-first (Holzmann, Godefroid, Pirottin 1992), away is off the path. Such a state is left before this one, a new one included. By
//!   induction over the order in which states are left, what is put off here is tried somewhere behind that step. The first
//!   state to be left has no step that leads away, so it is opened in full.
//! - Breadth-first (Bošnački and Holzmann 2005), away is into the queue. Such a state is opened after this one, and the induction goes from
//!   the last state that is opened backwards.
//!
//! Formulas about infinite executions need more than this form gives: each cycle must have a state that is opened in full, so there a single
//! step that leads back is reason enough.

use crate::bounds::Schedule;
use crate::expand::Explorer;
use crate::step::Choice;
use kernel::System;
use store::{StateId, StateSet, StateTable};

/// Where a step has led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// To a state that does not wait for the one that it came from.
    Away,
    /// To one that does, or may do so.
    Back,
}

/// What a state owes to the threads that are put off there, in the form that is enough for safety.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SafetyProviso {
    owes: bool,
}

impl SafetyProviso {
    /// A state was opened, with the steps of some threads only if `reduced`.
    pub fn new(reduced: bool) -> SafetyProviso {
        SafetyProviso { owes: reduced }
    }

    /// One of its steps has led somewhere.
    #[inline]
    pub fn follow(&mut self, leads: Leads) {
        self.owes &= leads == Leads::Back;
    }

    /// All steps that were chosen have been taken: whether the others are due. They are so once.
    #[inline]
    pub fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.owes)
    }
}

/// The states on the path of a depth-first search.
#[derive(Default)]
pub(crate) struct OnPath {
    states: StateSet,
}

impl OnPath {
    /// A state becomes the end of the path; whether it is on it already. Not all tables can tell which state it is.
    pub fn enter(&mut self, id: Option<StateId>) -> bool {
        let Some(id) = id else { return false };
        let is_present = self.states.contains(id);
        self.states.set(id, true);
        is_present
    }

    /// The end of the path is left, and `stays` on it further up or not.
    pub fn leave(&mut self, id: Option<StateId>, stays: bool) {
        if let Some(id) = id {
            self.states.set(id, stays);
        }
    }

    /// Where a step from the end of the path to a known state leads.
    pub fn leads(&self, id: Option<StateId>) -> Leads {
        match id {
            Some(id) if !self.states.contains(id) => Leads::Away,
            _ => Leads::Back,
        }
    }

    /// Memory.
    pub fn bytes(&self) -> usize {
        self.states.bytes() as usize
    }
}

/// Where a step from the state with a number to a known state leads, if states are opened in the order of their numbers.
pub(crate) fn leads_in_queue(id: Option<StateId>, from: u64) -> Leads {
    match id {
        Some(id) if id.number() > from => Leads::Away,
        _ => Leads::Back,
    }
}

impl<S: System, V: StateTable + ?Sized> Explorer<'_, S, V> {
    /// Opens a state in full: appends the choices that are not among those that were tried.
    pub fn reopen(&mut self, state: &mut S::State, schedule: Schedule, choices: &mut Vec<Choice<S::Action>>) {
        let first = choices.len();
        self.look(state, schedule, true, choices);
        let (tried, all) = choices.split_at(first);
        let is_new = |choice: &&Choice<S::Action>| tried.iter().all(|tried| tried.action != choice.action);
        let others: Vec<_> = all.iter().filter(is_new).copied().collect();
        choices.truncate(first);
        choices.extend(others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_away_is_enough() {
        let mut proviso = SafetyProviso::new(true);
        for leads in [Leads::Back, Leads::Away, Leads::Back] {
            proviso.follow(leads);
        }
        assert!(!proviso.take_due());
    }

    #[test]
    fn a_state_whose_steps_all_lead_back_is_opened_in_full_once() {
        let mut proviso = SafetyProviso::new(true);
        proviso.follow(Leads::Back);
        assert!(proviso.take_due());
        assert!(!proviso.take_due());
        assert!(!SafetyProviso::new(false).take_due());
    }

    #[test]
    fn what_is_on_the_path_twice_stays_until_it_is_left_twice() {
        let (mut path, id) = (OnPath::default(), Some(StateId::new(5)));
        assert_eq!(path.leads(id), Leads::Away);
        assert!(!path.enter(id));
        let again = path.enter(id);
        assert!(again);
        path.leave(id, again);
        assert_eq!(path.leads(id), Leads::Back);
        path.leave(id, false);
        assert_eq!(path.leads(id), Leads::Away);
        // What has no number may be on it.
        assert!(!path.enter(None));
        assert_eq!(path.leads(None), Leads::Back);
    }
}
