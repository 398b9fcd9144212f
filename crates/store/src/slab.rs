//! Items of equal width, numbered in the order they come. Many threads push and read; an item never moves.
//!
//! Room is taken a segment at a time, so that growing never copies and never leaves more than a segment spare. The first segments are
//! small: a small store stays small.
//!
//! A number is reserved, the item written, and then the number published, in the order of numbers: all items below
//! [`Slab::len`] are there.

use crate::latch::pause;
use crate::lock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const SEGMENT_BITS: u32 = 13;
const SEGMENT: usize = 1 << SEGMENT_BITS;
const FIRST_BITS: u32 = 2;
const FIRST: usize = 1 << FIRST_BITS;
/// How many segments are smaller than [`SEGMENT`]: together they have as many items as one.
const SMALL: usize = (SEGMENT_BITS - FIRST_BITS) as usize + 1;

/// Items of `width` words each, at most `limit` of them.
pub(crate) struct Slab {
    width: usize,
    limit: u64,
    /// The latest directory: for each segment, where it is.
    directory: AtomicPtr<AtomicPtr<AtomicU32>>,
    /// How many segments there are.
    made: AtomicUsize,
    count: Count,
    rooms: Mutex<Rooms>,
    /// How many bytes this slab and others hold.
    held: Arc<AtomicU64>,
}

/// What every push writes, apart from what every look reads.
#[repr(align(64))]
struct Count {
    reserved: AtomicU64,
    published: AtomicU64,
}

/// Owns the memory. Nothing in it is given back before the slab is.
#[derive(Default)]
struct Rooms {
    segments: Vec<Vec<AtomicU32>>,
    /// Each is twice as long as the one before it, which somebody may still be reading.
    directories: Vec<Vec<AtomicPtr<AtomicU32>>>,
}

/// The segment of an item, and where in it the item is.
#[inline]
fn place(number: u64) -> (usize, usize) {
    let number = number as usize;
    if number >= SEGMENT {
        return (SMALL - 1 + (number >> SEGMENT_BITS), number % SEGMENT);
    }
    match (number >> FIRST_BITS).checked_ilog2() {
        None => (0, number),
        Some(power) => (power as usize + 1, number - (FIRST << power)),
    }
}

/// How many items a segment has room for: 4, 4, 8, 16, … and then always as many.
fn items_of(segment: usize) -> usize {
    match segment {
        0 => FIRST,
        1..SMALL => FIRST << (segment - 1),
        _ => SEGMENT,
    }
}

impl Slab {
    /// A slab without items, whose memory counts among what is `held`.
    pub(crate) fn new(width: usize, limit: u64, held: &Arc<AtomicU64>) -> Self {
        Self {
            width,
            limit,
            directory: AtomicPtr::default(),
            made: AtomicUsize::new(0),
            count: Count {
                reserved: AtomicU64::new(0),
                published: AtomicU64::new(0),
            },
            rooms: Mutex::default(),
            held: Arc::clone(held),
        }
    }

