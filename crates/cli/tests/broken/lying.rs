//! A system that lies: it delegates to a real one and answers one question wrongly.

use kernel::{
    Access, Menu, Pending, Place, Protection, Reduction, System, Tenure, ThreadId, Touch, Unsupported, Vector, View,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A question to [`View::meddlers`].
pub struct Meddlers<'q, S: View> {
    pub system: &'q S,
    pub state: &'q mut S::State,
    pub still: &'q [ThreadId],
    pub out: &'q mut Vec<ThreadId>,
}

type Locks<'l> = &'l dyn Fn(u32) -> bool;

/// What is answered wrongly: whatever is given takes the place of the truth.
#[allow(clippy::type_complexity)] // each is what it replaces
pub struct Lies<S: View> {
    /// For [`View::is_local`].
    pub local: Option<fn(&S, &mut S::State, ThreadId, Place) -> bool>,
    /// For [`View::is_dominated`].
    pub dominated: Option<fn(&S, &mut S::State, ThreadId, Place, Locks<'_>) -> bool>,
    /// For [`View::has_escaped`].
    pub escaped: Option<fn(&S, &mut S::State, Place) -> bool>,
    /// For [`View::is_proved_local`].
    pub proved: Option<fn(&S, &mut S::State, Place) -> bool>,
    /// For [`View::protection`].
    pub protection: Option<fn(&S, &mut S::State, ThreadId, Place, Access) -> Option<Protection>>,
    /// For [`View::tenure`], by the truth and the touch.
    pub tenure: Option<fn(Tenure, Touch) -> Tenure>,
    /// For [`View::is_wild`].
    pub wild: Option<fn(&S, &mut S::State, ThreadId) -> bool>,
    /// For [`View::commute`].
    pub commute: Option<fn(&Menu<S::Action>, &Pending<S::Action>, &Pending<S::Action>) -> bool>,
    /// For [`View::meddlers`].
    pub meddlers: Option<fn(Meddlers<'_, S>) -> bool>,
    /// For [`View::begins`].
    pub begins: Option<fn(&S, &mut S::State, ThreadId) -> bool>,
    /// For [`View::moves_left`].
    pub moves_left: Option<fn(&S, &mut S::State, ThreadId, Touch) -> bool>,
    /// For [`View::locks_of`].
    pub locks_of: Option<fn(&S, &mut S::State, ThreadId, &mut Vec<Place>)>,
    /// For [`System::apply`].
    pub apply: Option<fn(&S, &mut S::State, S::Action) -> Result<S::Undo, Unsupported>>,
    /// For [`System::encode`].
    pub encode: Option<fn(&S, &mut S::State, &mut Vector)>,
    /// Which touches of a footprint are owned up to.
    pub touches: Option<fn(&[Touch], Touch) -> bool>,
    /// A state that was reduced shows no more when it is opened again: there is no cycle proviso.
    pub forgets: bool,
    /// A state with one successor never looks like one that was seen before: a run that stores nothing does not notice that it came
    /// back.
    pub spins: bool,
    /// What is asleep in a state has no name when the state is entered, so that no remainder is kept with it.
    pub oversleeps: bool,
    /// Whoever accesses something has access to it by the rules.
    pub trusts: bool,
    /// Two threads may have access at once.
    pub shares: bool,
    /// Access may be taken away.
    pub robs: bool,
    /// Locks are never taken from their owners.
    pub honest: bool,
}

impl<S: View> Default for Lies<S> {
    fn default() -> Lies<S> {
        Lies {
            local: None,
            dominated: None,
            escaped: None,
            proved: None,
            protection: None,
            tenure: None,
            wild: None,
            commute: None,
            meddlers: None,
            begins: None,
            moves_left: None,
            locks_of: None,
            apply: None,
            encode: None,
            touches: None,
            forgets: false,
            spins: false,
            oversleeps: false,
            trusts: false,
            shares: false,
            robs: false,
            honest: false,
        }
    }
}

/// The system.
pub struct Lying<'s, S: View> {
    truth: &'s S,
    lies: Lies<S>,
    /// The state that was looked at last.
    looked: RefCell<Vec<u32>>,
    /// What was named at which state.
    named: RefCell<HashMap<Vec<u32>, Vec<ThreadId>>>,
    /// Whether the state that was looked at last has one successor.
    single: Cell<bool>,
    counter: Cell<u32>,
}

impl<'s, S: View> Lying<'s, S> {
    pub fn new(truth: &'s S, lies: Lies<S>) -> Lying<'s, S> {
        Lying {
            truth,
            lies,
            looked: RefCell::default(),
            named: RefCell::default(),
            single: Cell::default(),
            counter: Cell::default(),
        }
    }

    fn words(&self, state: &mut S::State) -> Vec<u32> {
        let mut vector = Vector::default();
        self.truth.encode(state, &mut vector);
        vector.words()
    }
}

impl<S: View> System for Lying<'_, S> {
    type State = S::State;
    type Action = S::Action;
    type Undo = S::Undo;

