//! A part of the vector: the words that encoding writes for the shared objects, or for one thread.

use crate::handle::Handle;
use crate::memory::Address;

/// Chunks of the first part that share a section.
pub(crate) const SHARE: usize = 8;

/// How far a part had come after a frame.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub frame: Address,
    pub words: u32,
    pub chunks: u32,
    pub objects: u32,
    pub key: u32,
}

/// What of a thread's last part is still right.
#[derive(Clone, Copy)]
pub(crate) struct Unchanged {
    /// Its position.
    pub part: usize,
    /// Frames below this address are what they were.
    pub below: Address,
    /// So are all objects.
    pub objects: bool,
}

/// A part of the vector.
pub(crate) type Part = Handle<Content>;

/// What a part has.
#[derive(Default)]
pub(crate) struct Content {
    pub words: Vec<u32>,
    pub ends: Vec<u32>,
    /// The objects whose numbers were given out here, in order.
    pub objects: Vec<Address>,
    /// For each of them, how many had numbers before its own references were followed.
    pub known: Vec<u32>,
    /// The highest address among them.
    pub highest: Address,
    /// What the first of them has as its number within the group.
    pub first: usize,
    /// The chunk of the first object.
    pub first_chunk: usize,
    /// Which thread's it is.
    pub thread: u32,
    /// What was written when its record was, and after each of its frames from the bottom up.
    pub marks: Vec<Mark>,
    /// What a thread counts by that is exchanged for others, as far as its frames go; empty for others.
    pub key: Vec<u32>,
    pub version: u64,
    /// The group of its numbers.
    pub group: u32,
}

impl Content {
    pub(crate) fn end_chunk(&mut self) {
        let end = self.words.len() as u32;
        if self.ends.last().copied().unwrap_or(0) < end {
            self.ends.push(end);
        }
    }

    /// The words of a few chunks that share a section, where each ends, counted from the part's beginning, and where the first begins.
    pub(crate) fn share(&self, number: usize) -> (&[u32], &[u32], u32) {
        let (before, rest) = self.ends.split_at(number * SHARE);
        let ends = &rest[..rest.len().min(SHARE)];
        let start = before.last().copied().unwrap_or(0);
        let end = ends.last().copied().unwrap_or(start);
        (&self.words[start as usize..end as usize], ends, start)
    }

    /// Notes how far it has come after a frame; 0 is what comes before all frames.
    #[inline]
    pub(crate) fn mark(&mut self, frame: Address) {
        self.marks.push(Mark {
            frame,
            words: self.words.len() as u32,
            chunks: self.ends.len() as u32,
            objects: self.objects.len() as u32,
            key: self.key.len() as u32,
        });
    }
}

impl Part {
    /// An empty part with the room of an old one.
    pub(crate) fn spare(room: &mut Vec<Part>) -> Part {
        let mut part = room.pop().unwrap_or_default();
        part.words.clear();
        part.ends.clear();
        part.objects.clear();
        part.known.clear();
        part.marks.clear();
        part.key.clear();
        part.first = 0;
        part.highest = 0;
        part.group = 0;
        part
    }

    pub(crate) fn give_back(self, room: &mut Vec<Part>) {
        room.push(self);
    }
}
