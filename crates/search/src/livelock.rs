//! Executions that never end and get nowhere: a state from which no end can be reached, and from where on no thread changes what
//! another one that still moves looks at.
//!
//! Taking locks and giving them back, waiting and sleeping change nothing in this sense, and neither does what a thread writes that
//! nobody else will ever look at: a loop of `tryLock`, of `poll` with a time limit, or of `sleep` that waits for what nobody does any
//! more. A loop that another thread will end is none: from there an end can be reached, and a fair scheduler reaches it.
//!
//! The search notices components from which it reached no end ([`crate::components`]). Each is looked at once more, in full.
//!
//! SOUNDNESS: what is said rests on this closer look alone. It takes every enabled step of every state that follows, without any
//! reduction, and says that no end is reached only if it saw all of them. So nothing is said that is not so, whatever the
//! search left out.
//!
//! With a reduction, nothing is missed either, as long as nothing is asleep. Let T be the states from which no end is reached; no step
//! leads out of T. If some execution comes to T, then by C1 and C3 a reduced one makes all its steps, in another order and with more in
//! between, so it ends in T as well: the search meets a state of T. Each state of T has a step and none that leads to an end, so some
//! component there has a cycle and no end. Steps that are asleep may hide the cycle. Then nothing is said.

use crate::Found;
use crate::components::{Completed, Components};
use crate::expand::Explorer;
use crate::step::Shape;
use kernel::{AccessKind, End, Flaw, Location, MemoryAccess, Property, StateVector, System, ThreadId, Transitions};
use std::collections::{BTreeSet, HashMap};
use std::mem::size_of;
use store::{Cursor, Exact, Inserter, StateId, StateTable};

/// How many steps [`caught`] takes to recognise a livelock.
const LARGEST: u64 = 300_000;

/// How many steps all closer looks take together where nobody has asked for livelocks, and one more for so many steps of the search.
const STEPS: u64 = 20_000;
const SEARCH_STEPS_FOR_ONE: u64 = 16;

/// What there is to say of all that follows a state.
enum Future<A> {
    /// An end can be reached, or a thread changes what another looks at.
    Open,
    /// Neither. The smallest of the names of all states that follow, the steps to a component that is never left, and whether the state
    /// itself comes back.
    Livelock(u64, Vec<A>, bool),
    /// There are too many states to tell.
    Unknown,
}

/// Who touches some location.
#[derive(Clone, Copy)]
struct Users {
    first: ThreadId,
    several: bool,
    written: bool,
}

impl Users {
    fn join(self, other: Users) -> Users {
        Users {
            first: self.first,
            several: self.several || other.first != self.first,
            written: self.written || other.written,
        }
    }

    /// Whether one of them changes what another one looks at.
    fn meet(self) -> bool {
        self.several && self.written
    }
}

/// What is touched by whom, as far as that matters here.
///
/// A name of a location is good for one state; an object that is made on the way may share it with another one. Then two threads seem to
/// meet that do not, and a livelock is missed.
#[derive(Default)]
struct Traffic {
    threads: BTreeSet<ThreadId>,
    cells: HashMap<Location, Users>,
    /// All cells of an object, and whether some step touches it as a whole.
    objects: HashMap<u32, (Users, bool)>,
    everything: bool,
    /// Threads that stood for another one somewhere.
    doubles: BTreeSet<ThreadId>,
}

impl Traffic {
    fn note(&mut self, thread: ThreadId, touches: &[MemoryAccess]) {
        self.threads.insert(thread);
        for touch in touches {
            // The time limits of others are their own, and a lock that is taken will be given back.
            if touch.location == Location::CLOCK || matches!(touch.access, AccessKind::Acquire | AccessKind::Release) {
                continue;
            }
            self.everything |= touch.location == Location::EVERYTHING;
            let users = Users {
                first: thread,
                several: false,
                written: !touch.access.is_read(),
            };
            let cell = self.cells.entry(touch.location).or_insert(users);
            *cell = cell.join(users);
            let whole = touch.location.cell == Location::WHOLE;
            let object = self.objects.entry(touch.location.object).or_insert((users, whole));
            *object = (object.0.join(users), object.1 || whole);
        }
    }

    /// Whether what was just noted makes threads meet.
    fn has_progress(&self, touches: &[MemoryAccess]) -> bool {
        let meets = |touch: &MemoryAccess| {
            let cell = self.cells.get(&touch.location).is_some_and(|users| users.meet());
            let object = self.objects.get(&touch.location.object);
            cell || object.is_some_and(|(users, whole)| *whole && users.meet())
        };
        self.everything && self.threads.len() > 1 || touches.iter().any(meets)
    }

    /// Whether threads meet somewhere, now that all is known.
    ///
    /// SOUNDNESS: of states that differ in which of two interchangeable threads is which, one was looked at. What a thread touches that
    /// stood for another one is touched by both.
    fn has_progress_at_last(&self) -> bool {
        let meets = |users: &Users| users.written && (users.several || self.doubles.contains(&users.first));
        self.everything && self.threads.len() > 1
            || self.cells.values().any(meets)
            || self.objects.values().any(|(users, whole)| *whole && meets(users))
    }
}

