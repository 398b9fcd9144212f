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

use crate::bounded;
use crate::independence::Independence;
use crate::watchers::{MOST, Watchers};
use kernel::{Assumptions, Doubt, Location, Reduction, ThreadId, Transition, Transitions, View};

/// Finds several threads that are enough together, where none is by itself.
pub trait Several<S: View>: Send {
    /// Appends the threads of the best set to `enough`; nothing if that is all who can move. `order` is who can move.
    fn choose(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        order: &[ThreadId],
        enough: &mut Vec<ThreadId>,
    );
}

/// Takes several steps as one.
pub trait Transactions<S: View>: Send {
    /// Checks everything that is about to happen, and finds a thread whose next step is invisible.
    fn choose(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
        assumptions: &mut Assumptions,
    ) -> Option<ThreadId>;

    /// Whether the state that was asked about last is in the midst of a step.
    fn in_transaction(&self) -> bool;

    /// The search starts over from this state, its first, with what is still assumed.
    fn begins_again(&mut self, system: &S, state: &mut S::State, assumptions: &Assumptions);
}

/// The reduction that some rules make.
pub struct Ample<S: View> {
    /// The independences, and the turn of each.
    independences: Vec<Box<dyn Independence<S>>>,
    turns: Vec<u8>,
    several: Vec<Box<dyn Several<S>>>,
    transactions: Option<Box<dyn Transactions<S>>>,
    /// Whether states with a single successor are not stored.
    pub atomic: bool,
    /// Whether actions fall asleep.
    pub sleep: bool,
    /// Whether it goes with a bound on preemptions (`bounded`).
    pub bounded: bool,
    assumptions: Assumptions,
    /// What it was made of.
    given: Assumptions,
    rules: Vec<fn(&mut Ample<S>)>,
    order: Vec<ThreadId>,
    watchers: Watchers,
}

impl<S: View> Ample<S> {
    /// One without rules: no thread is ever enough.
    pub fn new(assumptions: Assumptions) -> Ample<S> {
        Ample {
            independences: Vec::new(),
            turns: Vec::new(),
            several: Vec::new(),
            transactions: None,
            atomic: false,
            sleep: false,
            bounded: false,
            given: assumptions.clone(),
            assumptions,
            rules: Vec::new(),
            order: Vec::new(),
            watchers: Watchers::default(),
        }
    }

    /// Adds a rule.
    pub fn add(&mut self, rule: fn(&mut Ample<S>)) {
        rule(self);
        self.rules.push(rule);
    }

    /// A thread is also enough where this, or another one, proves each of its touches harmless. Who has the lowest turn is asked first:
    /// the cheapest, but those that need no assumption before those that assume much.
    pub fn prove(&mut self, turn: u8, independence: Box<dyn Independence<S>>) {
        assert!(self.independences.len() < MOST, "too many independences");
        let at = self.turns.partition_point(|&before| before <= turn);
        self.turns.insert(at, turn);
        self.independences.insert(at, independence);
    }

    /// Several threads are looked for where none is enough by itself. Who is added first is asked first.
    pub fn look_for_several(&mut self, several: Box<dyn Several<S>>) {
        self.several.push(several);
    }

    /// Steps are taken together, instead of everything else.
    pub fn take_together(&mut self, transactions: Box<dyn Transactions<S>>) {
        self.transactions = Some(transactions);
    }

    /// What was relied on, and what of it turned out to be wrong.
    pub fn into_assumptions(self) -> Assumptions {
        self.assumptions
    }

    /// Whether each current action of a thread commutes with whatever the others may do before it.
    fn commutes(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        thread: ThreadId,
    ) -> bool {
        let own = |entry: &&Transition<S::Action>| entry.thread == thread;
        let takes_nothing = self.independences.iter().any(|one| one.takes_nothing());
        transitions.entries().iter().filter(own).all(|entry| {
            let touches = transitions.footprint(entry);
            (takes_nothing || !touches.is_empty())
                && touches.iter().all(|&touch| {
                    touch.location != Location::EVERYTHING
                        && self
                            .independences
                            .iter_mut()
                            .any(|one| one.commutes(system, state, thread, touch, &mut self.assumptions))
                })
        })
    }

