//! From a hash to a number: the index of an interning table that lives elsewhere. Many threads use it.
//!
//! A bucket is a cache line: twelve numbers of 34 bits, and eight bits of hash for each, so that a lookup touches one line and,
//! one time in twenty, a wrong item. A full bucket spills into the next one.
//!
//! There are many small tables, chosen by bits of the hash, each growing on its own: no insertion ever waits for more
//! than one of them to be rebuilt. They grow by factors that differ, so that they do not grow all at the same time.
//! Hashes are not kept; rebuilding asks for them again.
//!
//! A lookup takes no lock, unless the table grows at that moment. Only whoever has the lock of a table changes it.

use crate::epochs::{Epochs, Reader};
use crate::latch::Latch;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

const TABLE_BITS: u32 = 8;
const TABLES: usize = 1 << TABLE_BITS;
const SLOTS: usize = 12;
/// A table is rebuilt when it holds more than this many numbers for two buckets.
const LIMIT_FOR_TWO: u64 = 21;

/// Numbers are below this bound.
pub(crate) const NUMBERS: u64 = 1 << (32 + HIGH_BITS);

/// How many bits of a number stand apart from the others.
const HIGH_BITS: u32 = 2;
const HIGH_SHIFT: u32 = 32;
const FILLED_SHIFT: u32 = 56;
/// How many tags the first word of them has.
const FIRST_TAGS: usize = 8;

const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// One cache line. Slots are filled in order, by one thread at a time, and stay as they are.
#[derive(Default)]
#[repr(C, align(64))]
pub(crate) struct Bucket {
    /// The low bits of each number.
    numbers: [AtomicU32; SLOTS],
    /// Eight tags.
    first: AtomicU64,
    /// Four tags, two high bits of each number, and how many slots are filled. Written last: whoever reads it first sees all
    /// that the filled slots hold.
    last: AtomicU64,
}

/// The bytes of a word that are the tag: the highest bit of each is set.
#[inline(always)]
fn matches(word: u64, tag: u8) -> u64 {
    let difference = word ^ (u64::from(tag) * 0x0101_0101_0101_0101);
    !(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS)
}

impl Bucket {
    /// The number in a slot, where the last word is given.
    #[inline]
    fn number(&self, slot: usize, last: u64) -> u64 {
        let high = last >> (HIGH_SHIFT + HIGH_BITS * slot as u32) & ((1 << HIGH_BITS) - 1);
        high << 32 | u64::from(self.numbers[slot].load(Ordering::Relaxed))
    }

    /// The first number with this tag that `same` accepts, or the last word.
    #[inline(always)]
    fn find(&self, tag: u8, same: &impl Fn(u64) -> bool) -> Result<u64, u64> {
        let last = self.last.load(Ordering::Acquire);
        let first = self.first.load(Ordering::Relaxed);
        let filled = filled(last);
        let mut base = 0;
        for mut matches in [matches(first, tag), matches(last, tag)] {
            while matches != 0 {
                let slot = base + matches.trailing_zeros() as usize / 8;
                // What is no tag, or not yet, is in no slot that is filled.
                if slot < filled {
                    let number = self.number(slot, last);
                    if same(number) {
                        return Ok(number);
                    }
                }
                matches &= matches - 1;
            }
            base += FIRST_TAGS;
        }
        Err(last)
    }

    /// Fills one more slot. One thread at a time does so, and only if the bucket is not full.
    #[inline]
    fn push(&self, tag: u8, number: u64) {
        let mut last = self.last.load(Ordering::Relaxed);
        let slot = filled(last);
        self.numbers[slot].store(number as u32, Ordering::Relaxed);
        let tag = u64::from(tag);
        match slot.checked_sub(FIRST_TAGS) {
            None => {
                let first = self.first.load(Ordering::Relaxed);
                self.first.store(first | tag << (8 * slot), Ordering::Relaxed);
            }
            Some(slot) => last |= tag << (8 * slot),
        }
        last |= (number >> 32) << (HIGH_SHIFT + HIGH_BITS * slot as u32);
        self.last.store(last + (1 << FILLED_SHIFT), Ordering::Release);
    }
}

/// Where an item would be that is not there.
#[derive(Clone, Copy)]
struct Gap {
    /// A bucket that is not full. Those before it, from where the search begins, are, and stay as they are.
    bucket: usize,
    /// Its last word: as long as it stays the same, so does the bucket.
    last: u64,
}