    fn initial(&self) -> Result<S::State, Unsupported> {
        self.truth.initial()
    }

    fn pending(&self, state: &mut S::State, menu: &mut Menu<S::Action>) {
        let mut real = Menu::default();
        self.truth.pending(state, &mut real);
        if self.lies.oversleeps {
            *self.looked.borrow_mut() = self.words(state);
        }
        let only = match self.lies.forgets {
            true => self.named.borrow().get(&self.words(state)).cloned(),
            false => None,
        };
        menu.flaws.clone_from(&real.flaws);
        menu.marks.clone_from(&real.marks);
        menu.end = real.end;
        let mut rests = Vec::new();
        let shown = |entry: &&Pending<S::Action>| only.as_ref().is_none_or(|named| named.contains(&entry.thread));
        for entry in real.entries().iter().filter(shown) {
            menu.add(entry.thread, entry.action, entry.enabled);
            rests.push(entry.rests);
            let all = real.footprint(entry);
            for &touch in all {
                if self.lies.touches.is_none_or(|owns_up| owns_up(all, touch)) {
                    menu.touch(touch.place, touch.access);
                }
            }
        }
        for (entry, rests) in menu.entries_mut().iter_mut().zip(rests) {
            entry.rests = rests;
        }
        self.single
            .set(menu.entries().iter().filter(|entry| entry.enabled).count() == 1);
    }

    fn apply(&self, state: &mut S::State, action: S::Action) -> Result<S::Undo, Unsupported> {
        match self.lies.apply {
            Some(lie) => lie(self.truth, state, action),
            None => self.truth.apply(state, action),
        }
    }

    fn undo(&self, state: &mut S::State, undo: S::Undo) {
        self.truth.undo(state, undo);
    }

    fn alias(&self, state: &mut S::State, thread: ThreadId) -> Option<ThreadId> {
        self.truth.alias(state, thread)
    }

    fn encode(&self, state: &mut S::State, out: &mut Vector) {
        match self.lies.encode {
            Some(lie) => lie(self.truth, state, out),
            None => self.truth.encode(state, out),
        }
        if self.lies.spins && self.single.get() {
            out.end_chunk();
            self.counter.set(self.counter.get() + 1);
            out.extend(&[self.counter.get()]);
        }
    }

    fn decode(&self, state: &mut S::State, words: &[u32]) -> Result<(), Unsupported> {
        self.truth.decode(state, words)
    }

    fn stuck(&self, state: &mut S::State) -> u64 {
        self.truth.stuck(state)
    }

    fn race(&self, state: &mut S::State, one: &Pending<S::Action>, two: &Pending<S::Action>) -> Option<u64> {
        self.truth.race(state, one, two)
    }
}

impl<S: View> View for Lying<'_, S> {
    fn is_local(&self, state: &mut S::State, thread: ThreadId, place: Place) -> bool {
        match self.lies.local {
            Some(lie) => lie(self.truth, state, thread, place),
            None => self.truth.is_local(state, thread, place),
        }
    }

    fn is_dominated(&self, state: &mut S::State, thread: ThreadId, place: Place, locks: Locks<'_>) -> bool {
        match self.lies.dominated {
            Some(lie) => lie(self.truth, state, thread, place, locks),
            None => self.truth.is_dominated(state, thread, place, locks),
        }
    }

    fn has_escaped(&self, state: &mut S::State, place: Place) -> bool {
        match self.lies.escaped {
            Some(lie) => lie(self.truth, state, place),
            None => self.truth.has_escaped(state, place),
        }
    }

