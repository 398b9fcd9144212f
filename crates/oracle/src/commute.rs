//! Checks what a reduction claims, at every state at which it claims something.
//!
//! A reduction that names a thread claims that each action of it commutes with whatever the others may do before. So they are let
//! do it, a few steps far, and at each of the states on the way
//!
//! - the named thread has the actions that it had at first, and can take those that it could take,
//! - none of them takes away an action of another thread, and
//! - both orders of one of them and one of another thread's lead to the same state, if need be after a few more steps of the named
//!   thread that touch nothing and show nothing.
//!
//! That an action makes others possible is no harm: who could not move before cannot have come first.
//!
//! A reduction that lets actions fall asleep claims of two actions that they commute in one state. Then both orders must lead to the
//! very same state, for actions are known by their threads' numbers, and no end of the program is an excuse.
//!
//! The comparison of [`crate::compare`] sees what is lost in the end, this sees why, and in programs in which nothing happens to be
//! lost.

use kernel::{End, Flaw, Location, Reduction, StateVector, System, ThreadId, Transition, Transitions, Unsupported};
use std::fmt;

/// How many steps the others are let take.
const AHEAD: usize = 2;

/// How many steps that touch nothing a thread may be behind.
const BEHIND: usize = 4;

/// Pairs of actions that are tried at one state: who has many alternatives is not looked at to the end.
const PAIRS: usize = 400;

/// A reduction whose claims are checked.
pub struct Checked<'r, S: System> {
    reduction: &'r mut dyn Reduction<S>,
    pairs: u64,
    refuted: Option<Refuted<S::Action>>,
}

/// A claim that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted<A> {
    /// The state at which it was made.
    pub words: Vec<u32>,
    /// The threads of which it was said that they are enough.
    pub threads: Vec<ThreadId>,
    /// What others have done since.
    pub way: Vec<A>,
    /// An action of the thread.
    pub one: A,
    /// An action of another thread.
    pub other: A,
    /// What is wrong.
    pub why: Why,
}

/// Why two actions do not commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The other thread cannot take its action any more.
    Disabled,
    /// The thread has other actions now.
    Changed,
    /// The two orders lead to different states.
    Order,
}

impl<A: fmt::Debug> fmt::Display for Refuted<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::Disabled => "which is not possible after it",
            Why::Changed => "after which the thread has other actions",
            Why::Order => "the two orders lead to different states",
        };
        let named: Vec<String> = self.threads.iter().map(|thread| thread.0.to_string()).collect();
        write!(
            f,
            "thread {} is said to be enough, but after {:?}, {:?} does not commute with {:?}: {why}",
            named.join(" with "),
            self.way,
            self.one,
            self.other
        )
    }
}

impl<'r, S: System> Checked<'r, S> {
    /// Nothing checked so far.
    pub fn new(reduction: &'r mut dyn Reduction<S>) -> Checked<'r, S> {
        Checked {
            reduction,
            pairs: 0,
            refuted: None,
        }
    }

    /// The first claim that does not hold.
    pub fn refuted(&self) -> Option<&Refuted<S::Action>> {
        self.refuted.as_ref()
    }

    /// How many pairs of actions were tried in both orders.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }
}

impl<S: System> Reduction<S> for Checked<'_, S> {
    kernel::forward_reduction!(S, reduction: is_atomic, has_transactions, in_transaction, diverges, sleeps, name, keeps_preemptions, is_broken);

    fn ample(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        last: Option<ThreadId>,
        enough: &mut Vec<ThreadId>,
    ) {
        self.reduction.ample(system, state, transitions, last, enough);
        if !enough.is_empty() && self.refuted.is_none() {
            let mut claim = Claim {
                system,
                threads: enough,
                own: enabled(transitions, |other| enough.contains(&other)),
                all: all_of(transitions, enough),
                way: Vec::new(),
                left: PAIRS,
                strict: false,
            };
            let found = claim.check(state, AHEAD).unwrap_or(None);
            self.pairs += (PAIRS - claim.left) as u64;
            let way = claim.way;
            if let Some((one, other, why)) = found {
                self.refuted = Some(Refuted {
                    words: encoded(system, state),
                    threads: enough.clone(),
                    way,
                    one,
                    other,
                    why,
                });
            }
        }
    }

