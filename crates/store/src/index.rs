//! From a hash to a number: the index of an interning table that lives elsewhere.
//!
//! A bucket is a cache line: twelve numbers, and eight bits of hash for each, so that a lookup touches one line and,
//! one time in twenty, a wrong item. A full bucket spills into the next one.
//!
//! There are many small tables, chosen by bits of the hash, each growing on its own: no insertion ever waits for more
//! than one of them to be rebuilt. They grow by factors that differ, so that they do not grow all at the same time.
//! Hashes are not kept; rebuilding asks for them again.

use crate::Seen;

const TABLE_BITS: u32 = 8;
const TABLES: usize = 1 << TABLE_BITS;
const SLOTS: usize = 12;
/// A table is rebuilt when it holds more than this many numbers for two buckets.
const LIMIT_FOR_TWO: u64 = 21;

const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// One cache line. Slots are filled in order; `filled` says how many are.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Bucket {
    numbers: [u32; SLOTS],
    tags: [u8; 15],
    filled: u8,
}

impl Bucket {
    /// The slots whose tag is the given one: bit `8 * slot + 7` is set, in two words of eight slots each.
    #[inline]
    fn matches(&self, tag: u8) -> [u64; 2] {
        let tags = &self.tags;
        let words = [
            u64::from_le_bytes([tags[0], tags[1], tags[2], tags[3], tags[4], tags[5], tags[6], tags[7]]),
            u64::from_le_bytes([tags[8], tags[9], tags[10], tags[11], 0, 0, 0, 0]),
        ];
        words.map(|word| {
            let difference = word ^ (u64::from(tag) * 0x0101_0101_0101_0101);
            !(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS)
        })
    }

    /// The first number with this tag that `same` accepts.
    #[inline]
    fn find(&self, tag: u8, same: &impl Fn(u32) -> bool) -> Option<u32> {
        let mut base = 0;
        for mut matches in self.matches(tag) {
            while matches != 0 {
                let slot = base + matches.trailing_zeros() as usize / 8;
                if slot < usize::from(self.filled) && same(self.numbers[slot]) {
                    return Some(self.numbers[slot]);
                }
                matches &= matches - 1;
            }
            base += 8;
        }
        None
    }

    #[inline]
    fn is_full(&self) -> bool {
        usize::from(self.filled) >= SLOTS
    }

    #[inline]
    fn push(&mut self, tag: u8, number: u32) {
        let slot = usize::from(self.filled);
        self.numbers[slot] = number;
        self.tags[slot] = tag;
        self.filled += 1;
    }
}

/// One of the tables. It always has a bucket that is not full, unless it has none at all.
#[derive(Default)]
struct Table {
    buckets: Vec<Bucket>,
    len: u64,
}

impl Table {
    /// The bucket where the search for a hash begins.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        let middle = hash >> (32 - TABLE_BITS) & 0xffff_ffff;
        ((middle * self.buckets.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, bucket: usize) -> usize {
        if bucket + 1 == self.buckets.len() {
            0
        } else {
            bucket + 1
        }
    }

    #[inline]
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let bucket = &self.buckets[at];
            let found = bucket.find(hash as u8, &same);
            if found.is_some() || !bucket.is_full() {
                return found;
            }
            at = self.after(at);
        }
    }

    #[inline]
    fn is_loaded(&self) -> bool {
        2 * (self.len + 1) > LIMIT_FOR_TWO * self.buckets.len() as u64
    }

    #[inline]
    fn push(&mut self, hash: u64, number: u32) {
        let mut at = self.home(hash);
        while self.buckets[at].is_full() {
            at = self.after(at);
        }
        self.buckets[at].push(hash as u8, number);
        self.len += 1;
    }

    /// Grows by a quarter to three quarters. `seed` makes tables of one size choose different factors.
    #[cold]
    fn grow(&mut self, seed: u64, hash_of: impl Fn(u32) -> u64) {
        let before = self.buckets.len() as u64;
        let jitter = crate::hash::pair([before as u32, seed as u32]) >> 32;
        let added = 1 + before / 4 + ((before / 2 * jitter) >> 32);
        let room = vec![Bucket::default(); (before + added) as usize];
        let old = std::mem::replace(&mut self.buckets, room);
        self.len = 0;
        for bucket in &old {
            let numbers = &bucket.numbers[..usize::from(bucket.filled)];
            // All hashes of a bucket before the first use: the processor then waits for the items together.
            let mut hashes = [0; SLOTS];
            for (hash, &number) in hashes.iter_mut().zip(numbers) {
                *hash = hash_of(number);
            }
            for (&hash, &number) in hashes.iter().zip(numbers) {
                self.push(hash, number);
            }
        }
    }
}