    /// How many items there are.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.count.published.load(Ordering::Acquire)
    }

    /// The item with this number.
    ///
    /// # Safety
    /// [`Slab::push`] of this slab gave the number, or [`Slab::len`] was greater, and that happened before.
    #[inline]
    pub(crate) unsafe fn get(&self, number: u64) -> &[u32] {
        let (segment, at) = place(number);
        // SAFETY: the item was published, so the directory of that time, or a later one, has its segment.
        let segment = unsafe { &*self.directory.load(Ordering::Acquire).add(segment) };
        let words = segment.load(Ordering::Acquire);
        // SAFETY: the segment has room for the item and lives as long as the slab. The item was written before its number was
        // given, and nothing writes there ever again, so its words can be read like any others.
        unsafe { std::slice::from_raw_parts(words.add(at * self.width).cast(), self.width) }
    }

    /// The item with this number, of which the caller knows the width.
    ///
    /// # Safety
    /// As for [`Slab::get`]; and `WIDTH` is the slab's width.
    #[inline]
    pub(crate) unsafe fn array<const WIDTH: usize>(&self, number: u64) -> &[u32; WIDTH] {
        debug_assert_eq!(WIDTH, self.width);
        // SAFETY: as the caller says.
        let item = unsafe { self.get(number) };
        // SAFETY: it has so many words.
        unsafe { &*item.as_ptr().cast() }
    }

    /// Appends an item, which has `width` words; its number. `None` if there is no room left.
    #[inline]
    pub(crate) fn push(&self, item: &[u32]) -> Option<u64> {
        assert_eq!(item.len(), self.width);
        let Count { reserved, published } = &self.count;
        let one_more = |count| (count < self.limit).then_some(count + 1);
        let number = reserved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .ok()?;
        let (segment, at) = place(number);
        let room = self.room(segment);
        for (position, &word) in item.iter().enumerate() {
            // SAFETY: the segment has room for the item, and lives as long as the slab.
            let place = unsafe { &*room.add(at * self.width + position) };
            place.store(word, Ordering::Relaxed);
        }
        let mut looks = 0;
        // Acquire: who sees this number published sees all items before it.
        while published.load(Ordering::Acquire) != number {
            pause(&mut looks);
        }
        published.store(number + 1, Ordering::Release);
        Some(number)
    }

    /// Where a segment is, which is made if nobody did so yet.
    #[inline]
    fn room(&self, segment: usize) -> *const AtomicU32 {
        if segment >= self.made.load(Ordering::Acquire) {
            return self.make_room(segment);
        }
        // SAFETY: the directory was there before so many segments were said to be made, and has all of them.
        let known = unsafe { &*self.directory.load(Ordering::Acquire).add(segment) };
        known.load(Ordering::Acquire)
    }

    #[cold]
    fn make_room(&self, segment: usize) -> *const AtomicU32 {
        let mut rooms = lock(&self.rooms);
        let Rooms { segments, directories } = &mut *rooms;
        while segments.len() <= segment {
            let count = items_of(segments.len()) * self.width;
            let words: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
            let known = directories.last().map_or(0, Vec::len);
            if known == segments.len() {
                let entries = segments.iter().map(|words| AtomicPtr::new(words.as_ptr().cast_mut()));
                let mut directory: Vec<_> = entries.collect();
                directory.resize_with((2 * known).max(4), AtomicPtr::default);
                self.directory.store(directory.as_mut_ptr(), Ordering::Release);
                self.note_held(directory.len() * size_of::<AtomicPtr<AtomicU32>>());
                directories.push(directory);
            }
            if let Some(directory) = directories.last() {
                directory[segments.len()].store(words.as_ptr().cast_mut(), Ordering::Release);
            }
            self.note_held(count * size_of::<u32>() + size_of::<Vec<AtomicU32>>());
            segments.push(words);
            self.made.store(segments.len(), Ordering::Release);
        }
        segments[segment].as_ptr()
    }

    fn note_held(&self, more: usize) {
        self.held.fetch_add(more as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The item with this number, which is there.
    fn item(slab: &Slab, number: u64) -> &[u32] {
        assert!(number < slab.len());
        // SAFETY: just checked.
        unsafe { slab.get(number) }
    }

    #[test]
    fn segments_follow_each_other() {
        let mut expected = (0, 0);
        for number in 0..5 * SEGMENT as u64 {
            assert_eq!(place(number), expected);
            expected.1 += 1;
            if expected.1 == items_of(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
        // Numbers are not bound to 32 bits.
        assert_eq!(place(1 << 34), (SMALL - 1 + (1 << 21), 0));
    }

    #[test]
    fn items_keep_their_numbers_across_segments() {
        let count = 2 * SEGMENT as u32 + 5;
        let slab = Slab::new(3, u64::from(count), &Arc::default());
        for number in 0..count {
            assert_eq!(slab.len(), u64::from(number));
            assert_eq!(slab.push(&[number, number + 1, !number]), Some(u64::from(number)));
        }
        for number in 0..count {
            assert_eq!(item(&slab, u64::from(number)), [number, number + 1, !number]);
        }
        assert_eq!(slab.push(&[0; 3]), None);
        assert_eq!(slab.len(), u64::from(count));
    }

    #[test]
    fn spare_room_is_at_most_a_segment() {
        let held = Arc::default();
        let slab = Slab::new(2, u64::MAX, &held);
        for number in 0..10 * SEGMENT as u32 + 1 {
            slab.push(&[number, number]);
        }
        let (used, held) = (slab.len() * 8, held.load(Ordering::Relaxed));
        assert!(held <= used + 2 * 8 * SEGMENT as u64, "{held} for {used}");
    }

    #[test]
    fn threads_push_and_read_what_is_published() {
        const THREADS: u32 = 4;
        const EACH: u32 = 40_000;
        let slab = Slab::new(2, u64::MAX, &Arc::default());
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let slab = &slab;
                scope.spawn(move || {
                    for round in 0..EACH {
                        let number = slab.push(&[thread, round]).expect("there is room");
                        assert_eq!(item(slab, number), [thread, round]);
                        let &[other, its_round] = item(slab, slab.len() - 1) else {
                            panic!("items have two words");
                        };
                        assert!(other < THREADS && its_round < EACH);
                    }
                });
            }
        });
        let mut next = [0; THREADS as usize];
        for number in 0..slab.len() {
            let &[thread, round] = item(&slab, number) else {
                panic!("items have two words");
            };
            assert_eq!(round, next[thread as usize]);
            next[thread as usize] += 1;
        }
        assert_eq!(next, [EACH; THREADS as usize]);
    }
}
