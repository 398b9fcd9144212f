//! A system that knows nothing of objects, and one that stands for another.

use kernel::{
    AccessKind, Interference, Location, Locks, Reachability, StateVector, System, ThreadId, Transition, Transitions,
    Unsupported, View, Wrapper,
};

const ONE: ThreadId = ThreadId(1);
const SOMEWHERE: Location = Location { object: 1, cell: 2 };

/// A counter, of which each step says what it touches and nothing else is known.
struct Counter;

impl System for Counter {
    type State = u32;
    type Action = u32;
    type Undo = u32;

    fn initial(&self) -> Result<u32, Unsupported> {
        Ok(3)
    }

    fn transitions(&self, state: &mut u32, transitions: &mut Transitions<u32>) {
        transitions.add(ThreadId(0), *state, true);
        transitions.touch(SOMEWHERE, AccessKind::AtomicRead);
        transitions.add(ONE, *state, true);
        transitions.touch(SOMEWHERE, AccessKind::AtomicWrite);
    }

    fn apply(&self, state: &mut u32, action: u32) -> Result<u32, Unsupported> {
        let before = *state;
        *state += action;
        Ok(before)
    }

    fn undo(&self, state: &mut u32, undo: u32) {
        *state = undo;
    }

    fn wrote(&self, undo: &u32) -> bool {
        *undo == 3
    }

    fn encode(&self, state: &mut u32, out: &mut StateVector) {
        out.extend(&[*state]);
    }

    fn decode(&self, state: &mut u32, words: &[u32]) -> Result<(), Unsupported> {
        *state = words[0];
        Ok(())
    }

    fn canonical_id(&self, _state: &mut u32, thread: ThreadId) -> Option<ThreadId> {
        Some(ThreadId(thread.0 + 1))
    }

    fn is_broken(&self) -> bool {
        false
    }

    fn refine(&self, _state: &mut u32) -> Result<bool, Unsupported> {
        Ok(false)
    }

    fn stuck(&self, state: &mut u32) -> u64 {
        (*state).into()
    }

    fn race(&self, state: &mut u32, _one: &Transition<u32>, _two: &Transition<u32>) -> Option<u64> {
        Some((*state).into())
    }
}

kernel::knows_nothing_of!(Counter);

/// All that the counter says, but for one thing.
struct Local;

impl Wrapper for Local {
    type Inner = Counter;

    fn inner(&self) -> &Counter {
        &Counter
    }

    fn is_local(&self, _state: &mut u32, thread: ThreadId, _location: Location) -> bool {
        thread == ONE
    }
}

/// What a system says about its first state and a step from there, and whether an object is local in it.
fn said<S: View<State = u32, Action = u32, Undo = u32>>(system: &S) -> (String, bool) {
    let (mut state, mut transitions) = (system.initial().expect("a state"), Transitions::default());
    let state = &mut state;
    system.transitions(state, &mut transitions);
    let [one, two] = transitions.entries() else {
        panic!("two entries")
    };
    let answers = (
        system.commute(state, &transitions, one, two),
        system.race(state, one, two),
        system.stuck(state),
        system.canonical_id(state, ONE),
        system.has_escaped(state, SOMEWHERE),
        system.steals_lock(state, ONE, SOMEWHERE),
        system.is_wild(state, ONE),
        system.is_renamed(state, ONE),
        system.begins(state, ONE),
        system.is_open(state, SOMEWHERE),
        system.whereabouts(state, ONE),
    );
    let undo = system.apply(state, 5).expect("a step");
    let (after, wrote) = (*state, system.wrote(&undo));
    system.undo(state, undo);
    let mut vector = StateVector::default();
    system.encode(state, &mut vector);
    system.decode(state, &[9]).expect("a state");
    let states = (after, wrote, vector.words(), *state);
    (
        format!("{answers:?} {states:?}"),
        system.is_local(state, ONE, SOMEWHERE),
    )
}

#[test]
fn a_wrapper_differs_in_what_it_says_itself_only() {
    let ((counter, shared), (wrapped, local)) = (said(&Counter), said(&Local));
    assert_eq!(counter, wrapped);
    assert_eq!((shared, local), (false, true));
}

#[test]
fn who_knows_nothing_lets_nothing_be_left_out() {
    let (mut state, mut transitions) = (3, Transitions::default());
    Counter.transitions(&mut state, &mut transitions);
    let [one, two] = transitions.entries() else {
        panic!("two entries")
    };
    assert!(!Counter.commute(&mut state, &transitions, one, two));
    assert!(Counter.commute(&mut state, &transitions, one, one));
    assert!(!Counter.interfering_threads(&mut state, &[ONE], &mut Vec::new()));
    assert!(Counter.has_escaped(&mut state, SOMEWHERE) && !Counter.is_proved_local(&mut state, SOMEWHERE));
    assert!(Counter.steals_lock(&mut state, ONE, SOMEWHERE) && !Counter.holds(&mut state, ONE, SOMEWHERE));
}