/// An index of numbers by hash. What has been entered stays.
pub(crate) struct Index {
    tables: Vec<Table>,
    /// Which bits of a hash count: all, except where a test wants collisions.
    mask: u64,
}

impl Index {
    /// An index without numbers.
    pub(crate) fn new() -> Self {
        Self::with_mask(u64::MAX)
    }

    /// An index that looks at some bits of the hashes only.
    pub(crate) fn with_mask(mask: u64) -> Self {
        Self {
            tables: (0..TABLES).map(|_| Table::default()).collect(),
            mask,
        }
    }

    /// The number of an item, if it is there; `same` tells whether a number is that of the item.
    #[inline]
    pub(crate) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = hash & self.mask;
        self.tables[(hash >> (64 - TABLE_BITS)) as usize].find(hash, same)
    }

    /// Finds the number of an item, or enters `next` for it; `None` if neither is possible.
    ///
    /// `same` tells whether a number is that of the item, `hash_of` gives the hash of any number entered.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        hash: u64,
        next: Option<u32>,
        same: impl Fn(u32) -> bool,
        hash_of: impl Fn(u32) -> u64,
    ) -> Option<Seen> {
        let hash = hash & self.mask;
        let place = (hash >> (64 - TABLE_BITS)) as usize;
        let table = &mut self.tables[place];
        if let Some(id) = table.find(hash, same) {
            return Some(Seen { id, new: false });
        }
        let id = next?;
        if table.is_loaded() {
            let mask = self.mask;
            table.grow(place as u64, |number| hash_of(number) & mask);
        }
        table.push(hash, id);
        Some(Seen { id, new: true })
    }

    /// How many numbers the biggest table has: what one insertion may have to move.
    #[cfg(test)]
    pub(crate) fn biggest_table(&self) -> u64 {
        self.tables.iter().map(|table| table.len).max().unwrap_or(0)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let buckets: usize = self.tables.iter().map(|table| table.buckets.capacity()).sum();
        (buckets * size_of::<Bucket>() + self.tables.capacity() * size_of::<Table>()) as u64
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
        let mut bucket = Bucket::default();
        for slot in 0..SLOTS as u32 {
            bucket.push(slot as u8, 100 + slot);
        }
        for slot in 0..SLOTS as u32 {
            assert_eq!(bucket.find(slot as u8, &|_| true), Some(100 + slot));
            assert_eq!(bucket.find(slot as u8, &|number| number != 100 + slot), None);
        }
        assert_eq!(bucket.find(77, &|_| true), None);
    }

    #[test]
    fn numbers_are_spread_over_the_tables() {
        let hash_of = |number: u32| crate::hash::pair([number / 1000, number % 1000]);
        let mut index = Index::new();
        let count = 1_000_000;
        for number in 0..count {
            index.enter(hash_of(number), Some(number), |other| other == number, hash_of);
        }
        let mean = u64::from(count) / TABLES as u64;
        assert!(
            index.biggest_table() < mean * 5 / 4,
            "{} where {mean} is the mean",
            index.biggest_table()
        );
    }

    #[test]
    fn numbers_survive_growth() {
        let hash_of = |number: u32| crate::hash::pair([number, 7]);
        let mut index = Index::new();
        for number in 0..300_000 {
            let seen = index.enter(hash_of(number), Some(number), |other| other == number, hash_of);
            assert_eq!(seen, Some(Seen { id: number, new: true }));
        }
        for number in 0..300_000 {
            let seen = index.enter(hash_of(number), None, |other| other == number, hash_of);
            assert_eq!(seen, Some(Seen { id: number, new: false }));
        }
        assert_eq!(index.enter(1, None, |_| false, hash_of), None);
    }
}
