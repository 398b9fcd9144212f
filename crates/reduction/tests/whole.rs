//! Accesses to a whole object: each reduction takes one for an access to every cell of it.
//!
//! One thread is about to access a cell in a way that a reduction has no objection to; then another one is about to write all of the
//! object at once, as a copy over several fields does.

use kernel::{
    AccessKind, Assumptions, Immutability, Interference, Location, Locks, Locksets, MemoryAccess, OwnerAccess,
    Ownership, Protection, Reachability, Reduction, StateVector, System, ThreadId, Transactions, Transition,
    Transitions, Unsupported, Variables,
};
use reduction::Combination;

const OBJECT: u32 = 7;
const CLASS: u32 = 3;
const CELLS: std::ops::Range<u32> = 2..5;
/// A field as any other.
const PLAIN: u32 = 2;
/// A final field.
const FINAL: u32 = 3;
/// Who accesses the cell, and who the whole object.
const USER: ThreadId = ThreadId(0);
const OTHER: ThreadId = ThreadId(1);

/// A system with one object, about which it answers as it is told.
#[derive(Clone, Copy, Default)]
struct Toy {
    /// Only `USER` reaches it.
    local: bool,
    /// `USER` has locked it, and what it protects.
    locked: bool,
    /// It stands for `USER`.
    own: bool,
    /// It is a lock that names its owner, who is `USER`.
    named: bool,
    /// It was proved never to be shared.
    proved: bool,
}

impl System for Toy {
    type State = ();
    type Action = u32;
    type Undo = ();

    fn initial(&self) -> Result<(), Unsupported> {
        Ok(())
    }

    fn transitions(&self, (): &mut (), _transitions: &mut Transitions<u32>) {}

    fn apply(&self, (): &mut (), _action: u32) -> Result<(), Unsupported> {
        Ok(())
    }

    fn undo(&self, (): &mut (), (): ()) {}

    fn encode(&self, (): &mut (), _out: &mut StateVector) {}

    fn decode(&self, (): &mut (), _words: &[u32]) -> Result<(), Unsupported> {
        Ok(())
    }

    fn wrote(&self, (): &()) -> bool {
        false
    }

    fn canonical_id(&self, (): &mut (), thread: ThreadId) -> Option<ThreadId> {
        Some(thread)
    }

    fn is_broken(&self) -> bool {
        false
    }

    fn refine(&self, (): &mut ()) -> Result<bool, Unsupported> {
        Ok(false)
    }

    fn stuck(&self, (): &mut ()) -> u64 {
        0
    }

    fn race(&self, (): &mut (), _one: &Transition<u32>, _two: &Transition<u32>) -> Option<u64> {
        Some(0)
    }
}

kernel::knows_nothing_of!(Toy: Symmetry, Discipline, Describe);

impl Reachability for Toy {
    fn is_local(&self, (): &mut (), thread: ThreadId, _location: Location) -> bool {
        self.local && thread == USER
    }

    fn is_soon_known_local(&self, (): &mut (), _thread: ThreadId, _location: Location) -> Option<bool> {
        None
    }

    fn is_dominated(&self, (): &mut (), thread: ThreadId, _location: Location, locks: &dyn Fn(u32) -> bool) -> bool {
        self.locked && thread == USER && locks(CLASS)
    }

    fn has_escaped(&self, (): &mut (), _location: Location) -> bool {
        !self.local
    }

    fn is_proved_local(&self, (): &mut (), _location: Location) -> bool {
        self.proved
    }
}

impl Immutability for Toy {
    fn is_final(&self, (): &mut (), location: Location) -> bool {
        location.cell == FINAL
    }

    fn is_settled(&self, (): &mut (), _location: Location) -> bool {
        false
    }
}

impl Locks for Toy {
    fn holds(&self, (): &mut (), thread: ThreadId, _location: Location) -> bool {
        self.locked && thread == USER
    }

    fn locks_of(&self, (): &mut (), _thread: ThreadId, _out: &mut Vec<Location>) {}