    fn commute(
        &mut self,
        system: &S,
        state: &mut S::State,
        transitions: &Transitions<S::Action>,
        one: &Transition<S::Action>,
        two: &Transition<S::Action>,
    ) -> bool {
        let claimed = self.reduction.commute(system, state, transitions, one, two);
        if claimed && self.refuted.is_none() {
            self.pairs += 1;
            let mut claim = Claim {
                system,
                threads: &[one.thread],
                own: vec![one.action],
                all: all_of(transitions, &[one.thread]),
                way: Vec::new(),
                left: PAIRS,
                strict: true,
            };
            if let Ok(Some((one, other, why))) = claim.pair(state, transitions, two.action) {
                self.refuted = Some(Refuted {
                    words: encoded(system, state),
                    threads: claim.threads.to_vec(),
                    way: Vec::new(),
                    one,
                    other,
                    why,
                });
            }
        }
        claimed
    }

    fn renew(&mut self) {
        self.reduction.renew();
        self.refuted = None;
    }

    fn refine(&mut self, system: &S, state: &mut S::State) -> bool {
        let refined = self.reduction.refine(system, state);
        if refined {
            // What was claimed rested on something that is no longer believed.
            self.refuted = None;
        }
        refined
    }
}

/// A claim about one state, and how far it was looked into.
struct Claim<'s, S: System> {
    system: &'s S,
    threads: &'s [ThreadId],
    /// The threads' actions that can be taken.
    own: Vec<S::Action>,
    /// All their actions.
    all: Vec<(S::Action, bool)>,
    way: Vec<S::Action>,
    left: usize,
    /// Whether two states must not even differ in what nobody can tell.
    strict: bool,
}

/// Two actions that do not commute.
type Pair<A> = Option<(A, A, Why)>;

