//! What reductions may ask about a state of a program.

use crate::layout::{CLASSES, ESCAPED, HEAP, PROVED, THREAD_WORDS, THREADS, class, class_record, init, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::system::{Action, Java, What};
use kernel::{
    AccessKind, Describe, Discipline, Immutability, Instrumentation, Interference, Location, Locks, Locksets,
    MemoryAccess, OwnerAccess, Ownership, Protection, Reachability, Symmetry, ThreadId, Transactions, Transition,
    Transitions, Variables, Whereabouts,
};
use program::classfile::flags;
use program::world::{ClassId, ClassKind, LoaderId, Program};

/// How many objects are followed to find out at once who reaches another.
const SOON: usize = 256;

impl Machine<'_> {
    /// The object that a location belongs to: a thread's status belongs to its thread object. `None` for what is no object's.
    pub(crate) fn object_at(&self, location: Location) -> Option<Address> {
        match location.object {
            at @ THREADS..CLASSES => {
                let number = (at - THREADS) / THREAD_WORDS;
                Some(self.thread_word(number, thread::OBJECT)).filter(|&object| object != 0)
            }
            at if at >= HEAP => Some(at),
            _ => None,
        }
    }

    /// The object that a location belongs to, if it is one of which it can be asked who reaches it.
    pub fn tracked_at(&self, location: Location) -> Option<Address> {
        self.object_at(location).filter(|&object| self.is_tracked(object))
    }

    /// The class whose static fields a location is one of.
    fn static_owner(&self, location: Location) -> Option<ClassId> {
        match self.program.class(self.class_of(self.object_at(location)?)).kind {
            ClassKind::Statics(owner) => Some(owner),
            _ => None,
        }
    }

    /// How the program declares the field at a location.
    pub(crate) fn declared_at(&mut self, location: Location) -> Declared {
        match self.variable_at(location) {
            Some((class, cell)) if location.cell != Location::MONITOR => {
                let cells = self.declared(class);
                cells.get(cell as usize).copied().unwrap_or(Declared::Nothing)
            }
            _ => Declared::Nothing,
        }
    }

    /// Whether a location is in an object of the library's that was there before the search began, and nothing else is assumed about
    /// it. Threads have [`Ownership::stands_for`], and what locks and counters are made of is there to be written.
    fn is_settled(&mut self, location: Location) -> bool {
        let object = location.object;
        if !(HEAP..self.memory.image_end()).contains(&object) {
            return false;
        }
        if location.cell != Location::WHOLE && self.declared_at(location) != Declared::Open {
            return false;
        }
        let class = self.class_of(object);
        let described = match self.program.class(class).kind {
            ClassKind::Statics(owner) => self.program.class(owner),
            _ => self.program.class(class),
        };
        let written = ["java/util/concurrent/locks/", "java/util/concurrent/atomic/"];
        described.loader < LoaderId::APP
            && Some(class) != self.known.holder
            && !self.program.is_subclass(class, self.known.thread)
            && !written.iter().any(|package| described.name.starts_with(package))
    }

    /// How a class declares its fields, by their cells.
    pub(crate) fn declared(&mut self, class: ClassId) -> &mut [Declared] {
        let finals_apart = self.semantics.has(Instrumentation::FINALS_APART);
        self.facts.declared(self.program, class, finals_apart)
    }
}

/// How a class declares its fields, by their cells; `finals_apart` tells whether final ones are distinguished.
pub(crate) fn find_declared(program: &Program, class: ClassId, finals_apart: bool) -> Box<[Declared]> {
    let described = program.class(class);
    if described.is_array() {
        return [Declared::Plain].into();
    }
    let mut cells = vec![Declared::Nothing; described.words as usize];
    for (here, field) in program.fields_of(class) {
        // What locks are made of is in the hands of those who do not have them.
        let is_lock = here.loader == LoaderId::BOOT && here.name.starts_with("java/util/concurrent/locks/");
        let is_final = field.flags & flags::FINAL != 0;
        if let Some(cell) = cells.get_mut(field.offset as usize) {
            *cell = if is_final && finals_apart {
                Declared::Final
            } else if field.is_volatile() || is_lock {
                Declared::Open
            } else {
                Declared::Plain
            };
        }
    }
    cells.into()
}

/// How a program declares a field, and what has become known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// There is no field in this cell.
    Nothing,
    /// As one that is neither final nor volatile. So are elements of arrays.
    Plain,
    /// The same, and it matters which thread accesses it.
    Confined,
    /// As final.
    Final,
    /// As volatile; or nothing is assumed about it any more.
    Open,
}

