//! Keeping an encoding up to date: of the last vector, only what a step may have changed is written anew, and what was
//! changed is taken back with the step.

use crate::encode::{HASHED, YOUNG, bit};
use crate::layout::{self, CLASSES, CLOCK, INFLATED, LOCK, THREADS, status, thread};
use crate::machine::Machine;
use crate::memory::Address;
use crate::part::Unchanged;
use crate::writer::Writer;
use kernel::Instrumentation;
use program::world::{ClassKind, HEADER_WORDS};

/// How many parts there can be of which it is noted whether they are stale: the bits of a word.
const FLAGS: usize = 63;

/// Where an object's lock comes among its words in a vector, after its header.
const LOCK_WORD: usize = 1;

impl Machine<'_> {
    /// Makes the writer's parts those of the present state. `from` is how long the trail was when they were those of an
    /// earlier state, if it has only grown since: then there is a way back.
    pub(crate) fn bring_up_to_date(&mut self, from: Option<usize>) {
        let mut writer = self.encoding.take_writer();
        let between = from.map(|from| (from, self.memory.trail_len()));
        writer.begin_patch();
        if self.refresh(&mut writer) {
            self.encoding.put_patched(writer, between);
        } else {
            writer.take_back();
            let mut other = self.encoding.spare_for(&mut writer);
            self.rebuild(&mut other);
            self.encoding.put_anew(writer, other, between);
        }
    }

    /// Before a step from a state that was come back to: encodes it, so that this step, once it is undone, leads back to
    /// something that is known.
    pub(crate) fn catch_up(&mut self) {
        if self.memory.seen_at().is_none() && self.encoding.writer().is_some_and(|writer| writer.whole) {
            self.bring_up_to_date(None);
        }
        self.encoding.go_on();
    }

    /// Writes anew what may have changed since the last time; `false` if that is more than parts can tell.
    fn refresh(&mut self, writer: &mut Writer) -> bool {
        let mut changes = std::mem::take(&mut writer.changes);
        changes.clear();
        // Where objects were undone, others may lie in their place.
        let same_objects = writer.highest() < self.memory.lowest_top();
        let is_crowd = writer.permutation.threads.len() >= FLAGS;
        let known = self.memory.take_changes(&mut changes) && same_objects && !is_crowd;
        let fits = known
            && writer.whole
            && self.refresh_shared(writer, &changes)
            && self.refresh_threads(writer, &changes)
            && self.is_in_order(writer);
        writer.changes = changes;
        fits
    }

    /// SOUNDNESS: the numbers of shared objects stay what they are as long as no reference changes by which one of them was met first, or
    /// would be met earlier, and with them everything else that was written; so only values that are no references may differ, and references
    /// from an object to such as had numbers when it was come to; and threads stay the same.
    fn refresh_shared(&mut self, writer: &mut Writer, changes: &[Address]) -> bool {
        let (end, limit) = (self.memory.image_end(), self.memory.limit());
        let mut image_changed = self.memory.touched_count() != writer.seen;
        (writer.stale, writer.changed) = (0, 0);
        // Frames are none of what threads share.
        for &at in changes.iter().filter(|&&at| at < limit) {
            if (THREADS..CLASSES).contains(&at) {
                if !self.refresh_record(at, writer) {
                    return false;
                }
            } else if at < end {
                if at == CLOCK || at == CLOCK + 1 {
                    let now = self.clock();
                    writer.replace(0, &[now as u32, (now >> 32) as u32]);
                    // How long threads still wait is counted from now.
                    writer.stale = u64::MAX;
                } else {
                    image_changed |= !bit(&self.roles.silent, at);
                }
            } else if !self.refresh_object(at, writer) {
                return false;
            }
        }
        !image_changed || self.refresh_image(writer)
    }

    /// Notes the thread to which a word of its record belongs. A thread more or less, or another thread object, is more than
    /// parts can tell.
    fn refresh_record(&mut self, at: Address, writer: &mut Writer) -> bool {
        let (number, word) = (
            (at - THREADS) / layout::THREAD_WORDS,
            (at - THREADS) % layout::THREAD_WORDS,
        );
        let is_live = self.thread_word(number, thread::STATUS) != status::FREE;
        let Some(position) = writer.permutation.threads.iter().position(|&other| other == number) else {
            return !is_live;
        };
        writer.stale |= 2 << position;
        is_live && word != thread::OBJECT
    }

    fn refresh_image(&mut self, writer: &mut Writer) -> bool {
        let mut part = writer.resume();
        self.write_image(writer, &mut part);
        let (start, end) = (writer.image_start, writer.image_end);
        let old = &writer.shared().words[start..end];
        let same = part.objects.is_empty()
            && old.len() == part.words.len()
            && old
                .iter()
                .zip(&part.words)
                .all(|(old, new)| old == new || (old | new) & YOUNG == 0);
        writer.settle(start, part, same)
    }

    /// Writes the object anew to which a word belongs, if it is one that threads share; notes the thread whose it is
    /// otherwise.
    fn refresh_object(&mut self, at: Address, writer: &mut Writer) -> bool {
        if writer.is_hidden(at) {
            return false;
        }
        let end = |object: Address| object + self.object_words(object);
        let Some((position, object)) = writer.find_shared(at, end) else {
            if let Some(position) = writer.find_own(at, end) {
                writer.stale |= 1 << position;
                writer.changed |= 1 << position;
            }
            return true;
        };
        let (start, end) = writer.shared_chunk(position);
        if let Some(word) = self.word_of_value(object, at, &writer.shared().words[start..end]) {
            let value = self.memory.load(at);
            let value = if at == object + LOCK {
                writer.permutation.owner(value)
            } else {
                value
            };
            writer.replace(start + word, &[value]);
            return true;
        }
        let mut part = writer.resume();
        self.write_object(object, writer, &mut part);
        let old = &writer.shared().words[start..end];
        let same = part.objects.is_empty()
            && old.len() == part.words.len()
            && self.leads_alike(object, writer.shared().known[position], old, &part.words);
        writer.settle(start, part, same)
    }

    /// Which of the words that an object was written with is a word of it as it is: one that is no reference, in an object that is no
    /// array and has no monitor of its own, neither then nor now.
    fn word_of_value(&self, object: Address, at: Address, old: &[u32]) -> Option<usize> {
        let class = self.class_of(object);
        let described = self.program.class(class);
        let is_inflated = self.memory.load(object + LOCK) & INFLATED != 0 || old[LOCK_WORD] == HASHED;
        let is_plain = !matches!(described.kind, ClassKind::Array(_)) && !is_inflated;
        let offset = at - object;
        let is_value = match offset.checked_sub(HEADER_WORDS) {
            None => offset == LOCK,
            Some(_) => {
                let is_name = self.is_thread(described) && self.names_of_threads().contains(&offset);
                !described.references.contains(&offset) && !self.caches(class).contains(&offset) && !is_name
            }
        };
        (is_plain && is_value).then(|| match offset.checked_sub(HEADER_WORDS) {
            None => LOCK_WORD,
            Some(field) => LOCK_WORD + 1 + field as usize,
        })
    }

    /// Whether two ways to write an object meet the same objects for the first time: they differ in words that are no references, and in
    /// references to such as are among the first `known`.
    fn leads_alike(&self, object: Address, known: u32, old: &[u32], new: &[u32]) -> bool {
        let described = self.program.class(self.class_of(object));
        let is_hashed = |words: &[u32]| words[LOCK_WORD] == HASHED;
        if is_hashed(old) != is_hashed(new) {
            return false;
        }
        // After the lock, or the mark, the lock and the hash code.
        let first = LOCK_WORD + 1 + if is_hashed(new) { 2 } else { 0 };
        let is_reference = |position: usize| match described.kind {
            _ if position < first => false,
            // Perhaps a record, the length, the elements.
            ClassKind::Array(element) => {
                let length = first + usize::from(self.semantics.has(Instrumentation::LOCKSETS));
                position < length || position > length && !self.program.class(element).is_primitive()
            }
            // The fields, then perhaps their records.
            _ => {
                let offset = HEADER_WORDS + (position - first) as u32;
                offset >= described.words || described.references.contains(&offset)
            }
        };
        let is_known = |word: u32| word < YOUNG | known;
        (0..old.len()).all(|position| {
            let (old, new) = (old[position], new[position]);
            old == new || !is_reference(position) || is_known(old) && is_known(new)
        })
    }

    fn refresh_threads(&mut self, writer: &mut Writer, changes: &[Address]) -> bool {
        let mut all = false;
        for position in 0..writer.permutation.threads.len() {
            let number = writer.permutation.threads[position];
            if !all && writer.stale >> (position + 1) & 1 == 0 && !writer.moved.contains(&number) {
                continue;
            }
            // SOUNDNESS: what lies below a frame that was on top is logged as soon as it is on top itself, so frames below all that
            // were logged are what they were, and so are the numbers in them unless a thread before has other objects. The same holds
            // for a thread's own objects, as long as its frames lead to the same ones and none of their words is logged.
            let (bottom, end) = self.stack(number);
            let logged = changes.iter().copied().filter(|at| (bottom..end).contains(at));
            let changed = logged.min().unwrap_or(end);
            let mut part = writer.begin_part(position as u32 + 1, number);
            let kept = (!all).then_some(Unchanged {
                part: position + 1,
                below: changed,
                objects: writer.changed >> (position + 1) & 1 == 0,
            });
            self.write_thread(number, writer, &mut part, kept);
            // SOUNDNESS: a thread's own objects are those that none before it leads to. If they are others now, those of
            // the threads after it may be.
            all |= writer.keep_patch(position + 1, part);
        }
        true
    }
}
