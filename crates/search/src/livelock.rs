//! Livelocks: terminal components of the state graph that are never left and in which nothing changes that another
//! thread could see.
//!
//! Tarjan's algorithm (SIAM J. Comput. 1972) rides on the depth-first search. States are numbered in the order in which
//! they are met, so a state's number is its index in the algorithm.

use crate::expand::Expansion;
use crate::{Ending, Found, Options, Silent, depth};
use kernel::{Flaw, Menu, Property, System, Vector};
use std::collections::{BTreeSet, HashMap};
use std::mem::size_of;
use store::{Exact, Visited};

/// How many states a component may have for [`caught`] to recognise it.
const LARGEST: u64 = 100_000;

/// The state is in a component that is not complete.
const OPEN: u8 = 1;
/// A step within the component starts here.
const MOVES: u8 = 2;
/// A step that starts here changes something that others can see.
const WRITES: u8 = 4;
/// A step that starts here leaves the component, or nobody knows where it leads.
const LEAVES: u8 = 8;

/// The components of the states met so far.
#[derive(Default)]
pub(crate) struct Components {
    low: Vec<u32>,
    flags: Vec<u8>,
    names: Vec<u64>,
    open: Vec<u32>,
    /// The livelock that was found last: its first state and its name.
    latest: Option<(u32, u64)>,
    /// Whether the store does not number its states, so that nothing can be said.
    pub lost: bool,
}

impl Components {
    /// A new state, with the system's name for it.
    pub fn enter(&mut self, id: u32, name: u64) {
        self.lost |= id as usize != self.low.len();
        if !self.lost {
            self.low.push(id);
            self.flags.push(OPEN);
            self.names.push(name);
            self.open.push(id);
        }
    }

    /// A step to a known state.
    pub fn meet(&mut self, from: u32, to: u32, writes: bool) {
        self.lost |= to as usize >= self.low.len();
        if self.lost {
        } else if self.flags[to as usize] & OPEN != 0 {
            self.join(from, to, writes);
        } else {
            self.flags[from as usize] |= LEAVES;
        }
    }

    /// A step that leads nobody knows where.
    pub fn doubt(&mut self, from: u32) {
        if !self.lost {
            self.flags[from as usize] |= LEAVES;
        }
    }

    fn join(&mut self, from: u32, low: u32, writes: bool) {
        let from = from as usize;
        self.low[from] = self.low[from].min(low);
        self.flags[from] |= if writes { MOVES | WRITES } else { MOVES };
    }

    /// All steps from a state were taken, and the search goes back over the step that led to it. If that completes a
    /// livelock, its name.
    fn leave(&mut self, id: u32, step: Option<(u32, bool)>) -> Option<u64> {
        if self.lost {
            return None;
        }
        let low = self.low[id as usize];
        if low != id {
            if let Some((from, writes)) = step {
                self.join(from, low, writes);
            }
            return None;
        }
        if let Some((from, _)) = step {
            self.flags[from as usize] |= LEAVES;
        }
        let (mut flags, mut name) = (0, u64::MAX);
        while let Some(member) = self.open.pop() {
            self.flags[member as usize] &= !OPEN;
            flags |= self.flags[member as usize];
            name = name.min(self.names[member as usize]);
            if member == id {
                break;
            }
        }
        // SOUNDNESS: a state without steps is a component without `MOVES`: ends and deadlocks are no livelocks.
        let livelock = flags == MOVES;
        self.latest = livelock.then_some((id, name));
        livelock.then_some(name)
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        self.low.capacity() * (size_of::<u32>() + size_of::<u8>() + size_of::<u64>())
            + self.open.capacity() * size_of::<u32>()
    }
}

/// Tells the components, if there are any, that the search leaves a state, and reports the livelock that this completes.
#[inline]
pub(crate) fn leave<S: System, V: Visited + ?Sized>(
    expansion: &mut Expansion<'_, S, V>,
    state: &mut S::State,
    id: u32,
    step: Option<(u32, bool)>,
    actions: impl FnOnce() -> Vec<S::Action>,
) {
    let Some(components) = &mut expansion.components else {
        return;
    };
    let Some(key) = components.leave(id, step) else { return };
    let stem = actions();
    let property = Property::Livelock;
    if let Some(found) = once_around(expansion.system, state, Flaw { property, key }, stem) {
        expansion.add(found);
    }
}

/// The schedule `stem` to a livelock, in a state of which we are, and once around within it. The state stays.
pub(crate) fn once_around<S: System>(
    system: &S,
    state: &mut S::State,
    flaw: Flaw,
    stem: Vec<S::Action>,
) -> Option<Found<S::Action>> {
    let mut found = Found {
        flaw,
        actions: stem,
        loop_start: None,
    };
    let mut menu = Menu::default();
    let mut vector = Vector::default();
    let mut met = HashMap::new();
    let mut undos = Vec::new();
    let mut last = None;
    // Nothing leads out of it and it is finite, so any walk closes a loop.
    loop {
        vector.clear();
        system.encode(state, &mut vector);
        let position = found.actions.len();
        found.loop_start = met.insert(vector.words(), position);
        if found.loop_start.is_some() {
            break;
        }
        menu.clear();
        system.pending(state, &mut menu);
        let mut enabled = menu.entries().iter().filter(|entry| entry.enabled);
        let first = enabled.clone().next();
        let Some(entry) = enabled.find(|entry| Some(entry.thread) == last).or(first) else {
            break;
        };
        last = Some(entry.thread);
        match system.apply(state, entry.action) {
            Ok(undo) => undos.push(undo),
            Err(_) => break,
        }
        found.actions.push(entry.action);
    }
    crate::rewind(system, state, undos);
    found.loop_start.is_some().then_some(found)
}

/// The name of the livelock that this state is in, if it is in one.
pub(crate) fn caught<S: System>(system: &S, state: &mut S::State) -> Option<u64> {
    let options = Options {
        properties: BTreeSet::from([Property::Livelock]),
        all: true,
        states: Some(LARGEST),
        ..Options::default()
    };
    let (mut visited, mut observer) = (Exact::default(), Silent);
    let mut expansion = Expansion::new(system, &mut visited, &options, &mut observer);
    depth::search(&mut expansion, state);
    let latest = expansion.components.as_ref().and_then(|components| components.latest);
    let complete = expansion.finish().ending == Ending::Complete;
    latest
        .filter(|&(first, _)| complete && first == 0)
        .map(|(_, name)| name)
}
