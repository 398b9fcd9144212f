//! A model as a [`kernel::System`].

use crate::code::{Fault, Model, OWNER_MASK, Op, Step};
use crate::run::{Ready, Run};
use crate::syntax::Kind;
use kernel::{
    End, Flaw, Instrumentation, Instrumented, MemoryAccess, Obstacle, Property, StateVector, System, ThreadId,
    Transition, Transitions, Unsupported,
};
use std::fmt;
use std::str::FromStr;

/// How many silent steps follow a step before it ends all the same.
const BUDGET: usize = 10_000;

/// A state: its words, and what they were before.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) words: Vec<u32>,
    /// Words that were overwritten, with the old values.
    trail: Vec<(u32, u32)>,
    /// Scratch: the locations that a step touches.
    pub(crate) touches: Vec<MemoryAccess>,
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.words == other.words
    }
}

impl Eq for State {}

impl State {
    pub(crate) fn set(&mut self, word: u32, value: u32) {
        let old = std::mem::replace(&mut self.words[word as usize], value);
        self.trail.push((word, old));
    }

    fn back_to(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some((word, old)) = self.trail.pop() {
                self.words[word as usize] = old;
            }
        }
    }
}

/// How far to go back.
#[derive(Debug)]
pub struct Undo(usize);

/// One step of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// Who acts.
    pub thread: u32,
    /// In which way.
    pub what: What,
}

/// In which way a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// In the only way.
    Go,
    /// By this alternative, from 0.
    Choose(u32),
    /// By notifying this thread.
    Wake(u32),
    /// By waking up for no reason.
    Spurious,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.thread)?;
        match self.what {
            What::Go => Ok(()),
            What::Choose(number) => write!(f, "c{number}"),
            What::Wake(thread) => write!(f, "w{thread}"),
            What::Spurious => write!(f, "s"),
        }
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Action, String> {
        let wrong = || format!("`{text}` is no step of a schedule");
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let thread = text[..digits].parse().map_err(|_| wrong())?;
        let rest = &text[digits..];
        let number = || rest[1..].parse::<u32>().map_err(|_| wrong());
        let what = match rest.bytes().next() {
            None => What::Go,
            Some(b'c') => What::Choose(number()?),
            Some(b'w') => What::Wake(number()?),
            Some(b's') if rest.len() == 1 => What::Spurious,
            _ => return Err(wrong()),
        };
        Ok(Action { thread, what })
    }
}

impl Model {
    /// The state in which everything begins.
    pub fn start(&self) -> State {
        let mut state = State {
            words: self.initial.clone(),
            trail: Vec::new(),
            touches: Vec::new(),
        };
        for thread in 0..self.instances.len() {
            self.settle(&mut state, thread);
        }
        state.trail.clear();
        state
    }

    pub(crate) fn point(&self, state: &State, thread: usize) -> u32 {
        state.words[self.instances[thread].first as usize]
    }

    fn set_point(&self, state: &mut State, thread: usize, point: u32) {
        state.set(self.instances[thread].first, point);
    }

    /// The step before which a thread stands; `None` if it has failed or ended.
    pub(crate) fn step(&self, state: &State, thread: usize) -> Option<&Step> {
        let step = self.steps.get(self.point(state, thread) as usize)?;
        (!matches!(step.op, Op::End)).then_some(step)
    }

    /// One step of one thread, without the silent ones after it.
    fn go(&self, state: &mut State, thread: usize, what: What) {
        let point = self.point(state, thread);
        let Some(step) = self.steps.get(point as usize) else {
            return;
        };
        let mark = state.trail.len();
        let mut run = Run::new(self, state, thread, false);
        // A fault in the guard is found again where the guard is all there is.
        let ready = match &step.op {
            Op::Do(Some(_), _) => run.ready(step).map(|_| ()),
            _ => Ok(()),
        };
        match ready.and_then(|()| run.execute(step, what)) {
            Ok(next) => self.set_point(state, thread, next),
            Err(fault) => {
                state.back_to(mark);
                self.set_point(state, thread, fault.point(point));
            }
        }
    }

