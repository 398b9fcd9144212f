//! What encoding keeps from one call to the next: the numbers of objects, and the parts of the vector.

use crate::encode::{GROUP_SHIFT, YOUNG};
use crate::memory::Address;
use crate::refresh::Kept;
use kernel::Vector;
use std::ops::{Deref, DerefMut};

/// Chunks of the first part that share a section.
const SHARE: usize = 8;

/// How far a part had come after a frame.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    frame: Address,
    words: u32,
    chunks: u32,
    objects: u32,
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

/// Something that comes and goes: it moves faster than what is in it.
#[derive(Default)]
pub(crate) struct Handle<T>(Box<T>);

impl<T> Deref for Handle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Handle<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
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
    pub version: u64,
    group: u32,
}

impl Content {
    pub(crate) fn end_chunk(&mut self) {
        let end = self.words.len() as u32;
        if self.ends.last().copied().unwrap_or(0) < end {
            self.ends.push(end);
        }
    }

    /// Notes how far it has come after a frame; 0 is what comes before all frames.
    #[inline]
    pub(crate) fn mark(&mut self, frame: Address) {
        self.marks.push(Mark {
            frame,
            words: self.words.len() as u32,
            chunks: self.ends.len() as u32,
            objects: self.objects.len() as u32,
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
        part.marks.clear();
        part.first = 0;
        part.highest = 0;
        part.group = 0;
        part
    }

    pub(crate) fn give_back(self, room: &mut Vec<Part>) {
        room.push(self);
    }
}

/// How many steps the encoding can be taken back: a power of two.
const PATCHES: usize = 256;

/// What was there before a vector was made from the one before it: parts, words of the first part, its versions.
#[derive(Default)]
struct Patch {
    /// How long the trail was then, and afterwards.
    between: (usize, usize),
    parts: Vec<(usize, Part)>,
    words: Vec<u32>,
    ranges: Vec<(usize, usize)>,
    shares: Vec<(usize, u64)>,
}

impl Patch {
    /// Forgets everything and keeps the room for it.
    fn clear(&mut self, spare: &mut Vec<Part>) {
        spare.extend(self.parts.drain(..).map(|(_, part)| part));
        self.words.clear();
        self.ranges.clear();
        self.shares.clear();
    }
}

/// An entry of the table of numbers; it is good as long as its group has the same stamp.
#[derive(Clone, Copy, Default)]
struct Slot {
    address: Address,
    number: u32,
    stamp: u64,
}

/// Kept by its owner, so that encoding does not allocate and need not do everything anew.
#[derive(Default)]
pub(crate) struct Writer {
    slots: Vec<Slot>,
    used: usize,
    /// For each group, the stamp of its good entries.
    stamps: Vec<u64>,
    stamp: u64,
    parts: Vec<Part>,
    count: usize,
    versions: u64,
    /// Whether the parts are those of the last vector.
    pub whole: bool,
    /// Threads that have moved since.
    pub moved: Vec<u32>,
    /// The threads in the order of their parts.
    pub threads: Vec<u32>,
    /// The versions of the first part, for each few chunks of it.
    shares: Vec<u64>,
    pub image_start: usize,
    pub image_end: usize,
    /// The shared objects by address: start, end, position.
    sorted: Vec<(Address, Address, usize)>,
    /// Monitors behind the locks of objects, and class objects: start and end.
    hidden: Vec<(Address, Address)>,
    /// Words of the image that were written and that a program can see, ascending; and how many were written in all.
    pub touched: Vec<Address>,
    pub seen: usize,
    pub changes: Vec<Address>,
    /// A bit for each part: those that must be written anew, and among them those whose objects must be. All have one as long as
    /// the writer is `whole`.
    pub stale: u64,
    pub changed: u64,
    pub frames: Vec<Address>,
    pub spare: Vec<Part>,
    /// How many objects the group at hand had before, where a part of it is written anew.
    resumed: usize,
    /// The last changes, each made to what the one before it had led to: a ring, of which `patched` are good, up to the one
    /// before `next_patch`.
    patches: Vec<Patch>,
    patched: usize,
    next_patch: usize,
    /// If everything was made anew, and the latest of the earlier writers has what was there before: how long the trail was then,
    /// and afterwards.
    pub swapped: Option<(usize, usize)>,
}

impl Writer {
    /// Notes that a thread has moved, forward or back.
    #[inline]
    pub(crate) fn note_moved(&mut self, number: u32) {
        if !self.moved.contains(&number) {
            self.moved.push(number);
        }
    }

    /// Takes over the count of versions of another writer, so that no two contents have one version.
    pub(crate) fn follow(&mut self, other: &Writer) {
        self.versions = self.versions.max(other.versions);
    }

    /// From here on, what changes can be taken back.
    pub(crate) fn begin_patch(&mut self) {
        let at = self.next_patch;
        if at == self.patches.len() {
            self.patches.push(Patch::default());
        }
        let patch = &mut self.patches[at];
        if self.patched == PATCHES {
            patch.clear(&mut self.spare);
        } else {
            self.patched += 1;
        }
        self.next_patch = (at + 1) % PATCHES;
    }

    /// The place of the latest patch, if there is one.
    #[inline]
    fn last_patch(&self) -> Option<usize> {
        (self.patched > 0).then_some(self.next_patch.wrapping_sub(1) % PATCHES)
    }

    /// All changes since [`Writer::begin_patch`] were made; the trail had and has these lengths.
    pub(crate) fn end_patch(&mut self, between: (usize, usize)) {
        if let Some(at) = self.last_patch() {
            self.patches[at].between = between;
        }
    }

    /// Goes back to where the last patch began.
    pub(crate) fn take_back(&mut self) {
        let Some(at) = self.last_patch() else {
            return;
        };
        self.next_patch = at;
        self.patched -= 1;
        while let Some((position, part)) = self.patches[at].parts.pop() {
            let (group, objects) = (part.group, part.objects.len());
            let undone = std::mem::replace(&mut self.parts[position], part);
            // The same objects have the same numbers.
            if undone.objects != self.parts[position].objects {
                self.new_stamp(group as usize);
                for number in 0..objects {
                    let address = self.parts[position].objects[number];
                    self.enter(address, YOUNG | group << GROUP_SHIFT | number as u32, group);
                }
            }
            undone.give_back(&mut self.spare);
        }
        let patch = &mut self.patches[at];
        while let Some((start, count)) = patch.ranges.pop() {
            let from = patch.words.len() - count;
            self.parts[0].words[start..start + count].copy_from_slice(&patch.words[from..]);
            patch.words.truncate(from);
        }
        while let Some((share, version)) = patch.shares.pop() {
            self.shares[share] = version;
        }
    }

    /// How to get back to what was encoded before, and between which lengths of the trail that leads.
    pub(crate) fn way_back(&self) -> (Kept, (usize, usize)) {
        match (self.last_patch(), self.swapped) {
            (Some(at), _) => (Kept::Patched, self.patches[at].between),
            (None, Some(between)) => (Kept::Swapped, between),
            (None, None) => (Kept::Nothing, (0, 0)),
        }
    }

    /// From here on there is no way back.
    pub(crate) fn forget_way_back(&mut self) {
        while let Some(at) = self.last_patch() {
            self.patches[at].clear(&mut self.spare);
            self.next_patch = at;
            self.patched -= 1;
        }
        self.swapped = None;
    }

    /// Forgets numbers that were given to objects of the first part by mistake.
    pub(crate) fn forget(&mut self, part: &Part) {
        for &address in &part.objects {
            let mask = self.slots.len() - 1;
            let mut at = hash(address) & mask;
            while self.slots[at].address != 0 {
                let slot = &mut self.slots[at];
                if slot.address == address && (slot.number & !YOUNG) >> GROUP_SHIFT == 0 {
                    // A stamp that no group ever has.
                    slot.stamp = 0;
                }
                at = (at + 1) & mask;
            }
        }
    }

    /// The parts of the vector, in order.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts[..self.count]
    }

    pub(crate) fn shared(&self) -> &Part {
        &self.parts[0]
    }

    /// The highest address among the objects of all parts.
    pub(crate) fn highest(&self) -> Address {
        self.parts().iter().map(|part| part.highest).max().unwrap_or(0)
    }

    /// Appends all parts: the first in several sections, because most of it stays the same.
    pub(crate) fn copy_to(&self, out: &mut Vector) {
        for (number, &version) in self.shares.iter().enumerate() {
            if !out.keep_section(version) {
                let shared = &self.parts[0];
                let (before, rest) = shared.ends.split_at(number * SHARE);
                let ends = &rest[..rest.len().min(SHARE)];
                let start = before.last().copied().unwrap_or(0);
                let end = ends.last().copied().unwrap_or(start);
                out.push_section(&shared.words[start as usize..end as usize], ends, start, version);
            }
        }
        for part in &self.parts[1..self.count] {
            if !out.keep_section(part.version) {
                out.push_section(&part.words, &part.ends, 0, part.version);
            }
        }
    }

    /// Forgets everything and keeps the room for it.
    pub(crate) fn begin(&mut self) {
        self.forget_way_back();
        if self.slots.is_empty() {
            self.slots.resize(1 << 10, Slot::default());
        }
        self.count = 0;
        self.threads.clear();
        self.sorted.clear();
        self.hidden.clear();
        self.stamps.clear();
        self.whole = false;
    }

    /// An empty part for a group; what numbers the group had are forgotten, unless it is shared and goes on.
    pub(crate) fn begin_part(&mut self, group: u32, thread: u32) -> Part {
        let group_at = group as usize;
        if group_at >= self.stamps.len() {
            self.stamps.resize(group_at + 1, 0);
        }
        let goes_on = self.stamps[group_at] != 0 && group == crate::encode::LAST_GROUP && !self.whole;
        if !goes_on {
            self.new_stamp(group_at);
        }
        self.resumed = 0;
        let mut part = Part::spare(&mut self.spare);
        part.group = group;
        part.thread = thread;
        part
    }

    /// Makes all entries of a group bad.
    fn new_stamp(&mut self, group: usize) {
        self.stamp += 1;
        self.stamps[group] = self.stamp;
    }

    /// Goes on with the first part, of which `count` objects are known: one more would be a new one.
    pub(crate) fn resume(&mut self, count: usize) {
        self.resumed = count;
    }

    /// The number of an object, given to it now in the part's group if it has none.
    #[inline]
    pub(crate) fn number(&mut self, address: Address, part: &mut Part) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = hash(address) & mask;
        loop {
            let slot = self.slots[at];
            if slot.address == 0 {
                break;
            }
            // A later group may have had it: that one will be written anew.
            let group = (slot.number & !YOUNG) >> GROUP_SHIFT;
            if slot.address == address && group <= part.group && self.stamps.get(group as usize) == Some(&slot.stamp) {
                return slot.number;
            }
            at = (at + 1) & mask;
        }
        let position = (part.first + part.objects.len() + self.resumed) as u32;
        let number = YOUNG | part.group << GROUP_SHIFT | position;
        self.enter(address, number, part.group);
        part.objects.push(address);
        part.highest = part.highest.max(address);
        number
    }

