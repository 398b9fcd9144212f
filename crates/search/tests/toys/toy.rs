//! A toy system: threads with a register each run small programs over shared variables.

use kernel::{
    AccessKind, End, Flaw, Location, Obstacle, Property, StateVector, System, ThreadId, Transition, Transitions,
    Unsupported,
};
use search::{Found, Options, Outcome, Silent, explore, meets, replay, rewind};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;
use store::{Inserter, Seen, StateId, StateTable};

/// An instruction; variables come first, targets last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// variable := value
    Set(usize, u32),
    /// variable := variable + 1 modulo
    Inc(usize, u32),
    /// The same again and again, until it is this value.
    Count(usize, u32),
    /// register := variable, plainly
    Load(usize),
    /// variable := register + 1, plainly; register := 0
    Store(usize),
    /// Waits until the variable is 0 and sets it to 1.
    Lock(usize),
    /// variable := 0
    Unlock(usize),
    /// Goes to the target while the variable has the value; reads only.
    While(usize, u32, u32),
    /// Goes to the target.
    Goto(u32),
    /// register := any number below
    Choose(u32),
    /// Goes to the target if the register has the value.
    If(u32, u32),
    /// A flaw for whoever gets here.
    Fail(u64),
    /// Not supported.
    Foreign,
    /// Forget this execution.
    Ignore,
    /// Remember having been here.
    Mark(u64),
    /// register := the number of the thread, which threads that are taken for each other do not have
    Number,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Toy {
    pub threads: Vec<Vec<Op>>,
    pub variables: usize,
    /// At the end, this variable must have this value.
    pub expect: Option<(usize, u32)>,
    /// Forget which thread is which.
    pub symmetric: bool,
    /// Whether a thread wanted its number while that was forgotten, and whether it is therefore known after all.
    pub wanted: Cell<bool>,
    pub numbered: Cell<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Program counter and register of each thread.
    pub threads: Vec<(u32, u32)>,
    pub variables: Vec<u32>,
}

pub struct Undo {
    thread: usize,
    was: (u32, u32),
    variable: Option<(usize, u32)>,
}

/// A thread and the number of its alternative.
pub type Action = (u32, u32);

impl Toy {
    pub fn new(variables: usize, threads: &[&[Op]]) -> Toy {
        Toy {
            threads: threads.iter().map(|ops| ops.to_vec()).collect(),
            variables,
            expect: None,
            symmetric: false,
            wanted: Cell::new(false),
            numbered: Cell::new(false),
        }
    }

    fn is_symmetric(&self) -> bool {
        self.symmetric && !self.numbered.get()
    }

    fn op(&self, state: &State, thread: usize) -> Option<Op> {
        self.threads[thread].get(state.threads[thread].0 as usize).copied()
    }

    pub fn start(&self) -> State {
        State {
            threads: vec![(0, 0); self.threads.len()],
            variables: vec![0; self.variables],
        }
    }
}

impl System for Toy {
    type State = State;
    type Action = Action;
    type Undo = Undo;

    fn initial(&self) -> Result<State, Unsupported> {
        Ok(self.start())
    }

    fn transitions(&self, state: &mut State, transitions: &mut Transitions<Action>) {
        transitions.end = End::Over;
        for thread in 0..self.threads.len() {
            let Some(op) = self.op(state, thread) else { continue };
            if transitions.end == End::Over {
                transitions.end = End::Open;
            }
            let enabled = !matches!(op, Op::Lock(variable) if state.variables[variable] != 0);
            let number = thread as u32;
            transitions.add(ThreadId(number), (number, 0), enabled);
            let touch = match op {
                Op::Set(variable, _) | Op::Inc(variable, _) | Op::Count(variable, _) => {
                    Some((variable, AccessKind::AtomicWrite))
                }
                Op::Load(variable) => Some((variable, AccessKind::Read)),
                Op::Store(variable) => Some((variable, AccessKind::Write)),
                Op::Lock(variable) => Some((variable, AccessKind::Acquire)),
                Op::Unlock(variable) => Some((variable, AccessKind::Release)),
                Op::While(variable, ..) => Some((variable, AccessKind::AtomicRead)),
                _ => None,
            };
            if let Some((variable, access)) = touch {
                let cell = variable as u32;
                transitions.touch(Location { object: 1, cell }, access);
            }
            match op {
                Op::Choose(count) => (1..count).for_each(|other| transitions.add_alternative((number, other), true)),
                Op::Fail(key) => transitions.flaws.push(Flaw {
                    property: Property::EXCEPTION,
                    key,
                }),
                Op::Ignore => transitions.end = End::Ignored,
                Op::Mark(mark) => transitions.marks.push(mark.into()),
                _ => {}
            }
        }
        if let Some((variable, value)) = self.expect
            && transitions.end == End::Over
            && state.variables[variable] != value
        {
            transitions.flaws.push(Flaw {
                property: Property::EXCEPTION,
                key: 1000,
            });
        }
    }

