//! Rows of a few words, each kept once.

use crate::epochs::Reader;
use crate::index::{Bucket, Entered, Index};
use crate::slab::Slab;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An interning table of rows: their words, and the index.
pub(crate) struct Arrays<const WIDTH: usize> {
    slab: Slab,
    slab_bytes: Arc<AtomicU64>,
    index: Index,
}

impl<const WIDTH: usize> Arrays<WIDTH> {
    /// A table for at most `limit` rows.
    pub(crate) fn new(limit: u64, index: Index) -> Self {
        let slab_bytes = Arc::default();
        Self {
            slab: Slab::new(WIDTH, limit.min(crate::index::NUMBERS), &slab_bytes),
            slab_bytes,
            index,
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u64 {
        self.slab.len()
    }

    /// The row with this number, if there is one.
    pub(crate) fn get(&self, number: u64) -> Option<[u32; WIDTH]> {
        // SAFETY: so many items were published.
        (number < self.len()).then(|| unsafe { *self.slab.array(number) })
    }

    /// The row with this number.
    ///
    /// # Safety
    /// [`Arrays::intern`] or [`Arrays::find`] gave the number, and that happened before.
    #[inline]
    pub(crate) unsafe fn known(&self, number: u64) -> [u32; WIDTH] {
        // SAFETY: as the caller says; numbers in the index are those of items in the slab.
        unsafe { *self.slab.array(number) }
    }

    /// The number of a row; `None` if it is not there and the table is full. Rows always come with the same hash.
    #[inline]
    pub(crate) fn intern(
        &self,
        reader: &Reader<Vec<Bucket>>,
        row: [u32; WIDTH],
        hash_of: impl Fn([u32; WIDTH]) -> u64,
    ) -> Option<Entered> {
        self.index.enter(
            reader,
            hash_of(row),
            // SAFETY: the number is in the index.
            |number| unsafe { self.known(number) } == row,
            || self.slab.push(&row),
            // SAFETY: the number is in the index.
            |number| hash_of(unsafe { self.known(number) }),
        )
    }

    /// The number of a row whose hash is given, if it is there.
    #[inline]
    pub(crate) fn find(&self, reader: &Reader<Vec<Bucket>>, row: [u32; WIDTH], hash: u64) -> Option<u64> {
        // SAFETY: the number is in the index.
        self.index
            .find(reader, hash, |number| unsafe { self.known(number) } == row)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slab_bytes.load(Ordering::Relaxed) + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epochs::Epochs;
    use crate::hash;

    #[test]
    fn a_full_table_still_finds() {
        let old = Epochs::new();
        let pairs = Arrays::new(2, Index::new(&old, u64::MAX));
        let reader = old.reader();
        let intern = |pair| pairs.intern(&reader, pair, hash::pair);
        assert_eq!(intern([1, 2]), Some(Entered { number: 0, new: true }));
        assert_eq!(intern([2, 1]), Some(Entered { number: 1, new: true }));
        assert_eq!(intern([3, 3]), None);
        assert_eq!(intern([2, 1]), Some(Entered { number: 1, new: false }));
        assert_eq!(pairs.find(&reader, [1, 2], hash::pair([1, 2])), Some(0));
        assert_eq!(pairs.find(&reader, [3, 3], hash::pair([3, 3])), None);
        assert_eq!((pairs.get(0), pairs.get(2)), (Some([1, 2]), None));
    }
}
