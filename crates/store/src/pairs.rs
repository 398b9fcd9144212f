//! Pairs of words, each kept once.

use crate::Seen;
use crate::hash;
use crate::index::Index;
use crate::slab::Slab;

/// An interning table of pairs: 8 bytes a pair, and the index.
pub(crate) struct Pairs {
    slab: Slab,
    index: Index,
    limit: u32,
}

impl Pairs {
    /// A table for at most `limit` pairs.
    pub(crate) fn new(limit: u32, index: Index) -> Self {
        Self {
            slab: Slab::new(2),
            index,
            limit,
        }
    }

    /// A pair that was entered before.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> [u32; 2] {
        *self.slab.array(number)
    }

    /// The number of a pair whose hash is given; `None` if it is not there and the table is full.
    pub(crate) fn intern(&mut self, pair: [u32; 2], hash: u64) -> Option<Seen> {
        let slab = &self.slab;
        let next = (slab.len() < self.limit).then_some(slab.len());
        let seen = self.index.enter(
            hash,
            next,
            |number| *slab.array(number) == pair,
            |number| hash::pair(*slab.array(number)),
        )?;
        if seen.new {
            self.slab.push(&pair);
        }
        Some(seen)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slab.bytes() + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_still_finds() {
        let mut pairs = Pairs::new(2, Index::new());
        let mut intern = |pair| pairs.intern(pair, hash::pair(pair));
        assert_eq!(intern([1, 2]), Some(Seen { id: 0, new: true }));
        assert_eq!(intern([2, 1]), Some(Seen { id: 1, new: true }));
        assert_eq!(intern([3, 3]), None);
        assert_eq!(intern([2, 1]), Some(Seen { id: 1, new: false }));
        assert_eq!(pairs.get(0), [1, 2]);
    }
}
