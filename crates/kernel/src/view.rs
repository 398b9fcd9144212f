//! What a reduction may ask about a state, besides its transitions.

use crate::{AccessKind, Location, MemoryAccess, System, ThreadId, Transition, Transitions, conflict};

/// A look at a state of a system whose locations belong to objects, some of which threads share.
///
/// What is answered unless a system says otherwise is always safe, for one whose footprints name all that is touched. A state may keep
/// caches, so it is lent for writing; it does not change.
pub trait View: System {
    /// Whether no other thread than this one can get hold of the object of a location in this state, be it from its live
    /// variables or from what all threads share.
    fn is_local(&self, _state: &mut Self::State, _thread: ThreadId, _location: Location) -> bool {
        false
    }

    /// The same, if it is known or soon found out.
    fn is_soon_known_local(&self, _state: &mut Self::State, _thread: ThreadId, _location: Location) -> Option<bool> {
        None
    }

    /// As [`View::is_local`], where the other threads cannot get past objects that this thread has locked and whose class
    /// `locks` accepts.
    fn is_dominated(
        &self,
        _state: &mut Self::State,
        _thread: ThreadId,
        _location: Location,
        _locks: &dyn Fn(u32) -> bool,
    ) -> bool {
        false
    }

    /// Whether the object of a location was shared in this state or some earlier one of its execution.
    fn has_escaped(&self, _state: &mut Self::State, _location: Location) -> bool {
        true
    }

    /// Whether it was proved beforehand that the object of a location never becomes shared.
    fn is_proved_local(&self, _state: &mut Self::State, _location: Location) -> bool {
        false
    }

    /// Whether a location is never written once it is initialised, if the program keeps to what it declares. A whole object is no such
    /// location, whatever its parts are ([`View::parts`]).
    fn is_final(&self, _state: &mut Self::State, _location: Location) -> bool {
        false
    }

    /// Whether a location was there before the first step, belongs to no thread and is not the program's own, and nothing else is assumed
    /// about it: it may well be that it is never written any more.
    fn is_settled(&self, _state: &mut Self::State, _location: Location) -> bool {
        false
    }

    /// The class of the object of a location, if it is an object that can be locked.
    fn class_of(&self, _state: &mut Self::State, _location: Location) -> Option<u32> {
        None
    }

    /// Whether a thread has the lock of the object of a location.
    fn holds(&self, _state: &mut Self::State, _thread: ThreadId, _location: Location) -> bool {
        false
    }

    /// Whether the object of a location stands for this thread; `None` if it stands for none: one that is yet to be started, or has
    /// ended, is none.
    fn stands_for(&self, _state: &mut Self::State, _thread: ThreadId, _location: Location) -> Option<bool> {
        None
    }

    /// Whether a thread may be met under another number, in a state that has the same vector.
    fn is_renamed(&self, _state: &mut Self::State, _thread: ThreadId) -> bool {
        false
    }

    /// By what a location would be known to be protected once this thread had accessed it now.
    fn protection(
        &self,
        _state: &mut Self::State,
        _thread: ThreadId,
        _location: Location,
        _access: AccessKind,
    ) -> Option<Protection> {
        None
    }

    /// Whether a write to a location by this thread would take a lock from another one: [`View::protection`] rests on that it is not
    /// done.
    fn steals_lock(&self, _state: &mut Self::State, _thread: ThreadId, _location: Location) -> bool {
        false
    }

    /// What an access by this thread, its next step, has to do with who has a lock; `None` if nothing.
    fn owner_access(&self, _state: &mut Self::State, _thread: ThreadId, _touch: MemoryAccess) -> Option<OwnerAccess> {
        None
    }

    /// Whether the next step of a thread may access objects that its footprint does not name. The footprint then has
    /// [`Location::EVERYTHING`].
    fn is_wild(&self, _state: &mut Self::State, _thread: ThreadId) -> bool {
        false
    }

    /// Whether two enabled actions of different threads commute in this state: neither enables or disables the other, and both
    /// orders lead to the same state.
    fn commute(
        &self,
        _state: &mut Self::State,
        transitions: &Transitions<Self::Action>,
        one: &Transition<Self::Action>,
        two: &Transition<Self::Action>,
    ) -> bool {
        !conflict(transitions.footprint(one), transitions.footprint(two))
    }

    /// What an action of this state is called, by a name that means the same in every state with the same vector, and is the same
    /// again when it is one of another state; `None` where threads or objects are renamed.
    fn name(&self, _state: &mut Self::State, _action: Self::Action) -> Option<u64> {
        None
    }

    /// Appends to `out` threads outside `still` that may, as long as none of `still` moves, do something that does not
    /// commute with the next step of one of `still`, or that lets one of them take a step that it cannot take now: some of them at
    /// least, if there are any. Two accesses that would be a race do not commute. `false`: nothing is known, it may be all.
    fn interfering_threads(&self, _state: &mut Self::State, _still: &[ThreadId], _out: &mut Vec<ThreadId>) -> bool {
        false
    }