    fn is_proved_local(&self, state: &mut S::State, place: Place) -> bool {
        match self.lies.proved {
            Some(lie) => lie(self.truth, state, place),
            None => self.truth.is_proved_local(state, place),
        }
    }

    fn variable_of(&self, state: &mut S::State, place: Place) -> (u32, u32) {
        self.truth.variable_of(state, place)
    }

    fn parts(&self, state: &mut S::State, touch: Touch, out: &mut Vec<Touch>) {
        self.truth.parts(state, touch, out);
    }

    fn reconsider(&self, state: &mut S::State, variable: (u32, u32), open: bool) {
        self.truth.reconsider(state, variable, open);
    }

    fn distrust(&self, state: &mut S::State) {
        self.truth.distrust(state);
    }

    fn protection(&self, state: &mut S::State, thread: ThreadId, place: Place, access: Access) -> Option<Protection> {
        match self.lies.protection {
            Some(lie) => lie(self.truth, state, thread, place, access),
            None => self.truth.protection(state, thread, place, access),
        }
    }

    fn tenure(&self, state: &mut S::State, thread: ThreadId, touch: Touch) -> Option<Tenure> {
        let truth = self.truth.tenure(state, thread, touch);
        truth.map(|truth| self.lies.tenure.map_or(truth, |lie| lie(truth, touch)))
    }

    fn usurps(&self, state: &mut S::State, thread: ThreadId, place: Place) -> bool {
        !self.lies.honest && self.truth.usurps(state, thread, place)
    }

    fn is_wild(&self, state: &mut S::State, thread: ThreadId) -> bool {
        match self.lies.wild {
            Some(lie) => lie(self.truth, state, thread),
            None => self.truth.is_wild(state, thread),
        }
    }

    fn commute(
        &self,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        one: &Pending<S::Action>,
        two: &Pending<S::Action>,
    ) -> bool {
        match self.lies.commute {
            Some(lie) => lie(menu, one, two),
            None => self.truth.commute(state, menu, one, two),
        }
    }

    fn name(&self, state: &mut S::State, action: S::Action) -> Option<u64> {
        let entered = self.lies.oversleeps && *self.looked.borrow() != self.words(state);
        if entered { None } else { self.truth.name(state, action) }
    }

    fn is_renamed(&self, state: &mut S::State, thread: ThreadId) -> bool {
        self.truth.is_renamed(state, thread)
    }

    fn meddlers(&self, state: &mut S::State, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool {
        match self.lies.meddlers {
            Some(lie) => lie(Meddlers {
                system: self.truth,
                state,
                still,
                out,
            }),
            None => self.truth.meddlers(state, still, out),
        }
    }

    fn begins(&self, state: &mut S::State, thread: ThreadId) -> bool {
        match self.lies.begins {
            Some(lie) => lie(self.truth, state, thread),
            None => self.truth.begins(state, thread),
        }
    }

    fn moves_left(&self, state: &mut S::State, thread: ThreadId, touch: Touch) -> bool {
        match self.lies.moves_left {
            Some(lie) => lie(self.truth, state, thread, touch),
            None => self.truth.moves_left(state, thread, touch),
        }
    }

    fn is_open(&self, state: &mut S::State, place: Place) -> bool {
        self.truth.is_open(state, place)
    }

    fn locks_of(&self, state: &mut S::State, thread: ThreadId, out: &mut Vec<Place>) {
        match self.lies.locks_of {
            Some(lie) => lie(self.truth, state, thread, out),
            None => self.truth.locks_of(state, thread, out),
        }
    }

    fn has_access(&self, state: &mut S::State, thread: ThreadId, place: Place) -> Option<bool> {
        let has = self.truth.has_access(state, thread, place)?;
        Some(has || self.lies.trusts)
    }

    fn disputed(&self, state: &mut S::State, out: &mut Vec<(Place, ThreadId, ThreadId)>) {
        if !self.lies.shares {
            self.truth.disputed(state, out);
        }
    }

    fn expels(&self, state: &mut S::State, action: S::Action, out: &mut Vec<(Place, ThreadId)>) {
        if !self.lies.robs {
            self.truth.expels(state, action, out);
        }
    }

    fn is_final(&self, state: &mut S::State, place: Place) -> bool {
        self.truth.is_final(state, place)
    }

    fn class_of(&self, state: &mut S::State, place: Place) -> Option<u32> {
        self.truth.class_of(state, place)
    }

    fn holds(&self, state: &mut S::State, thread: ThreadId, place: Place) -> bool {
        self.truth.holds(state, thread, place)
    }
}

/// A reduction that lets a lying system know what was named.
pub struct Told<R>(pub R);

impl<'s, S: View, R: Reduction<Lying<'s, S>>> Reduction<Lying<'s, S>> for Told<R> {
    fn ample(
        &mut self,
        system: &Lying<'s, S>,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    ) {
        self.0.ample(system, state, menu, last, enough);
        if enough.is_empty() {
            return;
        }
        if system.lies.forgets {
            let words = system.words(state);
            system.named.borrow_mut().insert(words, enough.clone());
        }
        let own = |entry: &&Pending<S::Action>| entry.enabled && enough.contains(&entry.thread);
        system.single.set(menu.entries().iter().filter(own).count() == 1);
    }