    /// Shows every access that is about to happen to the disciplines that somebody relies on.
    ///
    /// SOUNDNESS: a step of which nobody knows what it accesses may be against any of them.
    fn watch(&mut self, system: &S, state: &mut S::State, transitions: &Transitions<S::Action>) {
        for entry in transitions.entries().iter().filter(|entry| entry.enabled) {
            for &touch in transitions.footprint(entry) {
                if touch.location == Location::EVERYTHING {
                    if system.is_wild(state, entry.thread) {
                        self.assumptions.violate_all(entry.thread);
                    }
                } else {
                    let watchers =
                        self.watchers
                            .of(system, state, touch.location, &self.independences, &self.assumptions);
                    for (position, one) in self.independences.iter_mut().enumerate() {
                        if watchers >> position & 1 == 1 {
                            one.watch(system, state, entry.thread, touch, &mut self.assumptions);
                        }
                    }
                }
                self.assumptions.locate(|| system.whereabouts(state, entry.thread));
            }
        }
    }
}

impl<S: View> Reduction<S> for Ample<S> {
    fn ample(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    ) {
        if let Some(transactions) = &mut self.transactions {
            enough.extend(transactions.choose(system, state, transitions, last, &mut self.assumptions));
            return;
        }
        self.watch(system, state, transitions);
        if self.bounded {
            let runs_on = |&last: &ThreadId| {
                bounded::could_go_on(transitions, last)
                    && self.commutes(system, state, transitions, last)
                    && !bounded::may_unblock(system, state, transitions, last)
            };
            enough.extend(last.filter(runs_on));
            return;
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        // SOUNDNESS: who can only wake up by chance is never enough: nobody else could move then in a deadlock, which would be passed by.
        for entry in transitions
            .entries()
            .iter()
            .filter(|entry| entry.enabled && !entry.spurious)
        {
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
                .find(|&thread| self.commutes(system, state, transitions, thread)),
        };
        enough.extend(found);
        if found.is_none() && order.len() > 1 {
            for several in &mut self.several {
                several.choose(system, state, transitions, &order, enough);
                if !enough.is_empty() {
                    break;
                }
            }
        }
        self.order = order;
    }

    fn is_atomic(&self) -> bool {
        // The same run follows each preemption before it: under a bound, to store its states saves more than it costs.
        self.atomic && !self.bounded
    }

    fn has_transactions(&self) -> bool {
        self.transactions.is_some()
    }

    fn in_transaction(&self) -> bool {
        self.transactions.as_ref().is_some_and(|one| one.in_transaction())
    }

    fn diverges(&mut self, system: &S, state: &mut S::State, thread: ThreadId) {
        self.assumptions
            .doubt(Doubt::Endless(system.whereabouts(state, thread)));
    }

    fn sleeps(&self) -> bool {
        self.sleep
    }

    fn commute(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        one: &Transition<S::Action>,
        two: &Transition<S::Action>,
    ) -> bool {
        system.commute(state, transitions, one, two)
    }

    fn name(&self, system: &S, state: &mut S::State, action: S::Action) -> Option<u64> {
        system.name(state, action)
    }

    fn keeps_preemptions(&self) -> bool {
        self.bounded
    }

    fn is_broken(&self) -> bool {
        self.assumptions.is_broken()
    }

    fn refine(&mut self, system: &S, state: &mut S::State) -> bool {
        let refined = self.assumptions.refine();
        for one in &mut self.independences {
            one.begins_again(system, state, &self.assumptions);
        }
        if let Some(transactions) = &mut self.transactions {
            transactions.begins_again(system, state, &self.assumptions);
        }
        refined
    }

    fn renew(&mut self) {
        let mut anew = Ample::new(std::mem::take(&mut self.given));
        std::mem::take(&mut self.rules)
            .into_iter()
            .for_each(|rule| anew.add(rule));
        anew.bounded = self.bounded;
        *self = anew;
    }
}