impl<S: System> Claim<'_, S> {
    /// Checks the claim here and after so many steps of other threads. What is not supported is not looked at.
    fn check(&mut self, state: &mut S::State, ahead: usize) -> Result<Pair<S::Action>, Unsupported> {
        let (system, threads) = (self.system, self.threads);
        let before = transitions_of(system, state);
        if before.end != End::Open {
            return Ok(None);
        }
        for other in enabled(&before, |one| !threads.contains(&one)) {
            // What ends the program, has it forgotten, or begins an atomic block says itself that it commutes with nothing. It
            // is no reason not to try the thread first all the same: that shows more, not less.
            if is_wild(&before, other) {
                continue;
            }
            match self.pair(state, &before, other)? {
                None if self.left == 0 => return Ok(None),
                None => {}
                found => return Ok(found),
            }
            if ahead > 0 {
                let undo = system.apply(state, other)?;
                self.way.push(other);
                let found = self.check(state, ahead - 1);
                system.undo(state, undo);
                if !matches!(found, Ok(None)) {
                    return found;
                }
                self.way.pop();
            }
        }
        Ok(None)
    }

    /// Checks the claim for an action of another thread, here.
    fn pair(
        &mut self,
        state: &mut S::State,
        before: &Transitions<S::Action>,
        other: S::Action,
    ) -> Result<Pair<S::Action>, Unsupported> {
        let undo = self.system.apply(state, other)?;
        let after = transitions_of(self.system, state);
        let same = all_of(&after, self.threads) == self.all;
        self.system.undo(state, undo);
        if after.end != End::Open && !self.strict {
            return Ok(None);
        }
        if !same {
            return Ok(Some((self.own[0], other, Why::Changed)));
        }
        for one in self.own.clone() {
            if self.left == 0 {
                return Ok(None);
            }
            self.left -= 1;
            if let Some(why) = self.exchange(state, before, &after, one, other)? {
                return Ok(Some((one, other, why)));
            }
        }
        Ok(None)
    }

    /// Takes two actions in both orders.
    fn exchange(
        &self,
        state: &mut S::State,
        before: &Transitions<S::Action>,
        after_other: &Transitions<S::Action>,
        one: S::Action,
        other: S::Action,
    ) -> Result<Option<Why>, Unsupported> {
        let undo = self.system.apply(state, one)?;
        let after_one = transitions_of(self.system, state);
        self.system.undo(state, undo);
        if after_one.end != End::Open && !self.strict {
            return Ok(None);
        }
        if !enabled(&after_one, |thread| !self.threads.contains(&thread)).contains(&other) {
            return Ok(Some(Why::Disabled));
        }
        // Threads are numbered in the order in which they start, and numbers are used again. So two steps that start or end
        // threads give them other numbers in another order, and the states are equal in all but the numbers.
        let starts = |after: &Transitions<S::Action>| threads(after) != threads(before);
        if starts(&after_one) && starts(after_other) && !self.strict {
            return Ok(None);
        }
        // What is shown after both orders is no matter of the order.
        let mut known = Shown::of(before);
        let (mut there, back) = (self.shown(state, [one, other])?, self.shown(state, [other, one])?);
        there.marks.retain(|mark| back.marks.contains(mark));
        there.flaws.retain(|flaw| back.flaws.contains(flaw));
        known.marks.append(&mut there.marks);
        known.flaws.append(&mut there.flaws);
        let mut meet = |behind| {
            let (there, back) = (
                self.after(state, &known, [one, other], behind)?,
                self.after(state, &known, [other, one], behind)?,
            );
            Ok(there.iter().any(|words| back.contains(words)))
        };
        Ok((!meet(0)? && (self.strict || !meet(BEHIND)?)).then_some(Why::Order))
    }

    /// What is shown after two actions.
    fn shown(&self, state: &mut S::State, two: [S::Action; 2]) -> Result<Shown, Unsupported> {
        let first = self.system.apply(state, two[0])?;
        let shown = self.system.apply(state, two[1]).map(|second| {
            let shown = Shown::of(&transitions_of(self.system, state));
            self.system.undo(state, second);
            shown
        });
        self.system.undo(state, first);
        shown
    }

    /// The state after two actions, and those after so many more steps of the named thread, as long as they touch nothing.
    fn after(
        &self,
        state: &mut S::State,
        known: &Shown,
        two: [S::Action; 2],
        more: usize,
    ) -> Result<Vec<Vec<u32>>, Unsupported> {
        let system = self.system;
        let (mut taken, mut met) = (Vec::new(), Vec::new());
        let mut go = |state: &mut S::State| {
            for action in two {
                taken.push(system.apply(state, action)?);
            }
            met.push(encoded(system, state));
            for _ in 0..more {
                let transitions = transitions_of(system, state);
                let own = |entry: &&Transition<S::Action>| self.threads.contains(&entry.thread);
                let next = transitions.entries().iter().find(own);
                let Some(next) = next.filter(|next| next.enabled && transitions.footprint(next).is_empty()) else {
                    break;
                };
                // What can be told here must not be passed by, unless it is known.
                let is_new = transitions.marks.iter().any(|mark| !known.marks.contains(mark))
                    || transitions.flaws.iter().any(|flaw| !known.flaws.contains(flaw));
                if is_new {
                    break;
                }
                taken.push(system.apply(state, next.action)?);
                met.push(encoded(system, state));
            }
            Ok(())
        };
        let gone = go(state);
        while let Some(undo) = taken.pop() {
            system.undo(state, undo);
        }
        gone.map(|()| met)
    }
}

/// What can be told at a state.
struct Shown {
    marks: Vec<u128>,
    flaws: Vec<Flaw>,
}

impl Shown {
    fn of<A>(transitions: &Transitions<A>) -> Shown {
        Shown {
            marks: transitions.marks.clone(),
            flaws: transitions.flaws.clone(),
        }
    }
}

fn transitions_of<S: System>(system: &S, state: &mut S::State) -> Transitions<S::Action> {
    let mut transitions = Transitions::default();
    system.transitions(state, &mut transitions);
    transitions
}

/// The actions that the threads in question can take.
fn enabled<A: Copy>(transitions: &Transitions<A>, whose: impl Fn(ThreadId) -> bool) -> Vec<A> {
    let wanted = |entry: &&Transition<A>| entry.enabled && whose(entry.thread);
    transitions
        .entries()
        .iter()
        .filter(wanted)
        .map(|entry| entry.action)
        .collect()
}