/// Looks among the buckets of a table, of which one is not full, for the number with this hash that `same` accepts.
#[inline(always)]
fn seek(buckets: &[Bucket], hash: u64, same: &impl Fn(u64) -> bool) -> Result<u64, Gap> {
    let mut bucket = home(buckets.len(), hash);
    loop {
        match buckets[bucket].find(hash as u8, same) {
            Ok(number) => return Ok(number),
            Err(last) if filled(last) < SLOTS => return Err(Gap { bucket, last }),
            Err(_) => bucket = after(buckets.len(), bucket),
        }
    }
}

/// How many slots of a bucket are filled, by its last word.
#[inline]
fn filled(last: u64) -> usize {
    (last >> FILLED_SHIFT) as usize
}

/// The bucket where the search for a hash begins.
#[inline]
fn home(count: usize, hash: u64) -> usize {
    let middle = hash >> (32 - TABLE_BITS) & 0xffff_ffff;
    ((middle * count as u64) >> 32) as usize
}

#[inline]
fn after(count: usize, bucket: usize) -> usize {
    if bucket + 1 == count { 0 } else { bucket + 1 }
}

/// One of the tables. It always has a bucket that is not full, unless it has none at all.
#[derive(Default)]
struct Table {
    buckets: Vec<Bucket>,
    len: u64,
}

impl Table {
    /// Whether the buckets are those at which a search was made, and what it said holds still.
    #[inline]
    fn has(&self, buckets: *const Bucket, gap: Gap) -> bool {
        self.buckets.as_ptr() == buckets && self.buckets[gap.bucket].last.load(Ordering::Relaxed) == gap.last
    }

    #[inline]
    fn is_loaded(&self) -> bool {
        2 * (self.len + 1) > LIMIT_FOR_TWO * self.buckets.len() as u64
    }

    /// Enters a number where a search has found that it is not there.
    #[inline]
    fn fill(&mut self, gap: Gap, hash: u64, number: u64) {
        self.buckets[gap.bucket].push(hash as u8, number);
        self.len += 1;
    }

    fn push(&mut self, hash: u64, number: u64) {
        let count = self.buckets.len();
        let mut at = home(count, hash);
        while filled(self.buckets[at].last.load(Ordering::Relaxed)) >= SLOTS {
            at = after(count, at);
        }
        self.buckets[at].push(hash as u8, number);
        self.len += 1;
    }

    /// The same table with a quarter to three quarters more buckets. `seed` makes tables of one size choose different factors.
    #[cold]
    fn grown(&self, seed: u64, hash_of: impl Fn(u64) -> u64) -> Table {
        let before = self.buckets.len() as u64;
        let jitter = crate::hash::pair([before as u32, seed as u32]) >> 32;
        let added = 1 + before / 4 + ((before / 2 * jitter) >> 32);
        let mut table = Table {
            buckets: (0..before + added).map(|_| Bucket::default()).collect(),
            len: 0,
        };
        for bucket in &self.buckets {
            let last = bucket.last.load(Ordering::Relaxed);
            let filled = filled(last);
            // All hashes of a bucket before the first use: the processor then waits for the items together.
            let mut hashes = [0; SLOTS];
            for (slot, hash) in hashes.iter_mut().enumerate().take(filled) {
                *hash = hash_of(bucket.number(slot, last));
            }
            for (slot, &hash) in hashes.iter().enumerate().take(filled) {
                table.push(hash, bucket.number(slot, last));
            }
        }
        table
    }
}

/// Where the buckets of a table are, for whoever has no lock.
#[derive(Default)]
struct Head {
    /// How many buckets there are: no number twice. 0 if there are none, or the table grows.
    count: AtomicUsize,
    buckets: AtomicPtr<Bucket>,
}

impl Head {
    /// The buckets of the table, at least one; none if the table is about to get others.
    ///
    /// # Safety
    /// They are not given back for as long as this lives.
    #[inline]
    unsafe fn buckets(&self) -> Option<&[Bucket]> {
        let count = self.count.load(Ordering::Acquire);
        let buckets = self.buckets.load(Ordering::Acquire);
        // Whoever sees other buckets sees another count as well, because that is changed first.
        if count == 0 || self.count.load(Ordering::Relaxed) != count {
            return None;
        }
        // SAFETY: so many buckets begin there, which are there as long as the caller says. Whatever changes in them is atomic.
        Some(unsafe { std::slice::from_raw_parts(buckets, count) })
    }

    /// Shows other buckets to whoever looks from now on.
    fn show(&self, buckets: &[Bucket]) {
        self.count.store(0, Ordering::Relaxed);
        self.buckets.store(buckets.as_ptr().cast_mut(), Ordering::Release);
        self.count.store(buckets.len(), Ordering::Release);
    }
}

