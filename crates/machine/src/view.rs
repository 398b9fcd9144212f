//! What reductions may ask about a state of a program.

use crate::layout::{CLASSES, ESCAPED, HEAP, PROVED, THREAD_WORDS, THREADS, class, class_record, init, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::system::{Action, Java};
use kernel::{Access, Menu, Pending, Place, Protection, ThreadId, View, Whereabouts};
use program::classfile::flags;
use program::world::{ClassId, ClassKind};

impl Machine<'_> {
    /// The object that a place belongs to: a thread's status belongs to its thread object. `None` for what is no object's.
    fn object_at(&self, place: Place) -> Option<Address> {
        match place.object {
            at @ THREADS..CLASSES => {
                let number = (at - THREADS) / THREAD_WORDS;
                Some(self.thread_word(number, thread::OBJECT)).filter(|&object| object != 0)
            }
            at if at >= HEAP => Some(at),
            _ => None,
        }
    }

    /// The object that a place belongs to, if it is one of which it can be asked who reaches it.
    pub fn tracked_at(&self, place: Place) -> Option<Address> {
        self.object_at(place).filter(|&object| self.is_tracked(object))
    }

    /// The class whose static fields a place is one of.
    fn static_owner(&self, place: Place) -> Option<ClassId> {
        match self.program.class(self.class_of(self.object_at(place)?)).kind {
            ClassKind::Statics(owner) => Some(owner),
            _ => None,
        }
    }

    /// Whether a place is a field that the program declares final.
    pub(crate) fn is_final_field(&mut self, place: Place) -> bool {
        let Some(object) = self.object_at(place) else {
            return false;
        };
        let class = self.class_of(object);
        let cell = place.cell as usize;
        if place.cell == Place::MONITOR || place.cell == Place::WHOLE {
            return false;
        }
        if !self.finals.contains_key(&class) {
            let known = self.find_finals(class);
            self.finals.insert(class, known);
        }
        self.finals[&class].get(cell).copied().unwrap_or(false)
    }

    fn find_finals(&self, class: ClassId) -> Vec<bool> {
        let described = self.program.class(class);
        let mut finals = vec![false; described.words as usize];
        let (mut at, is_static) = match described.kind {
            ClassKind::Statics(owner) => (owner, true),
            _ => (class, false),
        };
        while at != 0 {
            let here = self.program.class(at);
            for field in here.fields.iter().filter(|field| field.is_static() == is_static) {
                if field.flags & flags::FINAL != 0
                    && let Some(known) = finals.get_mut(field.offset as usize)
                {
                    *known = true;
                }
            }
            at = if is_static { 0 } else { here.super_class };
        }
        finals
    }
}

impl<'p> View for Java<'p> {
    fn is_local(&self, state: &mut Machine<'p>, thread: ThreadId, place: Place) -> bool {
        state
            .tracked_at(place)
            .is_some_and(|object| state.is_reached_by_one(thread.0, object))
    }

    fn is_dominated(
        &self,
        state: &mut Machine<'p>,
        thread: ThreadId,
        place: Place,
        locks: &dyn Fn(u32) -> bool,
    ) -> bool {
        let Some(object) = state.tracked_at(place) else {
            return false;
        };
        state.is_shielded(thread.0, object, |machine, at| {
            machine.is_locked_by(at, thread.0) && locks(machine.class_of(at))
        })
    }

    fn has_escaped(&self, state: &mut Machine<'p>, place: Place) -> bool {
        if let Some(owner) = state.static_owner(place) {
            // Others wait until the class is initialised.
            return state.memory.load(class_record(owner) + class::STATE) == init::DONE;
        }
        let young = state.tracked_at(place).filter(|&object| object != state.main_object);
        young.is_none_or(|object| state.has_flag(object, ESCAPED))
    }

    fn is_proved_local(&self, state: &mut Machine<'p>, place: Place) -> bool {
        let young = state
            .object_at(place)
            .filter(|&object| object >= state.memory.image_end());
        young.is_some_and(|object| state.has_flag(object, PROVED))
    }

    fn protection(
        &self,
        state: &mut Machine<'p>,
        thread: ThreadId,
        place: Place,
        access: Access,
    ) -> Option<Protection> {
        let object = state.object_at(place)?;
        state.protection_after(thread.0, object, place, !access.is_read())
    }

    fn usurps(&self, state: &mut Machine<'p>, thread: ThreadId, place: Place) -> bool {
        state.usurps(thread.0, place)
    }

    fn owner_of(&self, state: &mut Machine<'p>, place: Place) -> Option<(u32, u32)> {
        match state.static_owner(place) {
            Some(owner) => Some((owner, place.cell)),
            None => Some((state.class_of(state.object_at(place)?), 0)),
        }
    }

    fn is_final(&self, state: &mut Machine<'p>, place: Place) -> bool {
        state.is_final_field(place)
    }

    fn class_of(&self, state: &mut Machine<'p>, place: Place) -> Option<u32> {
        match state.static_owner(place) {
            Some(_) => None,
            None => Some(state.class_of(state.object_at(place)?)),
        }
    }

    fn holds(&self, state: &mut Machine<'p>, thread: ThreadId, place: Place) -> bool {
        state
            .object_at(place)
            .is_some_and(|object| state.is_locked_by(object, thread.0))
    }

    fn stands_for(&self, state: &mut Machine<'p>, thread: ThreadId, place: Place) -> Option<bool> {
        let object = Some(place.object).filter(|&object| object >= HEAP)?;
        let is_thread = state.program.is_subclass(state.class_of(object), state.known.thread);
        is_thread.then(|| state.thread_word(thread.0, thread::OBJECT) == object)
    }

    fn is_wild(&self, state: &mut Machine<'p>, thread: ThreadId) -> bool {
        state.is_wild(thread.0)
    }

    fn commute(
        &self,
        state: &mut Machine<'p>,
        menu: &Menu<Action>,
        one: &Pending<Action>,
        two: &Pending<Action>,
    ) -> bool {
        state.is_exchangeable(menu.footprint(one), menu.footprint(two))
    }

    fn name(&self, _state: &mut Machine<'p>, action: Action) -> Option<u64> {
        Some(action.name())
    }

    fn meddlers(&self, state: &mut Machine<'p>, still: &[ThreadId], out: &mut Vec<ThreadId>) -> bool {
        state.meddlers(still, out)
    }

    fn whereabouts(&self, state: &mut Machine<'p>, thread: ThreadId) -> Whereabouts {
        let (method, pc) = state.user_position(thread.0);
        let name = state.thread_name(thread.0);
        if method == 0 {
            return Whereabouts {
                thread: name,
                ..Whereabouts::default()
            };
        }
        let frame = state.frame(method, state.bci(method, pc));
        Whereabouts {
            thread: name,
            class: frame.class,
            file: frame.file,
            line: frame.line,
        }
    }
}
