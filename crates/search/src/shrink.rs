//! Improving a schedule by rearranging it: leave out parts, move parts of one thread together, and see whether what is
//! left of it still leads to the flaw (delta debugging, Zeller and Hildebrandt, TSE 2002).

use crate::inspect::meets;
use crate::replay::rewind;
use kernel::{Flaw, System, ThreadId, Transitions};
use std::time::Instant;

/// A schedule, with who acts.
pub(crate) type Trace<A> = Vec<(ThreadId, A)>;

/// How hard a schedule is to read: switches between threads, then steps.
pub(crate) fn cost<A>(trace: &Trace<A>) -> (usize, usize) {
    let switches = trace.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
    (switches, trace.len())
}

/// Improves schedules to one flaw within some effort.
pub(crate) struct Shrink<'a, S: System> {
    system: &'a S,
    flaw: Flaw,
    steps_left: u64,
    deadline: Instant,
    stopped: fn() -> bool,
    transitions: Transitions<S::Action>,
}

impl<'a, S: System> Shrink<'a, S> {
    /// Nothing tried so far, and nothing allowed.
    pub fn new(system: &'a S, flaw: Flaw, stopped: fn() -> bool) -> Shrink<'a, S> {
        Shrink {
            system,
            flaw,
            steps_left: 0,
            deadline: Instant::now(),
            stopped,
            transitions: Transitions::default(),
        }
    }

    /// How many steps may be taken from here on, and until when.
    pub fn allow(&mut self, steps: u64, deadline: Instant) {
        self.steps_left = steps;
        self.deadline = deadline;
    }

    /// The schedule with its threads, if it leads to the flaw.
    pub fn follow_exactly(&mut self, state: &mut S::State, actions: &[S::Action]) -> Option<Trace<S::Action>> {
        let mut trace = Vec::with_capacity(actions.len());
        let (system, flaw) = (self.system, self.flaw);
        let mut met = false;
        let see = |state: &mut S::State, transitions: &Transitions<S::Action>, next: Option<S::Action>| match next {
            Some(action) => {
                let entry = transitions
                    .entries()
                    .iter()
                    .find(|one| one.enabled && one.action == action);
                trace.extend(entry.map(|entry| (entry.thread, action)));
            }
            None => met = meets(system, state, transitions, flaw),
        };
        let undos = crate::replay(system, state, actions, see).ok()?;
        rewind(system, state, undos);
        met.then_some(trace)
    }

    /// The best that is found from a schedule.
    pub fn improve(&mut self, state: &mut S::State, mut trace: Trace<S::Action>) -> Trace<S::Action> {
        loop {
            let before = cost(&trace);
            self.drop_blocks(state, &mut trace);
            self.join_blocks(state, &mut trace);
            self.drop_steps(state, &mut trace);
            if cost(&trace) == before || self.is_spent() {
                return trace;
            }
        }
    }

    fn is_spent(&self) -> bool {
        self.steps_left == 0 || Instant::now() >= self.deadline || (self.stopped)()
    }

    /// Leaves out all that a thread does without a switch, many such blocks at first, then fewer.
    fn drop_blocks(&mut self, state: &mut S::State, trace: &mut Trace<S::Action>) {
        let mut size = blocks(trace).len().div_ceil(2);
        while size > 0 && !self.is_spent() {
            let mut at = 0;
            loop {
                let ends = blocks(trace);
                if at >= ends.len() || self.is_spent() {
                    break;
                }
                let first = ends[at].0;
                let end = ends[(at + size).min(ends.len()) - 1].1;
                if !self.try_without(state, trace, first, end) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    /// Leaves out steps, many at first, then fewer.
    fn drop_steps(&mut self, state: &mut S::State, trace: &mut Trace<S::Action>) {
        let mut size = trace.len().div_ceil(2);
        while size > 0 && !self.is_spent() {
            let mut at = 0;
            while at < trace.len() && !self.is_spent() {
                let end = (at + size).min(trace.len());
                if !self.try_without(state, trace, at, end) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    fn try_without(&mut self, state: &mut S::State, trace: &mut Trace<S::Action>, first: usize, end: usize) -> bool {
        let rest = trace[..first].iter().chain(&trace[end..]).copied().collect();
        self.replace(state, trace, &rest)
    }

    /// Moves each block to where its thread stopped before, or the other way round.
    fn join_blocks(&mut self, state: &mut S::State, trace: &mut Trace<S::Action>) {
        let mut at = 0;
        loop {
            let ends = blocks(trace);
            if at >= ends.len() || self.is_spent() {
                return;
            }
            let (first, end) = ends[at];
            let thread = trace[first].0;
            let later = ends[at + 1..].iter().find(|(start, _)| trace[*start].0 == thread);
            let joined = later.is_some_and(|&(later_first, later_end)| {
                // The later one forward, or this one back: a rotation of what lies between.
                let mut forward = trace.clone();
                forward[end..later_end].rotate_right(later_end - later_first);
                let mut back = trace.clone();
                back[first..later_first].rotate_left(end - first);
                self.replace(state, trace, &forward) || self.replace(state, trace, &back)
            });
            if !joined {
                at += 1;
            }
        }
    }

    /// Replaces a schedule by what is left of another one when it is followed, if that is better.
    fn replace(&mut self, state: &mut S::State, trace: &mut Trace<S::Action>, by: &Trace<S::Action>) -> bool {
        match self.follow(state, by) {
            Some(better) if cost(&better) < cost(trace) => {
                *trace = better;
                true
            }
            _ => false,
        }
    }

    /// Follows a schedule, leaves out what cannot be done, and ends as soon as the flaw is there.
    fn follow(&mut self, state: &mut S::State, trace: &Trace<S::Action>) -> Option<Trace<S::Action>> {
        let anywhere = !self.flaw.property.is_endless();
        let (mut done, mut undos, mut met) = (Vec::with_capacity(trace.len()), Vec::new(), false);
        let mut moved = true;
        for at in 0..=trace.len() {
            if moved {
                self.transitions.clear();
                self.system.transitions(state, &mut self.transitions);
            }
            let last = at == trace.len();
            met = (moved && anywhere || last) && meets(self.system, state, &self.transitions, self.flaw);
            let in_time = !self.steps_left.is_multiple_of(256) || !self.is_spent();
            if met || last || !in_time {
                break;
            }
            let (thread, action) = trace[at];
            let mut entries = self.transitions.entries().iter();
            moved = entries.any(|one| one.enabled && one.thread == thread && one.action == action);
            if moved && let Ok(undo) = self.system.apply(state, action) {
                undos.push(undo);
                done.push((thread, action));
                self.steps_left -= 1;
            }
        }
        rewind(self.system, state, undos);
        met.then_some(done)
    }
}

/// Where each run of steps of one thread begins and ends.
fn blocks<A>(trace: &Trace<A>) -> Vec<(usize, usize)> {
    let mut at = 0;
    let runs = trace.chunk_by(|one, two| one.0 == two.0);
    runs.map(|run| {
        at += run.len();
        (at - run.len(), at)
    })
    .collect()
}
