//! Pieces of vectors, 1 to [`LONGEST`] words, each kept once.
//!
//! There is a slab for each length, and the length is part of a piece's name: names need no table of places, and
//! pieces of different lengths have different names.

use crate::hash;
use crate::index::Index;
use crate::slab::Slab;

/// The words of the longest piece.
pub(crate) const LONGEST: usize = 64;

/// Names of pieces are below this bound.
pub(crate) const NAMES: u32 = (LONGEST as u32) << NUMBER_BITS;

const NUMBER_BITS: u32 = 25;
const NUMBERS: u32 = 1 << NUMBER_BITS;

/// An interning table of pieces.
pub(crate) struct Pieces {
    /// The slab of pieces of one word, of two, …
    slabs: Vec<Slab>,
    index: Index,
}

impl Pieces {
    /// A table without pieces.
    pub(crate) fn new(index: Index) -> Self {
        Self {
            slabs: (1..=LONGEST).map(Slab::new).collect(),
            index,
        }
    }

    /// The words of a piece that was entered before.
    #[inline]
    pub(crate) fn get(&self, name: u32) -> &[u32] {
        get(&self.slabs, name)
    }

    /// The name of a piece; `None` if it is not there and there are too many of its length. It has 1 to [`LONGEST`]
    /// words.
    pub(crate) fn intern(&mut self, piece: &[u32]) -> Option<u32> {
        let class = piece.len() - 1;
        let slabs = &self.slabs;
        let count = slabs[class].len();
        let next = (count < NUMBERS).then_some((class as u32) << NUMBER_BITS | count);
        let seen = self.index.enter(
            hash::words(piece),
            next,
            |name| get(slabs, name) == piece,
            |name| hash::words(get(slabs, name)),
        )?;
        if seen.new {
            self.slabs[class].push(piece);
        }
        Some(seen.id)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slabs.iter().map(Slab::bytes).sum::<u64>()
            + self.index.bytes()
            + (self.slabs.capacity() * size_of::<Slab>()) as u64
    }
}

#[inline]
fn get(slabs: &[Slab], name: u32) -> &[u32] {
    slabs[(name >> NUMBER_BITS) as usize].get(name % NUMBERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_zeros_differ_by_length() {
        let mut pieces = Pieces::new(Index::with_mask(0));
        let zeros = [0; LONGEST];
        let names: Vec<_> = (1..=LONGEST).filter_map(|len| pieces.intern(&zeros[..len])).collect();
        for (position, &name) in names.iter().enumerate() {
            assert_eq!(pieces.get(name), &zeros[..=position]);
            assert_eq!(pieces.intern(&zeros[..=position]), Some(name));
            assert!(name < NAMES);
        }
        assert_eq!(names.len(), LONGEST);
    }
}