/// What it takes to enter an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    /// Its number.
    pub number: u64,
    /// Whether it was not there before.
    pub new: bool,
}

/// Buckets that were replaced wait here.
pub(crate) type Old = Epochs<Vec<Bucket>>;

/// An index of numbers by hash. What has been entered stays.
pub(crate) struct Index {
    heads: Box<[Head]>,
    tables: Box<[Latch<Table>]>,
    old: Arc<Old>,
    /// How many buckets all tables have together.
    buckets: AtomicUsize,
    /// Which bits of a hash count: all, except where a test wants collisions.
    mask: u64,
}

impl Index {
    /// An index without numbers, which looks at the bits of the hashes that are in the mask.
    pub(crate) fn new(old: &Arc<Old>, mask: u64) -> Self {
        Self {
            heads: (0..TABLES).map(|_| Head::default()).collect(),
            tables: (0..TABLES).map(|_| Latch::default()).collect(),
            old: Arc::clone(old),
            buckets: AtomicUsize::new(0),
            mask,
        }
    }

    /// The buckets of a table, for whoever has no lock.
    #[inline]
    fn shown<'r>(&'r self, reader: &'r Reader<Vec<Bucket>>, table: usize) -> Option<&'r [Bucket]> {
        assert!(reader.is_of(&self.old));
        // SAFETY: buckets are given back to the reader's epochs, or with the index. The first happens only after the reader has
        // passed, which it cannot do as long as it is borrowed; or by the reader itself, in `enter`, after it has looked at them.
        unsafe { self.heads[table].buckets() }
    }

    /// The number of an item, if it is there; `same` tells whether a number is that of the item.
    #[inline]
    pub(crate) fn find(&self, reader: &Reader<Vec<Bucket>>, hash: u64, same: impl Fn(u64) -> bool) -> Option<u64> {
        let hash = hash & self.mask;
        let table = (hash >> (64 - TABLE_BITS)) as usize;
        match self.shown(reader, table) {
            Some(buckets) => seek(buckets, hash, &same).ok(),
            None => self.find_locked(table, hash, same),
        }
    }

    #[cold]
    fn find_locked(&self, table: usize, hash: u64, same: impl Fn(u64) -> bool) -> Option<u64> {
        let table = self.tables[table].lock();
        (!table.buckets.is_empty()).then(|| seek(&table.buckets, hash, &same).ok())?
    }

    /// Finds the number of an item, or enters the one that `make` gives it; `None` if neither is possible.
    ///
    /// `same` tells whether a number is that of the item, `hash_of` gives the hash of any number entered. What `make` does
    /// happens before any of them is asked about the number that it gave, which is below [`NUMBERS`].
    #[inline]
    pub(crate) fn enter(
        &self,
        reader: &Reader<Vec<Bucket>>,
        hash: u64,
        same: impl Fn(u64) -> bool,
        make: impl FnOnce() -> Option<u64>,
        hash_of: impl Fn(u64) -> u64,
    ) -> Option<Entered> {
        let hash = hash & self.mask;
        let place = (hash >> (64 - TABLE_BITS)) as usize;
        let mut missed = None;
        if let Some(buckets) = self.shown(reader, place) {
            match seek(buckets, hash, &same) {
                Ok(number) => return Some(Entered { number, new: false }),
                Err(gap) => missed = Some((buckets.as_ptr(), gap)),
            }
        }
        self.enter_missing(reader, (hash, place), missed, same, make, hash_of)
    }

    /// The same with a hash whose table is known, and what was said without the lock.
    #[inline(never)]
    fn enter_missing(
        &self,
        reader: &Reader<Vec<Bucket>>,
        (hash, place): (u64, usize),
        missed: Option<(*const Bucket, Gap)>,
        same: impl Fn(u64) -> bool,
        make: impl FnOnce() -> Option<u64>,
        hash_of: impl Fn(u64) -> u64,
    ) -> Option<Entered> {
        let mut table = self.tables[place].lock();
        let still = missed.filter(|&(buckets, gap)| table.has(buckets, gap));
        let gap = match (still, table.buckets.is_empty()) {
            (Some((_, gap)), _) => Some(gap),
            (None, true) => None,
            (None, false) => match seek(&table.buckets, hash, &same) {
                Ok(number) => return Some(Entered { number, new: false }),
                Err(gap) => Some(gap),
            },
        };
        let number = make()?;
        match gap {
            Some(gap) if !table.is_loaded() => table.fill(gap, hash, number),
            _ => {
                let grown = table.grown(place as u64, |number| hash_of(number) & self.mask);
                self.heads[place].show(&grown.buckets);
                let added = grown.buckets.len() - table.buckets.len();
                self.buckets.fetch_add(added, Ordering::Relaxed);
                // Nobody finds the old ones from here on, but somebody may be looking at them.
                reader.give_back(std::mem::replace(&mut *table, grown).buckets);
                table.push(hash, number);
            }
        }
        Some(Entered { number, new: true })
    }

