//! Data races: which pairs of accesses that are about to happen are one, and which of them are excused.

use crate::caveat::Caveat;
use crate::extent::Extent;
use crate::inspect::{CellName, Doing};
use crate::layout::thread;
use crate::machine::Machine;
use crate::memory::Address;
use crate::native::Touches;
use crate::special;
use crate::transitions::Next;
use crate::trust::Repute;
use crate::violations::mix;
use kernel::Location;
use program::ir::Instr;
use program::world::{ARRAY_HEADER_WORDS, ClassId, ClassKind};

/// Elements of an array that are accessed at once.
struct Span {
    array: Address,
    first: u32,
    end: u32,
    writes: bool,
}

impl Span {
    fn races(&self, other: &Span) -> bool {
        self.array == other.array && (self.writes || other.writes) && self.first < other.end && other.first < self.end
    }
}

/// What a thread is about to access.
enum Subject {
    /// A field that this class declares, or an object of it; and whether it is the JDK's own for sure: static, or older than the program.
    Of(ClassId, bool),
    /// An array.
    Array,
    /// It cannot be told.
    Unknown,
}

impl Machine<'_> {
    /// Names the race between the next actions of two threads, unless it is none, allowed, or one that is meant to be. Notes what
    /// was passed over.
    pub fn race_key(&mut self, one: u32, two: u32) -> Option<u64> {
        if self.draws_hash(one) || self.draws_hash(two) {
            return None;
        }
        if let (Some(first), Some(second)) = (self.spans(one), self.spans(two))
            && !first.iter().any(|span| second.iter().any(|other| span.races(other)))
        {
            return None;
        }
        if let Some(class) = self.excuse(one, two) {
            self.note(Caveat::Trusted(class));
            return None;
        }
        if self.is_allowed(one) || self.is_allowed(two) {
            self.note(Caveat::Allowed);
            return None;
        }
        let mut places = [self.accessor(one), self.accessor(two)];
        places.sort_unstable();
        Some(mix(places.into_iter().flat_map(|(method, pc)| [method.0, pc])))
    }

    /// The class of the JDK that is trusted with a race between two threads, if there is one: it declares the field, or keeps the array to
    /// itself. Nothing that the program's own code accesses is excused, but for the caches of what carries out its accesses.
    fn excuse(&mut self, one: u32, two: u32) -> Option<ClassId> {
        let subject = match self.subject(one) {
            Subject::Unknown => self.subject(two),
            known => known,
        };
        if let Subject::Of(class, _) = subject
            && self.is_plumbing(class)
        {
            return Some(class);
        }
        let is_users = [one, two].into_iter().any(|number| {
            let (method, _) = self.accessor(number);
            self.is_users(self.program.method(method))
        });
        match subject {
            _ if is_users => None,
            Subject::Of(class, is_jdks) => self.is_trusted_with(class, is_jdks, one, two).then_some(class),
            Subject::Array => self.keeper(one).filter(|_| self.keeper(two).is_some()),
            Subject::Unknown => None,
        }
    }

    /// Whether what a thread is about to access inside the JDK is nobody's but its authors' own.
    pub(crate) fn is_librarys_own(&mut self, number: u32) -> bool {
        let (method, _) = self.accessor(number);
        if self.is_users(self.program.method(method)) {
            return false;
        }
        match self.subject(number) {
            Subject::Of(class, _) => matches!(self.repute(class), Repute::Trusted | Repute::Errand | Repute::Internal),
            Subject::Array => self.keeper(number).is_some(),
            Subject::Unknown => false,
        }
    }

    /// What a thread is about to access.
    fn subject(&mut self, number: u32) -> Subject {
        let is_ready = self.thread_word(number, thread::READY) != 0;
        let next = self.next_instruction(number).filter(|_| is_ready);
        if let Some((object, byte, _)) = next.and_then(|next| self.bytes_accessed(next))
            && object != 0
        {
            let class = self.class_of(object);
            let described = self.program.class(class);
            if described.is_array() {
                return Subject::Array;
            }
            let is_static = matches!(described.kind, ClassKind::Statics(_));
            if let Some((of, _)) = self.field_at(class, byte / 4) {
                return Subject::Of(of, is_static || object < self.memory.image_end());
            }
        }
        match self.doing(number) {
            Doing::Native(method, words) => {
                let cell = match self.native_touches(number) {
                    Some(Touches::Cell { object, .. }) => words.get(object as usize).copied(),
                    _ => None,
                };
                let first = |machine: &mut Self| machine.next_extents(number)?.first().map(|extent| extent.object);
                let object = cell.or_else(|| first(self)).unwrap_or_default();
                if object == 0 {
                    return Subject::Unknown;
                }
                let (class, native) = (self.class_of(object), self.program.method(method).class);
                match () {
                    () if self.program.class(class).is_array() => Subject::Array,
                    // A method of the object's own accesses fields of its class, but for `clone`.
                    () if native != self.known.object && self.program.is_subclass(class, native) => {
                        Subject::Of(native, false)
                    }
                    () => Subject::Of(class, false),
                }
            }
            _ => Subject::Unknown,
        }
    }

    /// What the native method touches that a thread is about to call, if it is about to call one.
    fn native_touches(&mut self, number: u32) -> Option<Touches> {
        let Next { instr, method, .. } = self.next_instruction(number)?;
        match instr {
            Instr::Special {
                op: special::NATIVE, ..
            } => self.bind(method).ok().map(|bound| bound.touches),
            _ => None,
        }
    }

    /// Whether a thread is about to draw the hash code of an object, which is no part of what the object holds.
    fn draws_hash(&mut self, number: u32) -> bool {
        matches!(self.native_touches(number), Some(Touches::Hash { .. }))
    }

    /// The elements that a thread is about to access, where that can be told apart from the whole array.
    fn spans(&mut self, number: u32) -> Option<Vec<Span>> {
        match self.doing(number) {
            Doing::Access { cell, writes } => match cell.name {
                CellName::Element(index) => Some(vec![Span {
                    array: cell.object,
                    first: index,
                    end: index.saturating_add(self.elements_accessed(number, cell.object)),
                    writes,
                }]),
                _ => None,
            },
            Doing::Native(..) => {
                let extents = self.next_extents(number)?;
                let is_array = |object| self.program.class(self.class_of(object)).is_array();
                if !extents.iter().all(|extent| is_array(extent.object)) {
                    return None;
                }
                let span = |extent: Extent| Span {
                    array: extent.object,
                    first: match extent.cells.start {
                        Location::WHOLE => 0,
                        cell => cell - ARRAY_HEADER_WORDS,
                    },
                    end: extent.cells.end - ARRAY_HEADER_WORDS,
                    writes: !extent.access.is_read(),
                };
                Some(extents.into_iter().map(span).collect())
            }
            _ => None,
        }
    }

    /// How many elements of an array a thread is about to access at once: several, if it does so by their bytes.
    fn elements_accessed(&mut self, number: u32, array: Address) -> u32 {
        let shift = self.program.class(self.class_of(array)).element_shift;
        match self.native_touches(number) {
            Some(Touches::Cell { bytes, .. } | Touches::Swap { bytes, .. }) => (bytes >> shift).max(1),
            _ => 1,
        }
    }

    /// Whether the user has said that races on what the thread is about to access are fine.
    fn is_allowed(&mut self, number: u32) -> bool {
        if self.allowed.is_empty() {
            return false;
        }
        let Some((class, field)) = self.field_wanted(number) else {
            return false;
        };
        let simple = class.rsplit(['.', '$']).next().unwrap_or(&class).to_owned();
        self.allowed.iter().any(|allowed| {
            *allowed == format!("{class}.{field}") || *allowed == format!("{simple}.{field}") || *allowed == field
        })
    }
}
