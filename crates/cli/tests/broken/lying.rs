//! A system that lies: it stands for a real one and answers one question wrongly.

use kernel::{
    AccessKind, Location, MemoryAccess, OwnerAccess, Protection, Reduction, StateVector, ThreadId, Transition,
    Transitions, Unsupported, View, Wrapper,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A question to [`kernel::Interference::interfering_threads`].
pub struct InterferenceQuery<'q, S: View> {
    pub system: &'q S,
    pub state: &'q mut S::State,
    pub still: &'q [ThreadId],
    pub out: &'q mut Vec<ThreadId>,
}

type Locks<'l> = &'l dyn Fn(u32) -> bool;

/// What is answered wrongly: whatever is given takes the place of the truth.
#[allow(clippy::type_complexity)] // each is what it replaces
pub struct Lies<S: View> {
    /// For [`kernel::Reachability::is_local`], which is then always known soon.
    pub local: Option<fn(&S, &mut S::State, ThreadId, Location) -> bool>,
    /// For [`kernel::Reachability::is_dominated`].
    pub dominated: Option<fn(&S, &mut S::State, ThreadId, Location, Locks<'_>) -> bool>,
    /// For [`kernel::Reachability::has_escaped`].
    pub escaped: Option<fn(&S, &mut S::State, Location) -> bool>,
    /// For [`kernel::Reachability::is_proved_local`].
    pub proved: Option<fn(&S, &mut S::State, Location) -> bool>,
    /// For [`kernel::Locksets::protection`].
    pub protection: Option<fn(&S, &mut S::State, ThreadId, Location, AccessKind) -> Option<Protection>>,
    /// For [`kernel::Ownership::owner_access`], by the truth and the touch.
    pub owner_access: Option<fn(OwnerAccess, MemoryAccess) -> OwnerAccess>,
    /// For [`kernel::Ownership::stands_for`], by the truth about an object that stands for some thread.
    pub stands_for: Option<fn(bool) -> Option<bool>>,
    /// For [`kernel::Interference::is_wild`].
    pub wild: Option<fn(&S, &mut S::State, ThreadId) -> bool>,
    /// For [`kernel::Interference::commute`].
    pub commute: Option<fn(&Transitions<S::Action>, &Transition<S::Action>, &Transition<S::Action>) -> bool>,
    /// For [`kernel::Interference::interfering_threads`].
    pub interfering_threads: Option<fn(InterferenceQuery<'_, S>) -> bool>,
    /// For [`kernel::Transactions::begins`].
    pub begins: Option<fn(&S, &mut S::State, ThreadId) -> bool>,
    /// For [`kernel::Transactions::moves_left`].
    pub moves_left: Option<fn(&S, &mut S::State, ThreadId, MemoryAccess) -> bool>,
    /// For [`kernel::Locks::locks_of`].
    pub locks_of: Option<fn(&S, &mut S::State, ThreadId, &mut Vec<Location>)>,
    /// For [`kernel::System::apply`].
    pub apply: Option<fn(&S, &mut S::State, S::Action) -> Result<S::Undo, Unsupported>>,
    /// For [`kernel::System::encode`].
    pub encode: Option<fn(&S, &mut S::State, &mut StateVector)>,
    /// Which accesses of a footprint are owned up to.
    pub touches: Option<fn(&[MemoryAccess], MemoryAccess) -> bool>,
    /// A thread that must go on before any other one does.
    pub hurries: Option<fn(&S, &mut S::State, ThreadId) -> bool>,
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
            owner_access: None,
            stands_for: None,
            wild: None,
            commute: None,
            interfering_threads: None,
            begins: None,
            moves_left: None,
            locks_of: None,
            apply: None,
            encode: None,
            touches: None,
            hurries: None,
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
        let mut vector = StateVector::default();
        self.truth.encode(state, &mut vector);
        vector.words()
    }
}

impl<S: View> Wrapper for Lying<'_, S> {
    type Inner = S;

    fn inner(&self) -> &S {
        self.truth
    }