    /// Whether the next step of a thread must begin a step of its own, for a reduction that takes several as one: it is the thread's
    /// first, may have to wait, begins to wait, or may give another thread exclusive access to something.
    fn begins(&self, _state: &mut Self::State, _thread: ThreadId) -> bool {
        true
    }

    /// Whether a touch by the next step of a thread commutes with whatever others do to that location just before.
    fn moves_left(&self, _state: &mut Self::State, _thread: ThreadId, _touch: MemoryAccess) -> bool {
        false
    }

    /// Whether nothing is assumed about how a location is protected: threads wait for its value, or it is made to be accessed by
    /// several at once.
    fn is_open(&self, _state: &mut Self::State, _location: Location) -> bool {
        true
    }

    /// What a location is one of many of, about all of which one thing is assumed: a field of a class.
    fn variable_of(&self, _state: &mut Self::State, location: Location) -> (u32, u32) {
        (location.object, location.cell)
    }

    /// The kind of a location, if all locations of its kind are alike in [`View::is_final`], [`View::class_of`], [`View::may_be_protected`] and
    /// [`View::may_be_held`], in every state: what is known of one need not be asked of the others.
    fn kind_of(&self, _state: &mut Self::State, _location: Location) -> Option<(u32, u32)> {
        None
    }

    /// Whether [`View::protection`] may have an answer for a location of this kind.
    fn may_be_protected(&self, _state: &mut Self::State, _location: Location) -> bool {
        true
    }

    /// Whether [`View::owner_access`], [`View::steals_lock`] or [`View::stands_for`] may have an answer for a location of this kind.
    fn may_be_held(&self, _state: &mut Self::State, _location: Location) -> bool {
        true
    }

    /// Appends what a touch is about, a variable each: of a plain access to a whole object, each of its cells.
    fn parts(&self, _state: &mut Self::State, touch: MemoryAccess, out: &mut Vec<MemoryAccess>) {
        out.push(touch);
    }

    /// It is not assumed any more that some lock protects a variable; if it is left open, not that it has only one user either. What
    /// a state knows of its accesses is that much more or less. The state is the first one.
    fn reconsider(&self, _state: &mut Self::State, _variable: (u32, u32), _open: bool) {}

    /// Locks of the kind that can be taken from another thread ([`View::steals_lock`]) count no more. The state is the first one.
    fn distrust(&self, _state: &mut Self::State) {}

    /// What a variable or a lock is called in a report.
    fn describe(&self, _state: &mut Self::State, location: Location) -> String {
        format!("{location:?}")
    }

    /// Where a thread stands, as a number that tells places in the code apart.
    fn spot(&self, _state: &mut Self::State, _thread: ThreadId) -> u64 {
        0
    }

    /// Appends the locks that a thread has.
    fn locks_of(&self, _state: &mut Self::State, _thread: ThreadId, _out: &mut Vec<Location>) {}

    /// Whether a thread has exclusive access to a location, by a rule that the user has given; `None` if there is no rule.
    fn has_access(&self, _state: &mut Self::State, _thread: ThreadId, _location: Location) -> Option<bool> {
        None
    }

    /// Appends the locations to which two threads have exclusive access at once, by the user's rules.
    fn disputed(&self, _state: &mut Self::State, _out: &mut Vec<(Location, ThreadId, ThreadId)>) {}

    /// Appends the locations to which another thread loses its exclusive access by this action, by the user's rules. The state is as it
    /// was afterwards.
    fn expels(&self, _state: &mut Self::State, _action: Self::Action, _out: &mut Vec<(Location, ThreadId)>) {}

    /// Who a thread is and where in the code it stands, for reports.
    fn whereabouts(&self, _state: &mut Self::State, thread: ThreadId) -> Whereabouts {
        Whereabouts {
            thread: format!("thread {}", thread.0),
            ..Whereabouts::default()
        }
    }
}

/// A thread by its name, and where in the code it stands; empty and 0 for what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The thread's name.
    pub thread: String,
    /// The class in whose code it is.
    pub class: String,
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// What all accesses to a location since it became shared have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// None of them wrote.
    ReadOnly,
    /// Some lock was held at each.
    Locked,
    /// No lock was; whether it was always the same thread was not noted.
    Unlocked,
    /// Nothing.
    Open,
}

/// What an access has to do with who has a lock that names its owner. All is in order as long as the owner is named and removed by
/// himself only, others look there only to find out whether it is they, and nobody else changes the lock meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerAccess {
    /// It is not in order.
    Broken,
    /// It is.
    Kept,
    /// It is, and comes to the same whatever others do in order before.
    Own,
}