impl Declared {
    /// Whether something is assumed about who accesses it.
    pub fn is_variable(self) -> bool {
        matches!(self, Declared::Plain | Declared::Confined)
    }
}

impl<'p> Reachability for Java<'p> {
    fn is_local(&self, state: &mut Machine<'p>, thread: ThreadId, location: Location) -> bool {
        state
            .tracked_at(location)
            .is_some_and(|object| state.is_reached_by_one(thread.0, object))
    }

    fn is_soon_known_local(&self, state: &mut Machine<'p>, thread: ThreadId, location: Location) -> Option<bool> {
        match state.tracked_at(location) {
            Some(object) => state.find_reached_by_one(thread.0, object, SOON),
            None => Some(false),
        }
    }

    fn is_dominated(
        &self,
        state: &mut Machine<'p>,
        thread: ThreadId,
        location: Location,
        locks: &dyn Fn(u32) -> bool,
    ) -> bool {
        let Some(object) = state.tracked_at(location) else {
            return false;
        };
        state.is_shielded(thread.0, object, |machine, at| {
            machine.is_locked_by(at, thread.0) && locks(machine.class_of(at).0)
        })
    }

    fn has_escaped(&self, state: &mut Machine<'p>, location: Location) -> bool {
        if let Some(owner) = state.static_owner(location) {
            // Others wait until the class is initialised.
            return state.memory.load(class_record(owner) + class::STATE) == init::DONE;
        }
        let young = state
            .tracked_at(location)
            .filter(|object| !state.reachability.is_main(*object));
        young.is_none_or(|object| state.has_flag(object, ESCAPED))
    }

    fn is_proved_local(&self, state: &mut Machine<'p>, location: Location) -> bool {
        let young = state
            .object_at(location)
            .filter(|&object| object >= state.memory.image_end());
        young.is_some_and(|object| state.has_flag(object, PROVED))
    }
}

impl<'p> Immutability for Java<'p> {
    fn is_final(&self, state: &mut Machine<'p>, location: Location) -> bool {
        state.declared_at(location) == Declared::Final
    }

    fn is_settled(&self, state: &mut Machine<'p>, location: Location) -> bool {
        state.is_settled(location)
    }
}

impl<'p> Locks for Java<'p> {
    fn holds(&self, state: &mut Machine<'p>, thread: ThreadId, location: Location) -> bool {
        state
            .object_at(location)
            .is_some_and(|object| state.is_locked_by(object, thread.0))
    }

    fn locks_of(&self, state: &mut Machine<'p>, thread: ThreadId, out: &mut Vec<Location>) {
        out.extend(state.locked_objects(thread.0).into_iter().map(|object| Location {
            object,
            cell: Location::MONITOR,
        }));
    }

    fn steals_lock(&self, state: &mut Machine<'p>, thread: ThreadId, location: Location) -> bool {
        state.steals_lock(thread.0, location)
    }

    fn distrust(&self, state: &mut Machine<'p>) {
        state.facts.distrust_synchronizers();
    }
}

impl<'p> Locksets for Java<'p> {
    fn protection(
        &self,
        state: &mut Machine<'p>,
        thread: ThreadId,
        location: Location,
        access: AccessKind,
    ) -> Option<Protection> {
        let object = state.object_at(location)?;
        state.protection_after(thread.0, object, location, access)
    }

    fn may_be_protected(&self, state: &mut Machine<'p>, location: Location) -> bool {
        state.declared_at(location).is_variable()
    }

    fn reconsider(&self, state: &mut Machine<'p>, (class, cell): (u32, u32), open: bool) {
        if let Some(declared) = state.declared(ClassId(class)).get_mut(cell as usize)
            && declared.is_variable()
        {
            *declared = if open { Declared::Open } else { Declared::Confined };
        }
    }
}

impl<'p> Ownership for Java<'p> {
    fn stands_for(&self, state: &mut Machine<'p>, thread: ThreadId, location: Location) -> Option<bool> {
        let object = Some(location.object).filter(|&object| object >= HEAP)?;
        let class = state.class_of(object);
        let is_holder = Some(class) == state.known.holder;
        if !is_holder && !state.program.is_subclass(class, state.known.thread) {
            return None;
        }
        let lives = |&number: &u32| {
            let is_free = state.thread_word(number, thread::STATUS) == status::FREE;
            let own = state.thread_word(number, thread::OBJECT);
            !is_free && (own == object || is_holder && state.holder(own) == Some(object))
        };
        let found = (0..=state.highest_thread()).find(lives);
        found.map(|number| number == thread.0)
    }