    /// The silent steps of a thread, unless every statement is a step of its own.
    fn settle(&self, state: &mut State, thread: usize) {
        // What they do depends on the thread's own words alone, so one that comes back to the same words never gets out. By Brent's
        // algorithm: the words after a number of steps that is a power of two are kept.
        let mut kept = Vec::new();
        for taken in 1..=BUDGET {
            let silent = |step: &Step| step.silent && !self.every;
            if !self.step(state, thread).is_some_and(silent) {
                return;
            }
            self.go(state, thread, What::Go);
            let own = &state.words[self.words_of(thread)];
            if own == kept {
                return self.rest(state, thread, &kept);
            }
            if taken.is_power_of_two() {
                kept = own.to_vec();
            }
        }
    }

    /// Puts a thread that goes round for ever, by silent steps, where its words are least: whichever way it got there.
    fn rest(&self, state: &mut State, thread: usize, here: &[u32]) {
        let own = self.words_of(thread);
        let mut least = here.to_vec();
        loop {
            self.go(state, thread, What::Go);
            let words = &state.words[own.clone()];
            if words == here {
                break;
            }
            if words < &least[..] {
                least = words.to_vec();
            }
        }
        while state.words[own.clone()] != least {
            self.go(state, thread, What::Go);
        }
    }

    /// Whether the next step of a thread can be taken, and in which ways; the locations that it touches are put into the
    /// state's `touches`.
    pub(crate) fn look(&self, state: &mut State, thread: usize) -> Ready {
        state.touches.clear();
        let Some(step) = self.step(state, thread) else {
            return Ready::No;
        };
        let mark = state.trail.len();
        let mut run = Run::new(self, state, thread, true);
        let ready = run.ready(step);
        if !(ready.is_err() && matches!(step.op, Op::Do(..))) {
            // SOUNDNESS: a step touches what it touches when it is taken. So it is, and is undone. One that must wait
            // would touch this if it were let through.
            let _ = run.execute(step, What::Go);
            state.back_to(mark);
        }
        ready.unwrap_or(Ready::Yes)
    }

    /// Shows what a thread is about to observe: the number of the observation above, the value below.
    fn observe(&self, state: &mut State, thread: usize, marks: &mut Vec<u128>) {
        let Some(Op::Observe(values)) = self.step(state, thread).map(|step| &step.op) else {
            return;
        };
        let seen = marks.len();
        let mut run = Run::new(self, state, thread, false);
        for (number, value) in values {
            let Ok(value) = run.value(value) else {
                // The whole step fails.
                return marks.truncate(seen);
            };
            marks.push(u128::from(*number) << 32 | u128::from(value as u32));
        }
    }

    /// Whether so many words can be a state: whatever is an index is one.
    fn is_state(&self, words: &[u32]) -> bool {
        let locks = self.variables.iter().filter(|one| one.kind == Kind::Lock);
        let locks = locks.flat_map(|one| one.first..one.first + one.size);
        let owners = self.instances.len() as u32;
        locks.clone().all(|word| words[word as usize] & OWNER_MASK <= owners)
            && self.instances.iter().all(|instance| {
                let (point, waits) = (words[instance.first as usize], words[instance.first as usize + 1]);
                let step = Fault::of(point).map_or(point, |(_, step)| step);
                let first = instance
                    .template
                    .checked_sub(1)
                    .map(|before| self.templates[before].end + 1);
                (first.unwrap_or(0)..=self.templates[instance.template].end).contains(&step)
                    && match self.steps[step as usize].op {
                        Op::Waiting | Op::Reacquire => locks.clone().any(|word| word + 1 == waits & OWNER_MASK),
                        _ => true,
                    }
            })
    }
}

impl Instrumented for Model {
    fn instrument(&mut self, needs: Instrumentation) {
        self.every = needs.has(Instrumentation::EVERY_STEP);
    }
}

impl System for Model {
    type State = State;
    type Action = Action;
    type Undo = Undo;

    fn initial(&self) -> Result<State, Unsupported> {
        Ok(self.start())
    }