    fn is_coarse(&self) -> bool {
        self.0.is_coarse()
    }

    fn is_midway(&self) -> bool {
        self.0.is_midway()
    }

    fn goes_round(&mut self, system: &Lying<'s, S>, state: &mut S::State, thread: ThreadId) {
        self.0.goes_round(system, state, thread);
    }

    fn sleeps(&self) -> bool {
        self.0.sleeps()
    }

    fn commute(
        &mut self,
        system: &Lying<'s, S>,
        state: &mut S::State,
        menu: &Menu<S::Action>,
        one: &Pending<S::Action>,
        two: &Pending<S::Action>,
    ) -> bool {
        self.0.commute(system, state, menu, one, two)
    }

    fn name(&self, system: &Lying<'s, S>, state: &mut S::State, action: S::Action) -> Option<u64> {
        self.0.name(system, state, action)
    }

    fn is_atomic(&self) -> bool {
        self.0.is_atomic()
    }

    fn is_broken(&self) -> bool {
        self.0.is_broken()
    }

    fn mend(&mut self, system: &Lying<'s, S>, state: &mut S::State) -> bool {
        self.0.mend(system, state)
    }
}

/// A lock that is none of a model's.
pub const ANY_LOCK: Place = Place {
    object: u32::MAX,
    cell: Place::MONITOR,
};

/// Owns up to everything but locks that are taken.
pub fn hides_acquire(_: &[Touch], touch: Touch) -> bool {
    touch.access != Access::Acquire
}

/// Whoever gives back a lock, or notifies those who wait there, touches nothing else.
pub fn hides_waiters(all: &[Touch], touch: Touch) -> bool {
    let releases = all.iter().any(|touch| touch.access == Access::Release);
    !releases || touch.access == Access::Release
}

/// What conflicts with everything touches nothing.
pub fn hides_everything(_: &[Touch], touch: Touch) -> bool {
    touch.place != Place::EVERYTHING
}

/// Volatile and atomic accesses touch nothing.
pub fn hides_atomics(_: &[Touch], touch: Touch) -> bool {
    !matches!(touch.access, Access::AtomicRead | Access::AtomicWrite)
}

/// Reads touch nothing.
pub fn hides_reads(_: &[Touch], touch: Touch) -> bool {
    !touch.access.is_read()
}

/// Whoever cannot move needs nobody.
pub fn forgets_enablers<S: View>(asked: Meddlers<'_, S>) -> bool {
    let mut menu = Menu::default();
    asked.system.pending(asked.state, &mut menu);
    let entries = menu.entries();
    let can = |thread: &&ThreadId| entries.iter().any(|entry| entry.enabled && entry.thread == **thread);
    let able: Vec<ThreadId> = asked.still.iter().filter(can).copied().collect();
    asked.system.meddlers(asked.state, &able, asked.out)
}

/// Whatever has no place in common commutes, if places are all there is to it.
pub fn shares_no_place<A: Copy>(menu: &Menu<A>, one: &Pending<A>, two: &Pending<A>) -> bool {
    !kernel::conflict(menu.footprint(one), menu.footprint(two))
}

/// Only what is about to be written is a reason not to commute.
pub fn writes_no_place<A: Copy>(menu: &Menu<A>, one: &Pending<A>, two: &Pending<A>) -> bool {
    let is_read = |touch: &Touch| touch.access.is_read();
    shares_no_place(menu, one, two) || menu.footprint(one).iter().chain(menu.footprint(two)).any(is_read)
}