    fn transitions(&self, state: &mut S::State, transitions: &mut Transitions<S::Action>) {
        let mut real = Transitions::default();
        self.truth.transitions(state, &mut real);
        if self.lies.oversleeps {
            *self.looked.borrow_mut() = self.words(state);
        }
        let only = match self.lies.forgets {
            true => self.named.borrow().get(&self.words(state)).cloned(),
            false => None,
        };
        let mut enabled = real.entries().iter().filter(|entry| entry.enabled);
        let hurried = self
            .lies
            .hurries
            .and_then(|hurries| enabled.find(|entry| hurries(self.truth, state, entry.thread)));
        let only = hurried.map(|entry| vec![entry.thread]).or(only);
        transitions.flaws.clone_from(&real.flaws);
        transitions.marks.clone_from(&real.marks);
        transitions.end = real.end;
        let mut flags = Vec::new();
        let shown = |entry: &&Transition<S::Action>| only.as_ref().is_none_or(|named| named.contains(&entry.thread));
        for entry in real.entries().iter().filter(shown) {
            transitions.add(entry.thread, entry.action, entry.enabled);
            flags.push((entry.wakeup, entry.spurious));
            let all = real.footprint(entry);
            for &touch in all {
                if self.lies.touches.is_none_or(|owns_up| owns_up(all, touch)) {
                    transitions.touch(touch.location, touch.access);
                }
            }
        }
        for (entry, flags) in transitions.entries_mut().iter_mut().zip(flags) {
            (entry.wakeup, entry.spurious) = flags;
        }
        self.single
            .set(transitions.entries().iter().filter(|entry| entry.enabled).count() == 1);
    }

    fn apply(&self, state: &mut S::State, action: S::Action) -> Result<S::Undo, Unsupported> {
        match self.lies.apply {
            Some(lie) => lie(self.truth, state, action),
            None => self.truth.apply(state, action),
        }
    }