    fn steals_lock(&self, (): &mut (), _thread: ThreadId, _location: Location) -> bool {
        false
    }

    fn distrust(&self, (): &mut ()) {}
}

impl Locksets for Toy {
    fn protection(&self, (): &mut (), thread: ThreadId, location: Location, _access: AccessKind) -> Option<Protection> {
        let protection = match self.locked && thread == USER {
            true => Protection::Locked,
            false => Protection::Open,
        };
        (location.cell == PLAIN).then_some(protection)
    }

    fn may_be_protected(&self, (): &mut (), _location: Location) -> bool {
        true
    }

    fn reconsider(&self, (): &mut (), _variable: (u32, u32), _open: bool) {}
}

impl Ownership for Toy {
    fn stands_for(&self, (): &mut (), thread: ThreadId, _location: Location) -> Option<bool> {
        self.own.then_some(thread == USER)
    }

    fn owner_access(&self, (): &mut (), thread: ThreadId, _touch: MemoryAccess) -> Option<OwnerAccess> {
        let owner_access = if thread == USER {
            OwnerAccess::Own
        } else {
            OwnerAccess::Broken
        };
        self.named.then_some(owner_access)
    }

    fn may_be_held(&self, (): &mut (), _location: Location) -> bool {
        true
    }
}

impl Variables for Toy {
    fn class_of(&self, (): &mut (), _location: Location) -> Option<u32> {
        Some(CLASS)
    }

    fn variable_of(&self, (): &mut (), location: Location) -> (u32, u32) {
        (CLASS, location.cell)
    }

    fn kind_of(&self, (): &mut (), location: Location) -> Option<(u32, u32)> {
        (location.cell < Location::WHOLE).then_some((CLASS, location.cell))
    }

    fn parts(&self, (): &mut (), touch: MemoryAccess, out: &mut Vec<MemoryAccess>) {
        match touch.location.cell {
            Location::WHOLE => out.extend(CELLS.map(|cell| MemoryAccess {
                location: Location { cell, ..touch.location },
                ..touch
            })),
            _ => out.push(touch),
        }
    }
}

impl Interference for Toy {
    fn is_wild(&self, (): &mut (), _thread: ThreadId) -> bool {
        false
    }

    fn commute(
        &self,
        (): &mut (),
        transitions: &Transitions<u32>,
        one: &Transition<u32>,
        two: &Transition<u32>,
    ) -> bool {
        !kernel::conflict(transitions.footprint(one), transitions.footprint(two))
    }

    fn interfering_threads(&self, (): &mut (), _still: &[ThreadId], _out: &mut Vec<ThreadId>) -> bool {
        false
    }
}

impl Transactions for Toy {
    fn begins(&self, (): &mut (), _thread: ThreadId) -> bool {
        false
    }

    fn moves_left(&self, (): &mut (), _thread: ThreadId, _touch: MemoryAccess) -> bool {
        false
    }

    fn is_open(&self, (): &mut (), location: Location) -> bool {
        location.cell != PLAIN
    }
}

/// A state in which `USER` is about to touch a cell, and `OTHER` one, or nothing that anybody knows of.
fn transitions(user: (u32, AccessKind), other: Option<(u32, AccessKind)>) -> Transitions<u32> {
    let mut transitions = Transitions::default();
    let touches = [Some(user), other];
    for (thread, touch) in [USER, OTHER].into_iter().zip(touches) {
        transitions.add(thread, thread.0, true);
        match touch {
            Some((cell, access)) => transitions.touch(Location { object: OBJECT, cell }, access),
            None => transitions.touch(Location::EVERYTHING, AccessKind::AtomicWrite),
        }
    }
    transitions
}

/// Who is enough at a state, and whether something that was relied on turned out to be wrong.
fn looks(names: &str, toy: Toy, states: &[Transitions<u32>]) -> (Vec<ThreadId>, bool) {
    let combination = Combination::named(names.split(',')).expect(names);
    let mut ample = combination.make::<Toy>(Assumptions::default()).expect(names);
    let mut enough = Vec::new();
    for transitions in states {
        enough.clear();
        ample.ample(&toy, &mut (), transitions, None, &mut enough);
    }
    (enough, ample.is_broken())
}