    fn apply(&self, state: &mut State, (number, alternative): Action) -> Result<Undo, Unsupported> {
        let thread = number as usize;
        let op = self.op(state, thread).expect("an enabled action");
        let (was, (pc, register)) = (state.threads[thread], state.threads[thread]);
        let mut next = (pc + 1, register);
        let mut write = None;
        match op {
            Op::Set(variable, value) => write = Some((variable, value)),
            Op::Inc(variable, modulo) => write = Some((variable, (state.variables[variable] + 1) % modulo)),
            Op::Count(variable, end) => {
                let value = state.variables[variable] + 1;
                write = Some((variable, value));
                next.0 = if value < end { pc } else { pc + 1 };
            }
            Op::Load(variable) => next.1 = state.variables[variable],
            Op::Store(variable) => {
                write = Some((variable, register + 1));
                next.1 = 0;
            }
            Op::Lock(variable) => {
                assert_eq!(state.variables[variable], 0, "only enabled steps are taken");
                write = Some((variable, 1));
            }
            Op::Unlock(variable) => write = Some((variable, 0)),
            Op::While(variable, value, target) if state.variables[variable] == value => next.0 = target,
            Op::Goto(target) => next.0 = target,
            Op::Choose(_) => next.1 = alternative,
            Op::If(value, target) if register == value => next.0 = target,
            Op::Number if !self.is_symmetric() => next.1 = number,
            Op::Foreign | Op::Number => {
                self.wanted.set(op == Op::Number || self.wanted.get());
                return Err(Unsupported {
                    what: format!("foreign {number}"),
                    place: String::new(),
                    obstacle: Obstacle::Feature,
                });
            }
            _ => {}
        }
        state.threads[thread] = next;
        let variable =
            write.map(|(variable, value)| (variable, std::mem::replace(&mut state.variables[variable], value)));
        Ok(Undo { thread, was, variable })
    }

    fn undo(&self, state: &mut State, undo: Undo) {
        state.threads[undo.thread] = undo.was;
        if let Some((variable, value)) = undo.variable {
            state.variables[variable] = value;
        }
    }

    fn encode(&self, state: &mut State, out: &mut StateVector) {
        let push = |out: &mut StateVector, (pc, register): (u32, u32)| {
            out.push(pc);
            out.push(register);
            out.end_chunk();
        };
        if self.is_symmetric() {
            let mut sorted = state.threads.clone();
            sorted.sort_unstable();
            sorted.into_iter().for_each(|thread| push(out, thread));
        } else {
            state.threads.iter().for_each(|&thread| push(out, thread));
        }
        out.extend(&state.variables);
        out.end_chunk();
    }

    fn decode(&self, state: &mut State, words: &[u32]) -> Result<(), Unsupported> {
        let (threads, variables) = words.split_at(2 * self.threads.len());
        state.threads = threads.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        state.variables = variables.to_vec();
        Ok(())
    }

    fn wrote(&self, _undo: &Undo) -> bool {
        false
    }

    fn canonical_id(&self, state: &mut State, thread: ThreadId) -> Option<ThreadId> {
        if !self.is_symmetric() {
            return Some(thread);
        }
        let of = |number: usize| (state.threads[number], number);
        let before = (0..self.threads.len()).filter(|&other| of(other) < of(thread.0 as usize));
        Some(ThreadId(before.count() as u32))
    }

    fn is_broken(&self) -> bool {
        self.wanted.get()
    }

    fn refine(&self, state: &mut State) -> Result<bool, Unsupported> {
        *state = self.start();
        let refined = self.is_symmetric() && self.wanted.take();
        self.numbered.set(refined);
        Ok(refined)
    }

    fn stuck(&self, state: &mut State) -> u64 {
        let mut pcs: Vec<_> = state.threads.iter().map(|thread| thread.0).collect();
        if self.is_symmetric() {
            pcs.sort_unstable();
        }
        pcs.iter().fold(7, |key, &pc| key * 31 + u64::from(pc))
    }