/// All actions of some threads, and whether they can take them.
fn all_of<A: Copy>(transitions: &Transitions<A>, threads: &[ThreadId]) -> Vec<(A, bool)> {
    let own = transitions
        .entries()
        .iter()
        .filter(|entry| threads.contains(&entry.thread));
    own.map(|entry| (entry.action, entry.enabled)).collect()
}

/// Whether an action touches everything.
fn is_wild<A: Copy + Eq>(transitions: &Transitions<A>, action: A) -> bool {
    let such = transitions.entries().iter().filter(|entry| entry.action == action);
    let mut touches = such.flat_map(|entry| transitions.footprint(entry));
    touches.any(|touch| touch.location == Location::EVERYTHING)
}

fn threads<A: Copy>(transitions: &Transitions<A>) -> Vec<ThreadId> {
    let mut threads: Vec<ThreadId> = transitions.entries().iter().map(|entry| entry.thread).collect();
    threads.dedup();
    threads
}

fn encoded<S: System>(system: &S, state: &mut S::State) -> Vec<u32> {
    let mut vector = StateVector::default();
    system.encode(state, &mut vector);
    vector.words()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thread 0 opens a door once and for all. Thread 1 comes to it, and passes if it is open; if it was not when it came,
    /// it does so a step later. The same is to be seen all the time, and perhaps something new while it waits.
    struct Door {
        shows: bool,
    }

    /// Where thread 1 is: not there yet, at the door, behind it; and whether it is open.
    type At = (u32, bool);

    impl System for Door {
        type State = At;
        type Action = u16;
        type Undo = At;

        fn initial(&self) -> Result<At, Unsupported> {
            Ok((0, false))
        }

        fn transitions(&self, state: &mut At, transitions: &mut Transitions<u16>) {
            transitions.clear();
            transitions.add(ThreadId(0), 0, !state.1);
            transitions.touch(Location { object: 1, cell: 0 }, kernel::AccessKind::AtomicWrite);
            transitions.add(ThreadId(1), 1, state.0 == 0 || (state.0 == 1 && state.1));
            transitions.marks.push(7);
            if self.shows && state.0 == 1 {
                transitions.marks.push(8);
            }
        }

        fn apply(&self, state: &mut At, action: u16) -> Result<At, Unsupported> {
            let before = *state;
            match action {
                0 => state.1 = true,
                _ => state.0 = if state.1 { 2 } else { 1 },
            }
            Ok(before)
        }

        fn undo(&self, state: &mut At, undo: At) {
            *state = undo;
        }

        fn encode(&self, state: &mut At, out: &mut StateVector) {
            out.extend(&[state.0, state.1.into()]);
            out.end_chunk();
        }

        fn decode(&self, _state: &mut At, _words: &[u32]) -> Result<(), Unsupported> {
            Ok(())
        }

        fn wrote(&self, _undo: &At) -> bool {
            false
        }

        fn canonical_id(&self, _state: &mut At, thread: ThreadId) -> Option<ThreadId> {
            Some(thread)
        }

        fn is_broken(&self) -> bool {
            false
        }

        fn refine(&self, _state: &mut At) -> Result<bool, Unsupported> {
            Ok(false)
        }

        fn stuck(&self, _state: &mut At) -> u64 {
            0
        }

        fn race(&self, _state: &mut At, _one: &Transition<u16>, _two: &Transition<u16>) -> Option<u64> {
            Some(0)
        }
    }

    /// What is wrong with the claim that thread 1 is enough at first.
    fn refuted(door: &Door) -> Option<Why> {
        let mut state = (0, false);
        let transitions = transitions_of(door, &mut state);
        let threads = [ThreadId(1)];
        let mut claim = Claim {
            system: door,
            threads: &threads,
            own: enabled(&transitions, |one| threads.contains(&one)),
            all: all_of(&transitions, &threads),
            way: Vec::new(),
            left: PAIRS,
            strict: false,
        };
        let found = claim.check(&mut state, AHEAD).unwrap_or(None);
        found.map(|(_, _, why)| why)
    }

    #[test]
    fn a_thread_may_be_behind_as_long_as_nothing_new_is_to_be_seen() {
        assert_eq!(refuted(&Door { shows: false }), None);
        assert_eq!(refuted(&Door { shows: true }), Some(Why::Order));
    }
}