    fn encode(&self, state: &mut S::State, out: &mut StateVector) {
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

    fn is_local(&self, state: &mut S::State, thread: ThreadId, location: Location) -> bool {
        match self.lies.local {
            Some(lie) => lie(self.truth, state, thread, location),
            None => self.truth.is_local(state, thread, location),
        }
    }

    fn is_soon_known_local(&self, state: &mut S::State, thread: ThreadId, location: Location) -> Option<bool> {
        match self.lies.local {
            Some(lie) => Some(lie(self.truth, state, thread, location)),
            None => self.truth.is_soon_known_local(state, thread, location),
        }
    }

    fn is_dominated(&self, state: &mut S::State, thread: ThreadId, location: Location, locks: Locks<'_>) -> bool {
        match self.lies.dominated {
            Some(lie) => lie(self.truth, state, thread, location, locks),
            None => self.truth.is_dominated(state, thread, location, locks),
        }
    }

    fn has_escaped(&self, state: &mut S::State, location: Location) -> bool {
        match self.lies.escaped {
            Some(lie) => lie(self.truth, state, location),
            None => self.truth.has_escaped(state, location),
        }
    }

    fn is_proved_local(&self, state: &mut S::State, location: Location) -> bool {
        match self.lies.proved {
            Some(lie) => lie(self.truth, state, location),
            None => self.truth.is_proved_local(state, location),
        }
    }

    fn protection(
        &self,
        state: &mut S::State,
        thread: ThreadId,
        location: Location,
        access: AccessKind,
    ) -> Option<Protection> {
        match self.lies.protection {
            Some(lie) => lie(self.truth, state, thread, location, access),
            None => self.truth.protection(state, thread, location, access),
        }
    }

    fn owner_access(&self, state: &mut S::State, thread: ThreadId, touch: MemoryAccess) -> Option<OwnerAccess> {
        let truth = self.truth.owner_access(state, thread, touch);
        truth.map(|truth| self.lies.owner_access.map_or(truth, |lie| lie(truth, touch)))
    }

    fn stands_for(&self, state: &mut S::State, thread: ThreadId, location: Location) -> Option<bool> {
        let truth = self.truth.stands_for(state, thread, location)?;
        self.lies.stands_for.map_or(Some(truth), |lie| lie(truth))
    }

    fn steals_lock(&self, state: &mut S::State, thread: ThreadId, location: Location) -> bool {
        !self.lies.honest && self.truth.steals_lock(state, thread, location)
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
        transitions: &Transitions<S::Action>,
        one: &Transition<S::Action>,
        two: &Transition<S::Action>,
    ) -> bool {
        match self.lies.commute {
            Some(lie) => lie(transitions, one, two),
            None => self.truth.commute(state, transitions, one, two),
        }
    }

    fn name(&self, state: &mut S::State, action: S::Action) -> Option<u64> {
        let entered = self.lies.oversleeps && *self.looked.borrow() != self.words(state);
        if entered { None } else { self.truth.name(state, action) }
    }

    fn interfering_threads(&self, state: &mut S::State, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool {
        match self.lies.interfering_threads {
            Some(lie) => lie(InterferenceQuery {
                system: self.truth,
                state,
                still,
                out,
            }),
            None => self.truth.interfering_threads(state, still, out),
        }
    }

    fn begins(&self, state: &mut S::State, thread: ThreadId) -> bool {
        match self.lies.begins {
            Some(lie) => lie(self.truth, state, thread),
            None => self.truth.begins(state, thread),
        }
    }

    fn moves_left(&self, state: &mut S::State, thread: ThreadId, touch: MemoryAccess) -> bool {
        match self.lies.moves_left {
            Some(lie) => lie(self.truth, state, thread, touch),
            None => self.truth.moves_left(state, thread, touch),
        }
    }

    fn locks_of(&self, state: &mut S::State, thread: ThreadId, out: &mut Vec<Location>) {
        match self.lies.locks_of {
            Some(lie) => lie(self.truth, state, thread, out),
            None => self.truth.locks_of(state, thread, out),
        }
    }

    fn has_access(&self, state: &mut S::State, thread: ThreadId, location: Location) -> Option<bool> {
        let has = self.truth.has_access(state, thread, location)?;
        Some(has || self.lies.trusts)
    }

    fn disputed(&self, state: &mut S::State, out: &mut Vec<(Location, ThreadId, ThreadId)>) {
        if !self.lies.shares {
            self.truth.disputed(state, out);
        }
    }

    fn expels(&self, state: &mut S::State, action: S::Action, out: &mut Vec<(Location, ThreadId)>) {
        if !self.lies.robs {
            self.truth.expels(state, action, out);
        }
    }
}

/// A reduction that lets a lying system know what was named.
pub struct Told<R>(pub R);

impl<'s, S: View, R: Reduction<Lying<'s, S>>> Reduction<Lying<'s, S>> for Told<R> {
    kernel::forward_reduction!(
        Lying<'s, S>, 0: is_atomic, has_transactions, in_transaction, diverges, sleeps, commute, name, keeps_preemptions, is_broken, refine, renew
    );

    fn ample(
        &mut self,
        system: &Lying<'s, S>,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    ) {
        self.0.ample(system, state, transitions, last, enough);
        if enough.is_empty() {
            return;
        }
        if system.lies.forgets {
            let words = system.words(state);
            system.named.borrow_mut().insert(words, enough.clone());
        }
        let own = |entry: &&Transition<S::Action>| entry.enabled && enough.contains(&entry.thread);
        system.single.set(transitions.entries().iter().filter(own).count() == 1);
    }
}

/// A lock that is none of a model's.
pub const ANY_LOCK: Location = Location {
    object: u32::MAX,
    cell: Location::MONITOR,
};

/// Owns up to everything but locks that are taken.
pub fn hides_acquire(_: &[MemoryAccess], touch: MemoryAccess) -> bool {
    touch.access != AccessKind::Acquire
}

/// Whoever gives back a lock, or notifies those who wait there, touches nothing else.
pub fn hides_waiters(all: &[MemoryAccess], touch: MemoryAccess) -> bool {
    let releases = all.iter().any(|touch| touch.access == AccessKind::Release);
    !releases || touch.access == AccessKind::Release
}

/// What conflicts with everything touches nothing.
pub fn hides_everything(_: &[MemoryAccess], touch: MemoryAccess) -> bool {
    touch.location != Location::EVERYTHING
}

/// Volatile and atomic accesses touch nothing.
pub fn hides_atomics(_: &[MemoryAccess], touch: MemoryAccess) -> bool {
    !matches!(touch.access, AccessKind::AtomicRead | AccessKind::AtomicWrite)
}

/// Reads touch nothing.
pub fn hides_reads(_: &[MemoryAccess], touch: MemoryAccess) -> bool {
    !touch.access.is_read()
}

/// Owns up to the first of all accesses.
pub fn hides_all_but_the_first(all: &[MemoryAccess], touch: MemoryAccess) -> bool {
    all.first() == Some(&touch)
}

/// Whoever cannot move needs nobody.
pub fn forgets_enablers<S: View>(asked: InterferenceQuery<'_, S>) -> bool {
    let mut transitions = Transitions::default();
    asked.system.transitions(asked.state, &mut transitions);
    let entries = transitions.entries();
    let can = |thread: &&ThreadId| entries.iter().any(|entry| entry.enabled && entry.thread == **thread);
    let able: Vec<ThreadId> = asked.still.iter().filter(can).copied().collect();
    asked.system.interfering_threads(asked.state, &able, asked.out)
}

/// Whatever has no location in common commutes, if locations are all there is to it.
pub fn shares_no_location<A: Copy>(transitions: &Transitions<A>, one: &Transition<A>, two: &Transition<A>) -> bool {
    !kernel::conflict(transitions.footprint(one), transitions.footprint(two))
}

/// Only what is about to be written is a reason not to commute.
pub fn writes_no_location<A: Copy>(transitions: &Transitions<A>, one: &Transition<A>, two: &Transition<A>) -> bool {
    let is_read = |touch: &MemoryAccess| touch.access.is_read();
    shares_no_location(transitions, one, two)
        || transitions
            .footprint(one)
            .iter()
            .chain(transitions.footprint(two))
            .any(is_read)
}