    /// How many numbers the biggest table has: what one insertion may have to move.
    #[cfg(test)]
    pub(crate) fn biggest_table(&self) -> u64 {
        self.tables.iter().map(|table| table.lock().len).max().unwrap_or(0)
    }

    /// The memory held, in bytes, without what waits to be given back.
    pub(crate) fn bytes(&self) -> u64 {
        let buckets = self.buckets.load(Ordering::Relaxed);
        (buckets * size_of::<Bucket>() + TABLES * (size_of::<Head>() + size_of::<Latch<Table>>())) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_a_cache_line() {
        assert_eq!(size_of::<Bucket>(), 64);
    }

    #[test]
    fn tags_are_found_in_every_slot() {
        let bucket = Bucket::default();
        // Numbers of all lengths.
        let number = |slot: u64| (NUMBERS - 1) >> (3 * slot);
        for slot in 0..SLOTS as u64 {
            bucket.push(slot as u8, number(slot));
        }
        for slot in 0..SLOTS as u64 {
            assert_eq!(bucket.find(slot as u8, &|_| true), Ok(number(slot)));
            assert!(bucket.find(slot as u8, &|found| found != number(slot)).is_err());
        }
        assert_eq!(bucket.find(77, &|_| true).map_err(filled), Err(SLOTS));
    }

    /// An index in which a number is the item itself.
    struct Plain(Index, Reader<Vec<Bucket>>);

    impl Plain {
        fn new() -> Plain {
            let old = Epochs::new();
            Plain(Index::new(&old, u64::MAX), old.reader())
        }

        fn enter(&self, number: u64, next: Option<u64>) -> Option<Entered> {
            let Plain(index, reader) = self;
            index.enter(reader, hash_of(number), |other| other == number, || next, hash_of)
        }
    }

    fn hash_of(number: u64) -> u64 {
        crate::hash::pair([(number / 1000) as u32, (number % 1000) as u32])
    }

    #[test]
    fn numbers_are_spread_over_the_tables() {
        let plain = Plain::new();
        let count = 1_000_000;
        for number in 0..count {
            plain.enter(number, Some(number));
        }
        let (mean, biggest) = (count / TABLES as u64, plain.0.biggest_table());
        assert!(biggest < mean * 5 / 4, "{biggest} where {mean} is the mean");
    }

    #[test]
    fn numbers_survive_growth() {
        let plain = Plain::new();
        // Half of them need more than 32 bits.
        let numbers = (1 << 32) - 150_000..(1 << 32) + 150_000;
        for number in numbers.clone() {
            assert_eq!(plain.enter(number, Some(number)), Some(Entered { number, new: true }));
        }
        for number in numbers {
            assert_eq!(plain.enter(number, None), Some(Entered { number, new: false }));
            let found = plain.0.find(&plain.1, hash_of(number), |other| other == number);
            assert_eq!(found, Some(number));
        }
        assert_eq!(plain.enter(7, None), None);
        assert_eq!(plain.0.find(&plain.1, hash_of(7), |other| other == 7), None);
        // With one reader, nothing waits.
        assert_eq!(plain.0.old.sum(|buckets| buckets.len() as u64), 0);
    }

    #[test]
    fn threads_find_what_they_entered_while_tables_grow() {
        const EACH: u64 = 60_000;
        let old = Epochs::new();
        let index = Index::new(&old, u64::MAX);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (index, mut reader) = (&index, old.reader());
                scope.spawn(move || {
                    for round in 0..EACH {
                        reader.pass();
                        // Every number is entered by two threads, and looked for by one at once and once more later.
                        for number in [round * 3 + thread % 2, round / 2 * 3 + thread % 2] {
                            let same = |other| other == number;
                            let entered = index.enter(&reader, hash_of(number), same, || Some(number), hash_of);
                            assert_eq!(entered.map(|entered| entered.number), Some(number));
                            assert_eq!(index.find(&reader, hash_of(number), same), Some(number));
                        }
                    }
                });
            }
        });
        let entered: u64 = index.tables.iter().map(|table| table.lock().len).sum();
        assert_eq!(entered, 2 * EACH, "each once");
        assert_eq!(old.sum(|buckets| buckets.len() as u64), 0);
    }
}