    fn race(&self, state: &mut State, one: &Transition<Action>, _two: &Transition<Action>) -> Option<u64> {
        match self.op(state, one.action.0 as usize) {
            Some(Op::Load(variable) | Op::Store(variable)) => Some(variable as u64),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Kept {
    numbers: HashMap<Vec<u32>, u64>,
    words: Vec<Vec<u32>>,
}

/// A table of states; `keeps` and `counts` say how good it is.
pub struct Table {
    kept: Mutex<Kept>,
    keeps: bool,
    counts: bool,
}

impl Table {
    pub fn new() -> Table {
        Table {
            kept: Mutex::default(),
            keeps: true,
            counts: true,
        }
    }

    /// One that cannot give states back.
    pub fn forgetful() -> Table {
        Table {
            keeps: false,
            ..Table::new()
        }
    }

    /// One that does not even number them.
    pub fn bits() -> Table {
        Table {
            keeps: false,
            counts: false,
            ..Table::new()
        }
    }
}

impl Inserter for &Table {
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        assert_eq!(
            vector.ends().last(),
            Some(&(vector.len() as u32)),
            "the last chunk is ended"
        );
        let mut kept = self.kept.lock().unwrap();
        let next = kept.numbers.len() as u64;
        let number = *kept.numbers.entry(vector.words()).or_insert(next);
        let new = number == next;
        if new && self.keeps {
            kept.words.push(vector.words());
        }
        let id = self.counts.then(|| StateId::new(number));
        Some(Seen { id, new })
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl StateTable for Table {
    fn inserter(&self) -> Box<dyn Inserter + '_> {
        Box::new(self)
    }

    fn get(&self, id: StateId, out: &mut Vec<u32>) -> bool {
        if self.keeps {
            out.extend_from_slice(&self.kept.lock().unwrap().words[id.index()]);
        }
        self.keeps
    }

    fn len(&self) -> u64 {
        self.kept.lock().unwrap().numbers.len() as u64
    }

    fn clear(&mut self) {
        *self = Table::new();
    }

    fn bytes(&self) -> u64 {
        self.len() * 64
    }

    fn collision_probability(&self) -> f64 {
        if self.counts { 0.0 } else { 1e-6 }
    }
}

/// All of a system, everything asked for that any order can find.
pub fn all() -> Options {
    Options {
        properties: Property::ALL
            .iter()
            .copied()
            .filter(|one| *one != Property::LIVELOCK)
            .collect(),
        all: true,
        ..Options::default()
    }
}

/// Searches, checks that the state is back at the start and that every trace leads to its flaw.
pub fn run(toy: &Toy, options: &Options) -> Outcome<Action> {
    run_with(toy, options, Table::new())
}

pub fn run_with(toy: &Toy, options: &Options, mut table: Table) -> Outcome<Action> {
    let mut state = toy.start();
    let outcome = explore(toy, &mut state, &mut table, options, None, &mut Silent).expect("legal options");
    assert_eq!(state, toy.start());
    for found in &outcome.found {
        assert_replays(toy, found);
    }
    for (unsupported, actions) in &outcome.unsupported {
        let blocked = replay(toy, &mut state, actions, |_, _, _| {})
            .map(|_| ())
            .expect_err("an unsupported step");
        assert_eq!(
            (blocked.at, blocked.unsupported.as_ref()),
            (actions.len() - 1, Some(unsupported))
        );
        assert_eq!(state, toy.start());
    }
    outcome
}

/// Checks that a trace leads to its flaw, and back to where its loop begins.
pub fn assert_replays(toy: &Toy, found: &Found<Action>) {
    let mut state = toy.start();
    let stem = found.loop_start.unwrap_or(found.actions.len());
    let mut met = false;
    let see = |state: &mut State, transitions: &Transitions<Action>, next: Option<Action>| {
        if next.is_none() {
            met = meets(toy, state, transitions, found.flaw);
        }
    };
    let undos = replay(toy, &mut state, &found.actions[..stem], see).expect("a trace that replays");
    assert!(met, "{found:?}");
    if found.loop_start.is_some() {
        assert!(stem < found.actions.len());
        let before = state.clone();
        replay(toy, &mut state, &found.actions[stem..], |_, _, _| {}).expect("a loop that replays");
        assert_eq!(state, before);
    } else {
        rewind(toy, &mut state, undos);
        assert_eq!(state, toy.start());
    }
}

/// The flaws found, without the order.
pub fn flaws(outcome: &Outcome<Action>) -> BTreeSet<Flaw> {
    outcome.found.iter().map(|found| found.flaw).collect()
}

pub fn switches(actions: &[Action]) -> usize {
    actions.windows(2).filter(|pair| pair[0].0 != pair[1].0).count()
}

/// Two threads that increment a variable, not atomically.
pub fn lost_update(threads: usize) -> Toy {
    Toy {
        expect: Some((0, threads as u32)),
        ..Toy::new(1, &vec![&[Op::Load(0), Op::Store(0)][..]; threads])
    }
}

/// Philosophers who take the fork with their own number first, and eat some times.
pub fn philosophers(count: usize, meals: usize) -> Toy {
    let mut toy = Toy::new(count, &[]);
    for left in 0..count {
        let right = (left + 1) % count;
        let meal = [Op::Lock(left), Op::Lock(right), Op::Unlock(right), Op::Unlock(left)];
        toy.threads.push(meal.repeat(meals));
    }
    toy
}

/// A small program of any kind, the same for the same seed.
pub fn any_toy(seed: u64) -> Toy {
    let mut word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |end: u64| {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        (word >> 20) % end
    };
    let mut toy = Toy::new(3, &[]);
    for _ in 0..2 + below(2) {
        let length = 2 + below(5);
        let ops = (0..length).map(|at| {
            let variable = below(3) as usize;
            match below(16) {
                0 => Op::Set(variable, below(2) as u32),
                1 => Op::Inc(variable, 3),
                2 | 3 => Op::Load(variable),
                4 | 5 => Op::Store(variable),
                6..=8 => Op::Lock(variable),
                9 | 10 => Op::Unlock(variable),
                11 => Op::While(variable, 1, below(at + 1) as u32),
                12 => Op::Choose(2),
                13 => Op::If(1, below(length + 1) as u32),
                14 => Op::Fail(below(3)),
                _ => Op::Mark(below(4)),
            }
        });
        let ops = ops.collect();
        toy.threads.push(ops);
    }
    toy
}
