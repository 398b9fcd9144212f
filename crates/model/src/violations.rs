//! What is wrong with a state: circles of locks, races, locks that nobody can give back.
//!
//! Flaws are named by control points and variables, not by threads.

use crate::code::{Model, OWNER_MASK, Op};
use crate::run::Run;
use crate::syntax::Kind;
use crate::system::{Action, State};
use kernel::{AccessKind, Flaw, MemoryAccess, Property, Transitions};

/// Mixes words into a number.
fn mix(words: impl IntoIterator<Item = u32>) -> u64 {
    words.into_iter().fold(0x9e37_79b9_7f4a_7c15, |sum: u64, word| {
        let mixed = (sum ^ u64::from(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ mixed >> 32
    })
}

impl Model {
    /// Adds what is wrong with a state of which so many threads must wait.
    pub(crate) fn add_flaws(&self, state: &mut State, stuck: u32, transitions: &mut Transitions<Action>) {
        if stuck > 1 {
            let circle = self.circle(state);
            if !circle.is_empty() {
                let (property, key) = (Property::DEADLOCK, self.points_key(state, circle));
                transitions.flaws.push(Flaw { property, key });
            }
        }
        for (position, _) in self.left_locks(state) {
            let (property, key) = (Property::LOCK, position as u64);
            transitions.flaws.push(Flaw { property, key });
        }
    }

    /// The word of the lock that a thread must have to go on.
    pub(crate) fn wanted(&self, state: &mut State, thread: usize) -> Option<u32> {
        let step = self.step(state, thread)?;
        let mut run = Run::new(self, state, thread, false);
        match &step.op {
            Op::Acquire(lock) => run.lock(lock, AccessKind::Acquire).ok(),
            Op::Reacquire => Some(run.waits_for().0),
            _ => None,
        }
    }

    /// The thread that holds a lock.
    pub(crate) fn holder(&self, state: &State, word: u32) -> Option<usize> {
        let owner = state.words[word as usize] & OWNER_MASK;
        (owner as usize).checked_sub(1)
    }

    /// The threads that wait for each other's locks in a circle; empty if there is none.
    pub(crate) fn circle(&self, state: &mut State) -> Vec<usize> {
        let mut awaited = |thread: usize| {
            let wanted = self.wanted(state, thread)?;
            self.holder(state, wanted).filter(|&holder| holder != thread)
        };
        let next: Vec<Option<usize>> = (0..self.instances.len()).map(&mut awaited).collect();
        for start in 0..next.len() {
            let mut members = vec![start];
            while let Some(thread) = next[members[members.len() - 1]] {
                if thread == start {
                    return members;
                }
                if members.contains(&thread) {
                    break;
                }
                members.push(thread);
            }
        }
        Vec::new()
    }

    /// The threads that have not ended or failed.
    pub(crate) fn live(&self, state: &State) -> Vec<usize> {
        let all = 0..self.instances.len();
        all.filter(|&thread| self.step(state, thread).is_some()).collect()
    }

    fn points_key(&self, state: &State, threads: Vec<usize>) -> u64 {
        let mut points: Vec<u32> = threads.iter().map(|&thread| self.point(state, thread)).collect();
        points.sort_unstable();
        mix(points)
    }

    /// Names a state in which nobody can move.
    pub(crate) fn stuck_key(&self, state: &mut State) -> u64 {
        let circle = self.circle(state);
        let members = if circle.is_empty() { self.live(state) } else { circle };
        self.points_key(state, members)
    }

    /// The places that the next steps of two threads race for, as far as that is not allowed.
    pub(crate) fn race_touch(&self, state: &mut State, one: usize, two: usize) -> Option<(MemoryAccess, MemoryAccess)> {
        self.look(state, one);
        let first = state.touches.clone();
        self.look(state, two);
        let second = &state.touches;
        let pairs = first
            .iter()
            .flat_map(|mine| second.iter().map(move |theirs| (*mine, *theirs)));
        let mut races = pairs.filter(|(mine, theirs)| mine.races(*theirs));
        races.find(|(mine, _)| {
            let name = self
                .variable_at(mine.location.object - 1)
                .map(|variable| &variable.name);
            !name.is_some_and(|name| self.allowed.contains(name))
        })
    }

    /// Names the race between two threads, unless it is allowed.
    pub(crate) fn race_key(&self, state: &mut State, one: usize, two: usize) -> Option<u64> {
        let (touch, _) = self.race_touch(state, one, two)?;
        let mut points = [self.point(state, one), self.point(state, two)];
        points.sort_unstable();
        Some(mix([points[0], points[1], touch.location.object]))
    }

    /// The variable that a word belongs to.
    pub(crate) fn variable_at(&self, word: u32) -> Option<&crate::code::Variable> {
        let at = self.variables.partition_point(|variable| variable.first <= word);
        at.checked_sub(1).map(|at| &self.variables[at])
    }

    /// The locks that a thread holds which is over: their variables, and their words.
    pub(crate) fn left_locks(&self, state: &State) -> Vec<(usize, u32)> {
        let mut left = Vec::new();
        for (position, variable) in self.variables.iter().enumerate() {
            if variable.kind != Kind::Lock {
                continue;
            }
            for word in variable.first..variable.first + variable.size {
                let holder = self.holder(state, word);
                if holder.is_some_and(|holder| self.step(state, holder).is_none()) {
                    left.push((position, word));
                }
            }
        }
        left
    }
}
