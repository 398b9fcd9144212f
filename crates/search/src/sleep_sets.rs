//! Sleep sets, with state matching (Godefroid 1996, chapter 5).
//!
//! Once an action was tried at a state, it sleeps in what comes after another action there, as long as it commutes with what is done:
//! the other order has been explored. It is neither tried nor does it count as left out.
//!
//! SOUNDNESS: a state that is met again was explored without what was asleep the first time. What is awake now is tried there after
//! all, and what is asleep both times is what stays left out: that is the remainder, which is kept with the state. While it is tried,
//! only the remainder is asleep: what was tried at the first visit has had no other order explored on behalf of this one.
//!
//! SOUNDNESS: with ample or persistent sets, a state whose chosen actions are all asleep would make no step that leaves the path, and
//! would put off the other threads on the word of one that may have gone round in a circle. So one of them is woken there, and then the
//! state is like any other.
//!
//! Actions are compared along the path as they are, and with those of another visit by names that do not depend on how threads and
//! objects are numbered. What has no name stays awake. A store that cannot tell which state it was has nothing to keep a remainder
//! with, so nothing sleeps there.

use crate::expand::Explorer;
use crate::step::Choice;
use kernel::System;
use std::mem::size_of;
use store::{Seen, SideTable, StateId, StateTable};

/// What is asleep, and what was.
pub(crate) struct Sleep<A> {
    /// Whether anything ever is.
    pub is_on: bool,
    /// The actions that are asleep in the state at hand.
    pub now: Vec<A>,
    stored: StoredSleepSets,
    /// What is to be tried after all at the state that was met again last.
    due: Vec<u64>,
}

impl<A> Sleep<A> {
    /// Nothing is asleep.
    pub fn new(is_on: bool) -> Self {
        Sleep {
            is_on,
            now: Vec::new(),
            stored: StoredSleepSets::default(),
            due: Vec::new(),
        }
    }

    /// Memory.
    pub fn bytes(&self) -> usize {
        self.stored.of.bytes() as usize + self.stored.names * size_of::<u64>()
    }
}

/// What was left out at states because it was asleep, by names.
#[derive(Default)]
struct StoredSleepSets {
    of: SideTable<Box<[u64]>>,
    names: usize,
}

impl StoredSleepSets {
    /// Keeps what is asleep at a state that is new.
    fn set(&mut self, id: StateId, names: Vec<u64>) {
        self.names += names.len();
        self.of.with(id, |kept| *kept = names.into());
    }

    /// At a state that was met again: what was asleep there and is so once more, which stays, and what is to be tried after all.
    fn meet(&mut self, id: StateId, asleep: &[Option<u64>]) -> (Vec<u64>, Vec<u64>) {
        let (still, due): (Vec<u64>, Vec<u64>) = self.of.with(id, |kept| {
            let (still, due): (Vec<u64>, _) = kept.iter().partition(|&&name| asleep.contains(&Some(name)));
            if !due.is_empty() {
                *kept = still.as_slice().into();
            }
            (still, due)
        });
        self.names -= due.len();
        (still, due)
    }
}

impl<S: System, V: StateTable + ?Sized> Explorer<'_, S, V> {
    fn name(&self, state: &mut S::State, action: S::Action) -> Option<u64> {
        self.reducing
            .reduction
            .as_ref()?
            .name(self.context.system, state, action)
    }

    /// Notes what is asleep in a state that was entered. Whether it was known, and something was asleep there that is awake now.
    pub(crate) fn wakes(&mut self, state: &mut S::State, seen: Seen) -> bool {
        let Some(id) = seen.id else {
            self.sleep.now.clear();
            return false;
        };
        let asleep: Vec<Option<u64>> = (0..self.sleep.now.len())
            .map(|at| self.name(state, self.sleep.now[at]))
            .collect();
        if seen.new {
            self.sleep.stored.set(id, asleep.into_iter().flatten().collect());
            return false;
        }
        let (still, due) = self.sleep.stored.meet(id, &asleep);
        if due.is_empty() {
            return false;
        }
        let mut names = asleep.iter();
        self.sleep.now.retain(|_| {
            names
                .next()
                .is_some_and(|name| name.is_some_and(|name| still.contains(&name)))
        });
        self.sleep.due = due;
        true
    }

    /// Keeps those choices that are to be tried at a state that was met again.
    pub fn keep_due(&mut self, state: &mut S::State, choices: &mut Vec<Choice<S::Action>>) {
        choices.retain(|choice| {
            let name = self.name(state, choice.action);
            name.is_some_and(|name| self.sleep.due.contains(&name))
        });
    }

    /// Drops the choices from `from` on that are asleep, all or, if one is to be woken, all but one; and puts to sleep, for each that is
    /// left, what commutes with it: of `asleep`, which is what sleeps in the state at hand, and of the choices before it. The transitions
    /// are those of the state.
    pub fn put_to_sleep(
        &mut self,
        state: &mut S::State,
        from: usize,
        asleep: (u32, u32),
        wakes_one: bool,
        choices: &mut Vec<Choice<S::Action>>,
        sleepers: &mut Vec<S::Action>,
    ) {
        let own = asleep.0 as usize..asleep.1 as usize;
        let mut kept = from;
        for at in from..choices.len() {
            let is_last = at + 1 == choices.len();
            let is_needed = wakes_one && is_last && kept == from;
            if is_needed || !sleepers[own.clone()].contains(&choices[at].action) {
                choices[kept] = choices[at];
                kept += 1;
            }
        }
        choices.truncate(kept);
        for at in from..kept {
            let begin = sleepers.len() as u32;
            for sleeper in own.clone() {
                let sleeper = sleepers[sleeper];
                if self.stays_asleep(state, sleeper, choices[at].action) {
                    sleepers.push(sleeper);
                }
            }
            for tried in 0..at {
                let tried = choices[tried].action;
                if self.name(state, tried).is_some() && self.stays_asleep(state, tried, choices[at].action) {
                    sleepers.push(tried);
                }
            }
            choices[at].asleep = (begin, sleepers.len() as u32);
        }
    }

    /// Wakes whatever does not commute with a step that is about to be taken. The transitions are those of the state.
    pub(crate) fn stir(&mut self, state: &mut S::State, choice: &Choice<S::Action>) {
        let mut sleep = std::mem::take(&mut self.sleep.now);
        sleep.retain(|&sleeper| self.stays_asleep(state, sleeper, choice.action));
        self.sleep.now = sleep;
    }

    fn stays_asleep(&mut self, state: &mut S::State, sleeper: S::Action, action: S::Action) -> bool {
        let find = |wanted: S::Action| {
            let entries = self.transitions.entries();
            entries.iter().find(|entry| entry.enabled && entry.action == wanted)
        };
        match (find(sleeper), find(action), &mut self.reducing.reduction) {
            (Some(one), Some(two), Some(reduction)) => {
                one.thread != two.thread && reduction.commute(self.context.system, state, &self.transitions, one, two)
            }
            _ => false,
        }
    }
}