    fn owner_access(&self, state: &mut Machine<'p>, thread: ThreadId, touch: MemoryAccess) -> Option<OwnerAccess> {
        state.owner_access_within(thread.0, touch)
    }

    fn may_be_held(&self, state: &mut Machine<'p>, location: Location) -> bool {
        let known = &state.known;
        let class = state.object_at(location).map(|object| state.class_of(object));
        let is_any = |of: ClassId| class.is_some_and(|class| state.program.is_subclass(class, of));
        let [ints, longs] = known.queued.each_ref().map(|of| of.condition);
        [known.synchronizer, ints, longs, known.thread].into_iter().any(is_any)
            || class.is_some() && class == known.holder
    }
}

impl<'p> Variables for Java<'p> {
    fn class_of(&self, state: &mut Machine<'p>, location: Location) -> Option<u32> {
        match state.static_owner(location) {
            Some(_) => None,
            None => Some(state.class_of(state.object_at(location)?).0),
        }
    }

    fn variable_of(&self, state: &mut Machine<'p>, location: Location) -> (u32, u32) {
        let variable = state.variable_at(location);
        variable.map_or((0, location.cell), |(class, cell)| (class.0, cell))
    }

    fn kind_of(&self, state: &mut Machine<'p>, location: Location) -> Option<(u32, u32)> {
        let variable = state.variable_at(location).filter(|_| location.cell < Location::WHOLE);
        variable.map(|(class, cell)| (class.0, cell))
    }

    fn parts(&self, state: &mut Machine<'p>, touch: MemoryAccess, out: &mut Vec<MemoryAccess>) {
        state.add_parts(touch, out);
    }
}

impl<'p> Interference for Java<'p> {
    fn is_wild(&self, state: &mut Machine<'p>, thread: ThreadId) -> bool {
        state.is_step_wild(thread.0)
    }

    fn commute(
        &self,
        state: &mut Machine<'p>,
        transitions: &Transitions<Action>,
        one: &Transition<Action>,
        two: &Transition<Action>,
    ) -> bool {
        state.is_exchangeable(transitions.footprint(one), transitions.footprint(two))
    }

    fn interfering_threads(&self, state: &mut Machine<'p>, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool {
        state.interfering_threads(still, out)
    }
}

impl<'p> Symmetry for Java<'p> {
    fn is_renamed(&self, state: &mut Machine<'p>, thread: ThreadId) -> bool {
        state.is_renamed(thread.0)
    }

    fn name(&self, state: &mut Machine<'p>, action: Action) -> Option<u64> {
        let what = match action.what {
            What::Wake(thread) => What::Wake(state.canonical_id(thread)?),
            what => what,
        };
        let thread = state.canonical_id(action.thread)?;
        Some(Action { thread, what }.name())
    }
}

impl<'p> Transactions for Java<'p> {
    fn begins(&self, state: &mut Machine<'p>, thread: ThreadId) -> bool {
        state.begins_step(thread.0)
    }

    fn moves_left(&self, _state: &mut Machine<'p>, _thread: ThreadId, _touch: MemoryAccess) -> bool {
        false
    }

    fn is_open(&self, state: &mut Machine<'p>, location: Location) -> bool {
        !state.is_variable(location)
    }
}

impl<'p> Discipline for Java<'p> {
    fn has_access(&self, state: &mut Machine<'p>, thread: ThreadId, location: Location) -> Option<bool> {
        state.access(thread.0, location)
    }

    fn disputed(&self, state: &mut Machine<'p>, out: &mut Vec<(Location, ThreadId, ThreadId)>) {
        state.add_disputed(out);
    }

    fn expels(&self, state: &mut Machine<'p>, action: Action, out: &mut Vec<(Location, ThreadId)>) {
        state.add_expelled(action, out);
    }
}

impl<'p> Describe for Java<'p> {
    fn describe(&self, state: &mut Machine<'p>, location: Location) -> String {
        state.describe_location(location)
    }

    fn spot(&self, state: &mut Machine<'p>, thread: ThreadId) -> u64 {
        state.spot(thread.0)
    }

    fn whereabouts(&self, state: &mut Machine<'p>, thread: ThreadId) -> Whereabouts {
        state.whereabouts(thread.0)
    }
}
