//! Accesses to a whole object: each reduction takes one for an access to every cell of it.
//!
//! One thread is about to access a cell in a way that a reduction has no objection to; then another one is about to write all of the
//! object at once, as a copy over several fields does.

use kernel::{Access, Menu, Place, Protection, Reduction, System, Tenure, ThreadId, Touch, Unsupported, Vector, View};
use reduction::{Combination, Guesses};

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

    fn pending(&self, (): &mut (), _menu: &mut Menu<u32>) {}

    fn apply(&self, (): &mut (), _action: u32) -> Result<(), Unsupported> {
        Ok(())
    }

    fn undo(&self, (): &mut (), (): ()) {}

    fn encode(&self, (): &mut (), _out: &mut Vector) {}

    fn decode(&self, (): &mut (), _words: &[u32]) -> Result<(), Unsupported> {
        Ok(())
    }
}

impl View for Toy {
    fn is_local(&self, (): &mut (), thread: ThreadId, _place: Place) -> bool {
        self.local && thread == USER
    }

    fn is_dominated(&self, (): &mut (), thread: ThreadId, _place: Place, locks: &dyn Fn(u32) -> bool) -> bool {
        self.locked && thread == USER && locks(CLASS)
    }

    fn has_escaped(&self, (): &mut (), _place: Place) -> bool {
        !self.local
    }

    fn is_proved_local(&self, (): &mut (), _place: Place) -> bool {
        self.proved
    }

    fn is_final(&self, (): &mut (), place: Place) -> bool {
        place.cell == FINAL
    }

    fn class_of(&self, (): &mut (), _place: Place) -> Option<u32> {
        Some(CLASS)
    }

    fn holds(&self, (): &mut (), thread: ThreadId, _place: Place) -> bool {
        self.locked && thread == USER
    }

    fn stands_for(&self, (): &mut (), thread: ThreadId, _place: Place) -> Option<bool> {
        self.own.then_some(thread == USER)
    }

    fn tenure(&self, (): &mut (), thread: ThreadId, _touch: Touch) -> Option<Tenure> {
        let tenure = if thread == USER { Tenure::Own } else { Tenure::Broken };
        self.named.then_some(tenure)
    }

    fn protection(&self, (): &mut (), thread: ThreadId, place: Place, _access: Access) -> Option<Protection> {
        let protection = match self.locked && thread == USER {
            true => Protection::Locked,
            false => Protection::Open,
        };
        (place.cell == PLAIN).then_some(protection)
    }

    fn begins(&self, (): &mut (), _thread: ThreadId) -> bool {
        false
    }

    fn is_open(&self, (): &mut (), place: Place) -> bool {
        place.cell != PLAIN
    }

    fn variable_of(&self, (): &mut (), place: Place) -> (u32, u32) {
        (CLASS, place.cell)
    }

    fn kind_of(&self, (): &mut (), place: Place) -> Option<(u32, u32)> {
        (place.cell < Place::WHOLE).then_some((CLASS, place.cell))
    }

    fn parts(&self, (): &mut (), touch: Touch, out: &mut Vec<Touch>) {
        match touch.place.cell {
            Place::WHOLE => out.extend(CELLS.map(|cell| Touch {
                place: Place { cell, ..touch.place },
                ..touch
            })),
            _ => out.push(touch),
        }
    }
}

/// A state in which `USER` is about to touch a cell, and `OTHER` one, or nothing that anybody knows of.
fn menu(user: (u32, Access), other: Option<(u32, Access)>) -> Menu<u32> {
    let mut menu = Menu::default();
    let touches = [Some(user), other];
    for (thread, touch) in [USER, OTHER].into_iter().zip(touches) {
        menu.add(thread, thread.0, true);
        match touch {
            Some((cell, access)) => menu.touch(Place { object: OBJECT, cell }, access),
            None => menu.touch(Place::EVERYTHING, Access::AtomicWrite),
        }
    }
    menu
}

/// Who is enough at a state, and whether something that was relied on turned out to be wrong.
fn looks(names: &str, toy: Toy, states: &[Menu<u32>]) -> (Vec<ThreadId>, bool) {
    let combination = Combination::named(names.split(',')).expect(names);
    let mut ample = combination.make::<Toy>(Guesses::default()).expect(names);
    let mut enough = Vec::new();
    for menu in states {
        enough.clear();
        ample.ample(&toy, &mut (), menu, None, &mut enough);
    }
    (enough, ample.is_broken())
}

/// What is guessed about a cell is wrong once another thread writes the whole object.
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
        ("final", Toy::default(), FINAL, Access::Read),
        ("auto", Toy::default(), FINAL, Access::Read),
        ("optimistic", Toy::default(), FINAL, Access::Read),
        ("selflock", locked, PLAIN, Access::Write),
        ("selflock,dominated", locked, PLAIN, Access::Write),
        ("lockset", locked, PLAIN, Access::Write),
        ("optimistic", locked, PLAIN, Access::Write),
        ("own", own, PLAIN, Access::Write),
        ("own", named, PLAIN, Access::Write),
    ];
    for (names, toy, cell, access) in cases {
        let alone = menu((cell, access), None);
        let (enough, broken) = looks(names, toy, &[menu((cell, access), None)]);
        assert_eq!((enough, broken), (vec![USER], false), "{names} of cell {cell}");
        let met = menu((cell, access), Some((Place::WHOLE, Access::Write)));
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
    for access in [Access::Read, Access::Write] {
        for (names, toy, expected) in cases {
            let (enough, _) = looks(names, toy, &[menu((Place::WHOLE, access), None)]);
            assert_eq!(enough == [USER], expected, "{names}, {access:?}");
        }
    }
}

/// For sleep sets, an access to a whole object commutes with none to a cell of it, unless both only read.
#[test]
fn an_access_to_a_whole_object_is_in_the_way_of_those_to_its_cells() {
    let mut sleep = Combination::named(["sleep"])
        .expect("sleep")
        .make::<Toy>(Guesses::default())
        .expect("sleep");
    let cases = [
        (Access::Read, Access::Read, true),
        (Access::Read, Access::Write, false),
        (Access::Write, Access::Read, false),
        (Access::AtomicWrite, Access::AtomicRead, false),
    ];
    for (one, two, expected) in cases {
        let menu = menu((PLAIN, one), Some((Place::WHOLE, two)));
        let [first, second] = menu.entries() else {
            panic!("two entries")
        };
        let commute = sleep.commute(&Toy::default(), &mut (), &menu, first, second);
        assert_eq!(commute, expected, "{one:?} {two:?}");
    }
}