    /// Puts an entry into a slot that is empty or no longer good.
    fn enter(&mut self, address: Address, number: u32, group: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash(address) & mask;
        loop {
            let slot = self.slots[at];
            if slot.address == 0 {
                self.used += 1;
                break;
            }
            let known = ((slot.number & !YOUNG) >> GROUP_SHIFT) as usize;
            if self.stamps.get(known) != Some(&slot.stamp) {
                break;
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot {
            address,
            number,
            stamp: self.stamps[group as usize],
        };
        if self.used * 2 > self.slots.len() {
            self.tidy();
        }
    }

    /// Drops entries that are no longer good, and makes more room if there is still too little.
    #[cold]
    fn tidy(&mut self) {
        let old = std::mem::take(&mut self.slots);
        let good = |slot: &Slot| {
            let group = ((slot.number & !YOUNG) >> GROUP_SHIFT) as usize;
            slot.address != 0 && self.stamps.get(group) == Some(&slot.stamp)
        };
        let kept: Vec<Slot> = old.iter().filter(|slot| good(slot)).copied().collect();
        let size = if kept.len() * 4 > old.len() {
            old.len() * 2
        } else {
            old.len()
        };
        self.slots = vec![Slot::default(); size];
        self.used = kept.len();
        let mask = size - 1;
        for slot in kept {
            let mut at = hash(slot.address) & mask;
            while self.slots[at].address != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// Keeps the first part; `end` tells where an object ends.
    pub(crate) fn keep_shared(&mut self, part: Part, end: impl Fn(Address) -> Address) {
        let objects = part.objects.iter().enumerate();
        self.sorted
            .extend(objects.map(|(position, &object)| (object, end(object), position)));
        self.sorted.sort_unstable_by_key(|&(start, _, _)| start);
        self.keep(0, part);
        let (count, first) = (self.parts[0].ends.len().div_ceil(SHARE), self.versions + 1);
        self.versions += count as u64;
        self.shares.clear();
        self.shares.extend(first..first + count as u64);
    }

    /// Takes over from the part before what it has about frames, as far as they are the same; how many these are. `frames` are
    /// those from the bottom up that have not changed.
    pub(crate) fn take_over<'a>(
        &mut self,
        position: usize,
        part: &mut Part,
        frames: impl Iterator<Item = &'a Address>,
    ) -> usize {
        let old = &self.parts[position];
        let Some((start, marks)) = old.marks.split_first() else {
            return 0;
        };
        let same = marks
            .iter()
            .zip(frames)
            .take_while(|(mark, frame)| mark.frame == **frame);
        let count = same.count();
        // The first words are as many as ever; objects that they lead to have the first numbers.
        if count == 0 || old.objects[..start.objects as usize] != part.objects {
            return 0;
        }
        let end = marks[count - 1];
        let range = |from: u32, to: u32| from as usize..to as usize;
        part.words.extend_from_slice(&old.words[range(start.words, end.words)]);
        part.ends.extend_from_slice(&old.ends[range(start.chunks, end.chunks)]);
        part.objects
            .extend_from_slice(&old.objects[range(start.objects, end.objects)]);
        part.marks.extend_from_slice(&marks[..count]);
        self.enter_from(start.objects, part);
        count
    }

    /// Takes over from the part before what it has about objects, if its frames lead to the same ones as these.
    pub(crate) fn take_over_objects(&mut self, position: usize, part: &mut Part) -> bool {
        let old = &self.parts[position];
        let Some(&start) = old
            .marks
            .last()
            .filter(|mark| old.objects[..mark.objects as usize] == part.objects)
        else {
            return false;
        };
        let (words, chunks) = (part.words.len() as u32, part.ends.len());
        part.first_chunk = old.first_chunk - start.chunks as usize + chunks;
        part.words.extend_from_slice(&old.words[start.words as usize..]);
        let ends = old.ends[start.chunks as usize..].iter();
        part.ends.extend(ends.map(|end| end - start.words + words));
        part.objects.extend_from_slice(&old.objects[start.objects as usize..]);
        self.enter_from(start.objects, part);
        true
    }

    /// Enters the objects of a part from the one with this number on.
    fn enter_from(&mut self, first: u32, part: &mut Part) {
        for number in first as usize..part.objects.len() {
            let address = part.objects[number];
            part.highest = part.highest.max(address);
            self.enter(address, YOUNG | part.group << GROUP_SHIFT | number as u32, part.group);
        }
    }

    /// Keeps a part in place of the one before, which can be taken back; whether its objects are others.
    pub(crate) fn keep_patch(&mut self, position: usize, mut part: Part) -> bool {
        let old = &mut self.parts[position];
        let others = old.objects != part.objects;
        if old.words == part.words && old.ends == part.ends {
            part.version = old.version;
        } else {
            self.versions += 1;
            part.version = self.versions;
        }
        let old = std::mem::replace(old, part);
        if let Some(at) = self.last_patch() {
            self.patches[at].parts.push((position, old));
        }
        others
    }

    /// Keeps a part of a vector that is made from nothing.
    pub(crate) fn keep(&mut self, position: usize, mut part: Part) {
        if self.parts.len() <= position {
            self.parts.resize_with(position + 1, Part::default);
        }
        self.count = position + 1;
        self.versions += 1;
        part.version = self.versions;
        std::mem::replace(&mut self.parts[position], part).give_back(&mut self.spare);
    }

    /// Puts words into the first part, where as many stood before; they can be taken back.
    pub(crate) fn replace(&mut self, start: usize, words: &[u32]) {
        let patch = self.last_patch();
        let place = &mut self.parts[0].words[start..start + words.len()];
        if place != words {
            if let Some(at) = patch {
                let patch = &mut self.patches[at];
                patch.words.extend_from_slice(place);
                patch.ranges.push((start, words.len()));
            }
            place.copy_from_slice(words);
            let ends = &self.parts[0].ends;
            let first = ends.partition_point(|&end| end as usize <= start) / SHARE;
            let last = ends.partition_point(|&end| (end as usize) < start + words.len()) / SHARE;
            // Each gets one of its own: a version tells what the words are, wherever they stand.
            for share in first..=last {
                self.versions += 1;
                let before = std::mem::replace(&mut self.shares[share], self.versions);
                if let Some(at) = patch {
                    self.patches[at].shares.push((share, before));
                }
            }
        }
    }

    /// The shared object to which a word belongs: its position and itself.
    pub(crate) fn find_shared(&self, at: Address) -> Option<(usize, Address)> {
        let after = self.sorted.partition_point(|&(start, _, _)| start <= at);
        let &(start, end, position) = self.sorted.get(after.checked_sub(1)?)?;
        (at < end).then_some((position, start))
    }

    /// Where the words of a shared object lie in the first part.
    pub(crate) fn shared_chunk(&self, position: usize) -> (usize, usize) {
        let part = &self.parts[0];
        let chunk = part.first_chunk + position;
        (part.ends[chunk - 1] as usize, part.ends[chunk] as usize)
    }

    /// The part among whose own objects one has this word.
    pub(crate) fn find_own(&self, at: Address, end: impl Fn(Address) -> Address) -> Option<usize> {
        (1..self.count).find(|&position| {
            let objects = &self.parts[position].objects;
            objects.iter().any(|&object| object <= at && at < end(object))
        })
    }

    /// Notes an object that shows in how others are written.
    pub(crate) fn note_hidden(&mut self, object: Address, words: u32) {
        let range = (object, object + words);
        if !self.hidden.contains(&range) {
            self.hidden.push(range);
        }
    }

    /// Whether a word belongs to such an object.
    pub(crate) fn is_hidden(&self, at: Address) -> bool {
        self.hidden.iter().any(|&(start, end)| start <= at && at < end)
    }
}

fn hash(address: Address) -> usize {
    (address.wrapping_mul(0x9e37_79b9) >> 7) as usize
}