/// Tells the components, if there are any, that the search leaves a state for good, and reports the livelock that this completes.
#[inline]
pub(crate) fn leave<S: System, V: StateTable + ?Sized>(
    explorer: &mut Explorer<'_, S, V>,
    state: &mut S::State,
    id: Option<StateId>,
    actions: impl FnOnce() -> Vec<S::Action>,
    shape: impl FnOnce() -> Shape,
) {
    let Some(components) = &mut explorer.components else {
        return;
    };
    if components.completes(id) == Some(Completed::Cycle) {
        // What leads to it is no livelock of its own.
        components.settle();
        examine(explorer, state, actions, shape());
    }
    if let Some(components) = &mut explorer.components {
        components.leave(id);
    }
}

#[cold]
fn examine<S: System, V: StateTable + ?Sized>(
    explorer: &mut Explorer<'_, S, V>,
    state: &mut S::State,
    actions: impl FnOnce() -> Vec<S::Action>,
    shape: Shape,
) {
    let context = explorer.context;
    let (wanted, system) = (context.reporting.wanted.has(Property::LIVELOCK), context.system);
    let examined = explorer.components.as_ref().map_or(0, |components| components.examined);
    let most = match wanted {
        true => u64::MAX,
        false if context.reporting.has_endless() => return,
        false => {
            let allowed = STEPS + explorer.tally.figures.transitions / SEARCH_STEPS_FOR_ONE;
            allowed.saturating_sub(examined)
        }
    };
    let mut taken = 0;
    let future = look_ahead(system, state, most, |bytes| {
        taken += 1;
        explorer.stopped(|| Shape {
            bytes: shape.bytes + bytes,
            ..shape
        })
    });
    if let Some(components) = &mut explorer.components {
        components.examined += taken;
    }
    let Future::Livelock(key, stem, _) = future else {
        return;
    };
    let property = Property::LIVELOCK;
    let flaw = Flaw { property, key };
    let Ok(undos) = crate::replay(system, state, &stem, |_, _, _| {}) else {
        return;
    };
    let found = once_around(system, state, flaw, [actions(), stem].concat());
    crate::rewind(system, state, undos);
    match found {
        Some(found) if wanted => context.reporting.add(found),
        found => context.reporting.note_endless(found),
    }
}

/// Looks at everything that follows a state, in at most so many steps, and comes back. `stopped` is asked at each step, with the memory
/// that this holds.
fn look_ahead<S: System>(
    system: &S,
    state: &mut S::State,
    most: u64,
    mut stopped: impl FnMut(usize) -> bool,
) -> Future<S::Action> {
    let visited = Exact::new();
    let mut look = Look {
        cursor: visited.cursor(),
        vector: StateVector::default(),
        transitions: Transitions::default(),
        choices: Vec::new(),
        frames: Vec::new(),
        path: Vec::new(),
        components: Components::default(),
        stem: None,
        traffic: Traffic::default(),
        names: Vec::new(),
        name: u64::MAX,
        returns: false,
    };
    let mut undos = Vec::new();
    let mut left = most;
    let mut future = look.arrive(system, state);
    while future.is_none() {
        let Some(&(id, first, next)) = look.frames.last() else {
            break;
        };
        let Some(&action) = look.choices.get(next) else {
            // What is completed first leads nowhere else.
            if look.stem.is_none() && look.components.completes(id).is_some() {
                look.stem = Some(look.path.clone());
            }
            look.components.leave(id);
            look.choices.truncate(first);
            look.frames.pop();
            look.path.pop();
            if let Some(undo) = undos.pop() {
                system.undo(state, undo);
            }
            continue;
        };
        if let Some(frame) = look.frames.last_mut() {
            frame.2 += 1;
        }
        let bytes = || (visited.bytes() + look.cursor.bytes()) as usize + undos.capacity() * size_of::<S::Undo>();
        if left == 0 || stopped(bytes()) {
            future = Some(Future::Unknown);
            break;
        }
        left -= 1;
        // Nobody knows where a step leads that is not supported.
        let Ok(undo) = system.apply(state, action) else {
            future = Some(Future::Open);
            break;
        };
        // A thread that was alone may have changed what another one looks at that it starts later.
        look.traffic.everything |= system.wrote(&undo);
        let depth = look.frames.len();
        future = look.arrive(system, state);
        match look.frames.len() > depth {
            true => {
                undos.push(undo);
                look.path.push(action);
            }
            false => system.undo(state, undo),
        }
    }
    crate::rewind(system, state, undos);
    future.unwrap_or_else(|| match look.traffic.has_progress_at_last() {
        true => Future::Open,
        false => Future::Livelock(look.name, look.stem.unwrap_or_default(), look.returns),
    })
}