    fn transitions(&self, state: &mut State, transitions: &mut Transitions<Action>) {
        transitions.end = End::Over;
        let mut stuck = 0;
        for thread in 0..self.instances.len() {
            if let Some((fault, step)) = Fault::of(self.point(state, thread)) {
                let (property, key) = (Property::EXCEPTION, u64::from(fault.point(step)));
                transitions.flaws.push(Flaw { property, key });
            }
            if self.step(state, thread).is_none() {
                continue;
            }
            transitions.end = End::Open;
            let number = thread as u32;
            let action = |what| Action { thread: number, what };
            let ready = self.look(state, thread);
            let (first, enabled) = match &ready {
                Ready::No => (What::Go, false),
                Ready::Yes => (What::Go, true),
                Ready::Choices(_) => (What::Choose(0), true),
                Ready::Wakes(waiters) => (What::Wake(waiters[0]), true),
            };
            transitions.add(ThreadId(number), action(first), enabled);
            state
                .touches
                .iter()
                .for_each(|touch| transitions.touch(touch.location, touch.access));
            match ready {
                Ready::No => stuck += 1,
                Ready::Yes => {}
                Ready::Choices(count) => {
                    (1..count).for_each(|one| transitions.add_alternative(action(What::Choose(one)), true))
                }
                Ready::Wakes(waiters) => {
                    let others = waiters.into_iter().skip(1);
                    others.for_each(|waiter| transitions.add_alternative(action(What::Wake(waiter)), true));
                }
            }
            if self.spurious && matches!(self.step(state, thread), Some(step) if matches!(step.op, Op::Waiting)) {
                transitions.add_wake_up(action(What::Spurious), true);
            }
            self.observe(state, thread, &mut transitions.marks);
        }
        self.add_flaws(state, stuck, transitions);
    }

    fn apply(&self, state: &mut State, action: Action) -> Result<Undo, Unsupported> {
        let undo = Undo(state.trail.len());
        let thread = action.thread as usize;
        self.go(state, thread, action.what);
        self.settle(state, thread);
        Ok(undo)
    }

    fn undo(&self, state: &mut State, undo: Undo) {
        state.back_to(undo.0);
    }

    fn encode(&self, state: &mut State, out: &mut StateVector) {
        out.extend(&state.words[..self.instances[0].first as usize]);
        out.end_chunk();
        for thread in 0..self.instances.len() {
            out.extend(&state.words[self.words_of(thread)]);
            out.end_chunk();
        }
    }

    fn decode(&self, state: &mut State, words: &[u32]) -> Result<(), Unsupported> {
        let fits = words.len() == self.initial.len() && self.is_state(words);
        if !fits {
            return Err(Unsupported {
                what: "a vector of another model".to_owned(),
                place: String::new(),
                obstacle: Obstacle::Feature,
            });
        }
        state.words.clear();
        state.words.extend_from_slice(words);
        state.trail.clear();
        Ok(())
    }

    fn wrote(&self, _undo: &Undo) -> bool {
        false
    }

    fn canonical_id(&self, _state: &mut State, thread: ThreadId) -> Option<ThreadId> {
        Some(thread)
    }

    fn is_broken(&self) -> bool {
        false
    }

    fn refine(&self, _state: &mut State) -> Result<bool, Unsupported> {
        Ok(false)
    }

    fn stuck(&self, state: &mut State) -> u64 {
        self.stuck_key(state)
    }

    fn race(&self, state: &mut State, one: &Transition<Action>, two: &Transition<Action>) -> Option<u64> {
        self.race_key(state, one.thread.0 as usize, two.thread.0 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_goes_round_by_itself_rests_in_one_place() {
        let source = "thread t { int y; choose y in 0..6; loop { y = y + 1; if (y == 7) { y = 0; } } }";
        let program = crate::parse(source).expect("a model");
        let model = Model::new(&program, false).expect("a model");
        let ends = (0..7).map(|number| {
            let mut state = model.start();
            let what = What::Choose(number);
            model.apply(&mut state, Action { thread: 0, what }).expect("a step");
            let ended = state.clone();
            let what = What::Go;
            model.apply(&mut state, Action { thread: 0, what }).expect("a step");
            assert_eq!(state, ended, "it stays there");
            ended
        });
        let ends: Vec<State> = ends.collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    }

    #[test]
    fn steps_are_read_as_they_are_written() {
        for what in [What::Go, What::Choose(3), What::Wake(12), What::Spurious] {
            let action = Action { thread: 7, what };
            assert_eq!(action.to_string().parse(), Ok(action));
        }
        for wrong in ["", "x", "1x", "1c", "1ss", "-1", "1w-", "1é"] {
            assert!(wrong.parse::<Action>().is_err(), "{wrong}");
        }
    }
}
