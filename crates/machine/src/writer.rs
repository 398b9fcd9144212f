//! What encoding keeps from one call to the next: the numbers of objects, the parts of the vector, and how to take back what was
//! changed in it.

use crate::encode::{GROUP_SHIFT, YOUNG};
use crate::encoding::Kept;
use crate::memory::Address;
use crate::numbers::Numbers;
use crate::part::{Part, SHARE};
use crate::symmetry::ThreadPermutation;
use kernel::{StateVector, Versions};

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

/// Kept by its owner, so that encoding does not allocate and need not do everything anew.
#[derive(Default)]
pub(crate) struct Writer {
    numbers: Numbers,
    parts: Vec<Part>,
    count: usize,
    versions: Versions,
    /// Whether the parts are those of the last vector.
    pub whole: bool,
    /// Threads that have moved since.
    pub moved: Vec<u32>,
    /// The threads in the order of their parts.
    pub permutation: ThreadPermutation,
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
    spare: Vec<Part>,
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

    /// Leaves the source of versions to another writer, which goes on in its place.
    pub(crate) fn leave_versions_to(&mut self, other: &mut Writer) {
        other.versions = std::mem::take(&mut self.versions);
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
                self.numbers.forget_group(group);
                for number in 0..objects {
                    let address = self.parts[position].objects[number];
                    self.numbers
                        .enter(address, YOUNG | group << GROUP_SHIFT | number as u32, group);
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
    pub(crate) fn copy_to(&self, out: &mut StateVector) {
        for (number, &version) in self.shares.iter().enumerate() {
            if !out.keep_section(version) {
                let (words, ends, start) = self.parts[0].share(number);
                out.push_section(words, ends, start, version);
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
        self.numbers.begin();
        self.count = 0;
        self.sorted.clear();
        self.hidden.clear();
        self.whole = false;
    }

    /// An empty part for a group; what numbers the group had are forgotten, unless it is shared and goes on.
    pub(crate) fn begin_part(&mut self, group: u32, thread: u32) -> Part {
        self.numbers
            .begin_group(group, group == crate::encode::LAST_GROUP && !self.whole);
        self.resumed = 0;
        let mut part = Part::spare(&mut self.spare);
        part.group = group;
        part.thread = thread;
        part
    }

    /// An empty part for what stands in the first part and is written anew: an object without a number would be a new one.
    pub(crate) fn resume(&mut self) -> Part {
        self.resumed = self.parts[0].objects.len();
        Part::spare(&mut self.spare)
    }

    /// Puts such a part into the first one, from the word at `start` on, if it fits there; whether it does. The numbers that it
    /// gave out are forgotten otherwise.
    pub(crate) fn settle(&mut self, start: usize, part: Part, fits: bool) -> bool {
        if fits {
            self.replace(start, &part.words);
        } else {
            self.numbers.forget(&part.objects);
        }
        part.give_back(&mut self.spare);
        fits
    }

    /// The number of an object, given to it now in the part's group if it has none.
    #[inline]
    pub(crate) fn number(&mut self, address: Address, part: &mut Part) -> u32 {
        if let Some(known) = self.numbers.find(address, part.group) {
            return known;
        }
        let position = (part.first + part.objects.len() + self.resumed) as u32;
        let number = YOUNG | part.group << GROUP_SHIFT | position;
        self.numbers.enter(address, number, part.group);
        part.objects.push(address);
        part.highest = part.highest.max(address);
        number
    }

    /// Keeps the first part.
    pub(crate) fn keep_shared(&mut self, part: Part) {
        self.keep(0, part);
        let count = self.parts[0].ends.len().div_ceil(SHARE);
        self.shares.clear();
        self.shares.extend((0..count).map(|_| self.versions.fresh()));
    }

    /// Gives what has the same words as in an earlier vector, at the same place, the version that it had there.
    pub(crate) fn adopt_versions(&mut self, before: &Writer) {
        for (part, old) in self.parts[..self.count].iter_mut().zip(before.parts()).skip(1) {
            if part.words == old.words && part.ends == old.ends {
                part.version = old.version;
            }
        }
        let (Some(shared), Some(old)) = (self.parts.first(), before.parts().first()) else {
            return;
        };
        for (number, version) in self.shares.iter_mut().enumerate().take(before.shares.len()) {
            if shared.share(number) == old.share(number) {
                *version = before.shares[number];
            }
        }
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
        part.key.extend_from_slice(&old.key[range(start.key, end.key)]);
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
            self.numbers
                .enter(address, YOUNG | part.group << GROUP_SHIFT | number as u32, part.group);
        }
    }

    /// Keeps a part in place of the one before, which can be taken back; whether its objects are others.
    pub(crate) fn keep_patch(&mut self, position: usize, mut part: Part) -> bool {
        let old = &mut self.parts[position];
        let others = old.objects != part.objects;
        if old.words == part.words && old.ends == part.ends {
            part.version = old.version;
        } else {
            part.version = self.versions.fresh();
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
        part.version = self.versions.fresh();
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
                let before = std::mem::replace(&mut self.shares[share], self.versions.fresh());
                if let Some(at) = patch {
                    self.patches[at].shares.push((share, before));
                }
            }
        }
    }

    /// The shared object to which a word belongs: its position and itself.
    pub(crate) fn find_shared(&mut self, at: Address, end: impl Fn(Address) -> Address) -> Option<(usize, Address)> {
        if self.sorted.is_empty() {
            let objects = self.parts[0].objects.iter().enumerate();
            self.sorted
                .extend(objects.map(|(position, &object)| (object, end(object), position)));
            self.sorted.sort_unstable_by_key(|&(start, _, _)| start);
        }
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