/// A closer look, as far as it has come.
struct Look<'t, A> {
    cursor: Cursor<'t>,
    vector: StateVector,
    transitions: Transitions<A>,
    choices: Vec<A>,
    /// The number of each state on the path, where its choices begin, and which is next.
    frames: Vec<(Option<StateId>, usize, usize)>,
    path: Vec<A>,
    components: Components,
    stem: Option<Vec<A>>,
    traffic: Traffic,
    /// By which number each state calls each thread.
    names: Vec<Box<[Name]>>,
    name: u64,
    returns: bool,
}

/// A thread, and what the vector of a state calls it.
type Name = (ThreadId, Option<ThreadId>);

impl<A: Copy> Look<'_, A> {
    /// Comes to a state. If it is new, its steps are next, or all is said.
    fn arrive<S: System<Action = A>>(&mut self, system: &S, state: &mut S::State) -> Option<Future<A>> {
        self.transitions.clear();
        system.transitions(state, &mut self.transitions);
        self.vector.clear();
        system.encode(state, &mut self.vector);
        self.vector.end_chunk();
        let Some(seen) = self.cursor.insert(&self.vector) else {
            return Some(Future::Unknown);
        };
        let entries = self.transitions.entries().iter();
        let names: Box<[Name]> = entries
            .map(|entry| (entry.thread, system.canonical_id(state, entry.thread)))
            .collect();
        if !seen.new {
            let before = seen
                .id
                .and_then(|id| self.names.get(id.index()))
                .map_or(&[][..], |names| names);
            let others = names.iter().filter(|name| !before.contains(name));
            self.traffic.doubles.extend(others.map(|name| name.0));
            self.returns |= seen.id == Some(StateId::FIRST);
            self.components.meet(seen.id);
            return None;
        }
        self.names.push(names);
        if self.transitions.end != End::Open || self.transitions.is_dead() {
            return Some(Future::Open);
        }
        self.name = self.name.min(system.stuck(state));
        let first = self.choices.len();
        for entry in self.transitions.entries().iter().filter(|entry| entry.enabled) {
            let touches = self.transitions.footprint(entry);
            self.traffic.note(entry.thread, touches);
            if self.traffic.has_progress(touches) {
                return Some(Future::Open);
            }
            self.choices.push(entry.action);
        }
        self.components.enter(seen.id, false);
        self.frames.push((seen.id, first, first));
        None
    }
}

/// The schedule `stem` to a livelock, in a state of which we are, and once around within it. The state stays.
pub(crate) fn once_around<S: System>(
    system: &S,
    state: &mut S::State,
    flaw: Flaw,
    stem: Vec<S::Action>,
) -> Option<Found<S::Action>> {
    let first = stem.len();
    let mut found = Found {
        flaw,
        actions: stem,
        loop_start: None,
    };
    let mut undos = Vec::new();
    let names = go_round(system, state, &mut found, &mut undos);
    // Wherever the search came in, the loop begins at its state with the smallest name: it is told alike in every order.
    let way_round = found.loop_start.unwrap_or(found.actions.len())..found.actions.len();
    if let Some(begin) = way_round.min_by_key(|&at| names[at - first])
        && found.loop_start != Some(begin)
    {
        crate::rewind(system, state, undos.split_off(begin - first));
        found.actions.truncate(begin);
        go_round(system, state, &mut found, &mut undos);
    }
    crate::rewind(system, state, undos);
    found.loop_start.is_some().then_some(found)
}

/// Walks on until a state comes back; the names of the states on the way. Nothing leads out of a livelock and it is finite, so any walk
/// closes a loop.
fn go_round<S: System>(
    system: &S,
    state: &mut S::State,
    found: &mut Found<S::Action>,
    undos: &mut Vec<S::Undo>,
) -> Vec<u64> {
    let mut transitions = Transitions::default();
    let mut vector = StateVector::default();
    let (mut met, mut names) = (HashMap::new(), Vec::new());
    let mut last = None;
    loop {
        vector.clear();
        system.encode(state, &mut vector);
        found.loop_start = met.insert(vector.words(), found.actions.len());
        if found.loop_start.is_some() {
            return names;
        }
        names.push(system.stuck(state));
        transitions.clear();
        system.transitions(state, &mut transitions);
        let mut enabled = transitions.entries().iter().filter(|entry| entry.enabled);
        let first = enabled.clone().next();
        let Some(entry) = enabled.find(|entry| Some(entry.thread) == last).or(first) else {
            return names;
        };
        last = Some(entry.thread);
        match system.apply(state, entry.action) {
            Ok(undo) => undos.push(undo),
            Err(_) => return names,
        }
        found.actions.push(entry.action);
    }
}

/// The name of the livelock that this state is in, if it is in one.
pub(crate) fn caught<S: System>(system: &S, state: &mut S::State) -> Option<u64> {
    match look_ahead(system, state, LARGEST, |_| false) {
        Future::Livelock(key, _, true) => Some(key),
        _ => None,
    }
}
