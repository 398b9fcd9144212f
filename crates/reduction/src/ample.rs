//! Ample sets over state-sensitive independence.
//!
//! After Dwyer, Hatcliff, Robby and Ranganath (2004), sections 3 and 4. At a state, one thread is enough if all its current
//! actions, disabled ones included, commute with whatever the others may do before (C1). Its actions are then all that is tried
//! there. C0 holds because the thread has an enabled action. C3 is the search's own care. Where no thread is enough by itself,
//! `persistent` may know several that are together.
//!
//! C2: nothing that a property looks at is lost.
//! * A deadlock is a state without successors, which ample sets keep by C0 and C1 alone; a circle of locks stays once it is there.
//! * An uncaught exception or a mark is seen in a thread by itself after a step of its own, and every such step is taken sooner or later
//!   (C3). So is a lock left behind in a model; in a Java program it counts only while somebody can reach it, which is no step's
//!   business, so that `lock` is not looked for there with a reduction.
//! * One half of a race is an access that conflicts with one that another thread is about to make; so it does not commute.
//! * Livelocks are about what never changes: the search refuses to look for them with a reduction.
//!
//! What ends the program, or has its execution forgotten, conflicts with everything and is no reason not to run another thread
//! first: that shows more, not less.

use crate::assumption::{Doubt, Guess, Guesses};
use crate::independence::Independence;
use crate::optimistic::Optimistic;
use crate::persistent;
use crate::query_throttle::Patience;
use crate::watchers::Minders;
use kernel::{Menu, Pending, Place, Reduction, ThreadId, View};

/// The reduction that a list of independences makes.
pub struct Ample<S: View> {
    independences: Vec<Box<dyn Independence<S>>>,
    /// Whether states with a single successor are not stored.
    pub atomic: bool,
    /// Whether persistent sets are looked for where no thread is enough by itself.
    pub persistent: bool,
    /// Whether actions fall asleep.
    pub sleep: bool,
    /// Coarse steps, instead of everything else.
    pub optimistic: Option<Optimistic>,
    guesses: Guesses,
    order: Vec<ThreadId>,
    patience: Patience,
    minders: Minders,
}

impl<S: View> Ample<S> {
    /// A thread is enough where one of `independences` proves each of its touches harmless.
    pub fn new(independences: Vec<Box<dyn Independence<S>>>, guesses: Guesses) -> Ample<S> {
        Ample {
            independences,
            atomic: false,
            persistent: false,
            sleep: false,
            optimistic: None,
            guesses,
            order: Vec::new(),
            patience: Patience::default(),
            minders: Minders::default(),
        }
    }

    /// What was relied on, and what of it turned out to be wrong.
    pub fn into_guesses(self) -> Guesses {
        self.guesses
    }

    /// Whether each current action of a thread commutes with whatever the others may do before it.
    fn commutes(&mut self, system: &S, state: &mut S::State, menu: &Menu<S::Action>, thread: ThreadId) -> bool {
        let own = |entry: &&Pending<S::Action>| entry.thread == thread;
        let takes_nothing = self.independences.iter().any(|one| one.takes_nothing());
        menu.entries().iter().filter(own).all(|entry| {
            let touches = menu.footprint(entry);
            (takes_nothing || !touches.is_empty())
                && touches.iter().all(|&touch| {
                    touch.place != Place::EVERYTHING
                        && self
                            .independences
                            .iter_mut()
                            .any(|one| one.commutes(system, state, thread, touch, &mut self.guesses))
                })
        })
    }

    /// Shows every access that is about to happen to the disciplines that somebody relies on.
    ///
    /// SOUNDNESS: a step of which nobody knows what it accesses may be against any of them.
    fn watch(&mut self, system: &S, state: &mut S::State, menu: &Menu<S::Action>) {
        for entry in menu.entries().iter().filter(|entry| entry.enabled) {
            for &touch in menu.footprint(entry) {
                if touch.place == Place::EVERYTHING {
                    if system.is_wild(state, entry.thread) {
                        self.guesses.breach_all(entry.thread);
                    }
                } else {
                    let minders = self
                        .minders
                        .of(system, state, touch.place, &self.independences, &self.guesses);
                    for (position, one) in self.independences.iter_mut().enumerate() {
                        if minders >> position & 1 == 1 {
                            one.watch(system, state, entry.thread, touch, &mut self.guesses);
                        }
                    }
                }
                self.guesses.locate(|| system.whereabouts(state, entry.thread));
            }
        }
    }
}

impl<S: View> Reduction<S> for Ample<S> {
    fn ample(
        &mut self,
        system: &S,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    ) {
        if let Some(optimistic) = &mut self.optimistic {
            enough.extend(optimistic.choose(system, state, menu, last, &mut self.guesses));
            return;
        }
        self.watch(system, state, menu);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        // SOUNDNESS: who can only wake up by chance is never enough: nobody else could move then in a deadlock, which would be passed by.
        for entry in menu.entries().iter().filter(|entry| entry.enabled && !entry.by_chance) {
            if order.last() != Some(&entry.thread) {
                order.push(entry.thread);
            }
        }
        order.sort_by_key(|&thread| Some(thread) != last);
        // Where only one thread can move, nothing would be left out.
        let found = match order[..] {
            [_] => None,
            _ => order
                .iter()
                .copied()
                .find(|&thread| self.commutes(system, state, menu, thread)),
        };
        enough.extend(found);
        if self.persistent && found.is_none() && order.len() > 1 {
            persistent::choose(system, state, menu, &order, &mut self.patience, enough);
        }
        self.order = order;
    }

    fn is_atomic(&self) -> bool {
        self.atomic
    }

    fn is_coarse(&self) -> bool {
        self.optimistic.is_some()
    }

    fn is_midway(&self) -> bool {
        self.optimistic.as_ref().is_some_and(Optimistic::is_midway)
    }

    fn goes_round(&mut self, system: &S, state: &mut S::State, thread: ThreadId) {
        self.guesses.doubt(Doubt::Endless(system.whereabouts(state, thread)));
    }

    fn sleeps(&self) -> bool {
        self.sleep
    }

    fn commute(
        &mut self,
        system: &S,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        one: &Pending<S::Action>,
        two: &Pending<S::Action>,
    ) -> bool {
        system.commute(state, menu, one, two)
    }

    fn name(&self, system: &S, state: &mut S::State, action: S::Action) -> Option<u64> {
        system.name(state, action)
    }

    fn is_broken(&self) -> bool {
        self.guesses.is_broken()
    }

    fn mend(&mut self, system: &S, state: &mut S::State) -> bool {
        if let Some(optimistic) = &mut self.optimistic {
            optimistic.begin_again();
        }
        let mended = self.guesses.mend();
        for (variable, open) in self.guesses.reconsidered() {
            system.reconsider(state, variable, open);
        }
        if !self.guesses.holds(Guess::Owners) {
            system.distrust(state);
        }
        mended
    }
}
