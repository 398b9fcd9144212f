//! The encoding that is kept from one vector to the next, and the way back to those before.
//!
//! The writer has the parts of the last vector. They are brought up to date before a vector is made (`refresh`), and taken back when the
//! steps since the one before are undone, all of them and in order: between two lengths of the trail, which tell whether that is what
//! has happened. Where it is not, there is no way back, and the next vector is made from the parts as they are.

use crate::handle::Handle;
use crate::memory::Memory;
use crate::symmetry::Sorter;
use crate::writer::Writer;
use kernel::StateVector;

/// How to get back what was encoded before the last vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kept {
    /// There is no way.
    #[default]
    Nothing,
    /// The writer takes its last changes back.
    Patched,
    /// It is the latest of the earlier writers.
    Swapped,
}

/// How many earlier writers are kept.
const EARLIER: usize = 16;

/// Two lengths of the trail.
pub(crate) type Between = (usize, usize);

/// What is kept.
pub(crate) struct Encoding {
    /// Away only while a machine works with it.
    writer: Option<Handle<Writer>>,
    /// The writers of earlier states, the latest last, and writers that can be used again.
    earlier: Vec<Handle<Writer>>,
    spare: Vec<Handle<Writer>>,
    /// How to get back what was encoded before, and the lengths of the trail then and at the last vector.
    kept: Kept,
    between: Between,
    /// How long the trail is, if some but not all of the steps between these two were undone, and nothing else has happened.
    unwound: Option<usize>,
    /// Room for comparing threads and for a vector.
    sorter: Option<Box<Sorter>>,
    vector: StateVector,
}

impl Default for Encoding {
    fn default() -> Encoding {
        Encoding {
            writer: Some(Handle::default()),
            earlier: Vec::new(),
            spare: Vec::new(),
            kept: Kept::Nothing,
            between: (0, 0),
            unwound: None,
            sorter: None,
            vector: StateVector::default(),
        }
    }
}

impl Encoding {
    /// What was encoded last.
    #[inline]
    pub(crate) fn writer(&self) -> Option<&Writer> {
        self.writer.as_deref()
    }

    /// Forgets all that was encoded. Earlier and spare writers know words of the image, too.
    pub(crate) fn forget(&mut self) {
        *self = Encoding::default();
    }

    /// The writer, to be brought up to date and then given to [`Encoding::put_patched`] or [`Encoding::put_anew`].
    pub(crate) fn take_writer(&mut self) -> Handle<Writer> {
        self.writer.take().unwrap_or_default()
    }

    /// Another writer, to write everything anew that this one has.
    pub(crate) fn spare_for(&mut self, writer: &mut Writer) -> Handle<Writer> {
        let mut other = self.spare.pop().unwrap_or_default();
        writer.leave_versions_to(&mut other);
        other
    }

    /// Puts a writer back that was patched. It can be taken back, if the trail has only grown since what it had before.
    pub(crate) fn put_patched(&mut self, mut writer: Handle<Writer>, between: Option<Between>) {
        match between {
            Some(between) => writer.end_patch(between),
            None => writer.forget_way_back(),
        }
        self.put(writer);
    }

    /// Puts another writer in the place of one that could not be patched.
    pub(crate) fn put_anew(&mut self, before: Handle<Writer>, mut writer: Handle<Writer>, between: Option<Between>) {
        writer.adopt_versions(&before);
        writer.swapped = between.filter(|_| before.whole);
        self.earlier.push(before);
        if self.earlier.len() > EARLIER {
            self.spare.push(self.earlier.remove(0));
            self.earlier[0].swapped = None;
        }
        self.put(writer);
    }

    fn put(&mut self, mut writer: Handle<Writer>) {
        (self.kept, self.between) = writer.way_back();
        self.unwound = None;
        writer.moved.clear();
        self.writer = Some(writer);
    }

    /// Notes that a thread has moved, forward or back.
    #[inline]
    pub(crate) fn note_moved(&mut self, number: u32) {
        if let Some(writer) = &mut self.writer {
            writer.note_moved(number);
        }
    }

    /// Before a step is taken: what was undone only in part cannot be undone to its end any more.
    #[inline]
    pub(crate) fn go_on(&mut self) {
        if self.unwound.take().is_some() {
            self.lose_way_back();
        }
    }

    fn lose_way_back(&mut self) {
        if let Some(writer) = &mut self.writer {
            writer.forget_way_back();
        }
        self.kept = Kept::Nothing;
    }

    /// After a step was undone: what was encoded before it is good again, if the last vector was the one after it. Where there
    /// were several steps between two vectors, they must all be undone, one after another.
    pub(crate) fn take_back(&mut self, memory: &mut Memory, thread: u32, trail_before: usize) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let (from, to) = self.between;
        let now = memory.trail_len();
        let is_kept = self.kept != Kept::Nothing;
        if is_kept && self.unwound.is_none() && now >= to {
            // All that was encoded is as it was.
            return self.note_moved(thread);
        }
        let is_next = is_kept && trail_before == self.unwound.unwrap_or(to);
        if is_next && now > from {
            self.unwound = Some(now);
            return self.note_moved(thread);
        }
        self.unwound = None;
        let known = is_next && now == from;
        match (self.kept, self.earlier.last_mut()) {
            (Kept::Patched, _) if known => writer.take_back(),
            (Kept::Swapped, Some(before)) if known => {
                writer.leave_versions_to(before);
                std::mem::swap(before, writer);
                self.spare.extend(self.earlier.pop());
            }
            _ => {
                self.lose_way_back();
                return self.note_moved(thread);
            }
        }
        writer.moved.clear();
        (self.kept, self.between) = writer.way_back();
        memory.see();
    }

    /// Room for comparing threads, to be put back.
    pub(crate) fn take_sorter(&mut self) -> Box<Sorter> {
        self.sorter.take().unwrap_or_default()
    }

    /// Puts it back.
    pub(crate) fn put_sorter(&mut self, sorter: Box<Sorter>) {
        self.sorter = Some(sorter);
    }

    /// An empty vector, to be put back.
    pub(crate) fn take_vector(&mut self) -> StateVector {
        let mut vector = std::mem::take(&mut self.vector);
        vector.clear();
        vector
    }

    /// Puts it back.
    pub(crate) fn put_vector(&mut self, vector: StateVector) {
        self.vector = vector;
    }
}