/// What is assumed about a cell is wrong once another thread writes the whole object.
#[test]
fn a_write_to_a_whole_object_is_against_every_guess_about_a_cell() {
    let locked = Toy {
        locked: true,
        ..Toy::default()
    };
    let own = Toy {
        own: true,
        ..Toy::default()
    };
    let named = Toy {
        named: true,
        ..Toy::default()
    };
    let cases = [
        ("final", Toy::default(), FINAL, AccessKind::Read),
        ("auto", Toy::default(), FINAL, AccessKind::Read),
        ("optimistic", Toy::default(), FINAL, AccessKind::Read),
        ("selflock", locked, PLAIN, AccessKind::Write),
        ("selflock,dominated", locked, PLAIN, AccessKind::Write),
        ("lockset", locked, PLAIN, AccessKind::Write),
        ("optimistic", locked, PLAIN, AccessKind::Write),
        ("own", own, PLAIN, AccessKind::Write),
        ("own", named, PLAIN, AccessKind::Write),
    ];
    for (names, toy, cell, access) in cases {
        let alone = transitions((cell, access), None);
        let (enough, broken) = looks(names, toy, &[transitions((cell, access), None)]);
        assert_eq!((enough, broken), (vec![USER], false), "{names} of cell {cell}");
        let met = transitions((cell, access), Some((Location::WHOLE, AccessKind::Write)));
        let (_, broken) = looks(names, toy, &[alone, met]);
        assert!(
            broken,
            "{names} of cell {cell}: a write to the whole object goes unseen"
        );
    }
}

/// A thread that is about to access a whole object is enough by itself only where nobody else can come to the object.
#[test]
fn an_access_to_a_whole_object_commutes_where_the_object_is_out_of_reach() {
    let local = Toy {
        local: true,
        ..Toy::default()
    };
    let proved = Toy {
        proved: true,
        ..Toy::default()
    };
    let locked = Toy {
        locked: true,
        ..Toy::default()
    };
    let own = Toy {
        own: true,
        ..Toy::default()
    };
    let cases = [
        ("escape", local, true),
        ("escape", locked, false),
        ("escape-static", proved, true),
        ("escape-static", local, false),
        ("selflock", locked, true),
        ("selflock", own, false),
        ("selflock,dominated", locked, true),
        ("final", Toy::default(), false),
        ("lockset", locked, false),
        ("own", own, false),
        ("optimistic", locked, false),
        ("persistent", Toy::default(), false),
    ];
    for access in [AccessKind::Read, AccessKind::Write] {
        for (names, toy, expected) in cases {
            let (enough, _) = looks(names, toy, &[transitions((Location::WHOLE, access), None)]);
            assert_eq!(enough == [USER], expected, "{names}, {access:?}");
        }
    }
}

/// For sleep sets, an access to a whole object commutes with none to a cell of it, unless both only read.
#[test]
fn an_access_to_a_whole_object_is_in_the_way_of_those_to_its_cells() {
    let mut sleep = Combination::named(["sleep"])
        .expect("sleep")
        .make::<Toy>(Assumptions::default())
        .expect("sleep");
    let cases = [
        (AccessKind::Read, AccessKind::Read, true),
        (AccessKind::Read, AccessKind::Write, false),
        (AccessKind::Write, AccessKind::Read, false),
        (AccessKind::AtomicWrite, AccessKind::AtomicRead, false),
    ];
    for (one, two, expected) in cases {
        let transitions = transitions((PLAIN, one), Some((Location::WHOLE, two)));
        let [first, second] = transitions.entries() else {
            panic!("two entries")
        };
        let commute = sleep.commute(&Toy::default(), &mut (), &transitions, first, second);
        assert_eq!(commute, expected, "{one:?} {two:?}");
    }
}
