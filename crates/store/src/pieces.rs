//! Pieces of vectors, 1 to [`LONGEST`] words, each kept once.
//!
//! There is a slab for each length, and the length is part of a piece's name: names need no table of places, and
//! pieces of different lengths have different names.

use crate::epochs::Reader;
use crate::hash;
use crate::index::{Bucket, Index};
use crate::slab::Slab;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The words of the longest piece.
pub(crate) const LONGEST: usize = 64;

/// Names of pieces are below this bound.
pub(crate) const NAMES: u32 = (LONGEST as u32) << NUMBER_BITS;

const NUMBER_BITS: u32 = 25;
const NUMBERS: u32 = 1 << NUMBER_BITS;

/// An interning table of pieces.
pub(crate) struct Pieces {
    /// The slab of pieces of one word, of two, …
    slabs: Box<[Slab]>,
    slab_bytes: Arc<AtomicU64>,
    index: Index,
}

impl Pieces {
    /// A table without pieces.
    pub(crate) fn new(index: Index) -> Self {
        let slab_bytes = Arc::default();
        let slab = |width| Slab::new(width, NUMBERS.into(), &slab_bytes);
        Self {
            slabs: (1..=LONGEST).map(slab).collect(),
            slab_bytes,
            index,
        }
    }

    /// The words of a piece.
    ///
    /// # Safety
    /// [`Pieces::intern`] or [`Pieces::find`] gave the name, and that happened before.
    #[inline]
    pub(crate) unsafe fn known(&self, name: u32) -> &[u32] {
        let slab = &self.slabs[(name >> NUMBER_BITS) as usize];
        // SAFETY: as the caller says; the name is made of the number that the slab gave.
        unsafe { slab.get(u64::from(name % NUMBERS)) }
    }

    /// The name of a piece; `None` if it is not there and there are too many of its length. It has 1 to [`LONGEST`]
    /// words.
    pub(crate) fn intern(&self, reader: &Reader<Vec<Bucket>>, piece: &[u32]) -> Option<u32> {
        let class = piece.len() - 1;
        let entered = self.index.enter(
            reader,
            hash::words(piece),
            // SAFETY: the name is in the index.
            |name| unsafe { self.known(name as u32) } == piece,
            || Some((class as u64) << NUMBER_BITS | self.slabs[class].push(piece)?),
            // SAFETY: the name is in the index.
            |name| hash::words(unsafe { self.known(name as u32) }),
        )?;
        Some(entered.number as u32)
    }

    /// The name of a piece, if it is there.
    pub(crate) fn find(&self, reader: &Reader<Vec<Bucket>>, piece: &[u32]) -> Option<u32> {
        // SAFETY: the name is in the index.
        let same = |name| unsafe { self.known(name as u32) } == piece;
        let name = self.index.find(reader, hash::words(piece), same)?;
        Some(name as u32)
    }

    /// How many pieces there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        self.slabs.iter().map(Slab::len).sum()
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slab_bytes.load(Ordering::Relaxed) + self.index.bytes() + (self.slabs.len() * size_of::<Slab>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epochs::Epochs;

    #[test]
    fn pieces_of_zeros_differ_by_length() {
        let old = Epochs::new();
        let (pieces, reader) = (Pieces::new(Index::new(&old, 0)), old.reader());
        let zeros = [0; LONGEST];
        let mut names = Vec::new();
        for length in 1..=LONGEST {
            assert_eq!(pieces.find(&reader, &zeros[..length]), None);
            names.extend(pieces.intern(&reader, &zeros[..length]));
        }
        for (position, &name) in names.iter().enumerate() {
            // SAFETY: the name was just given.
            assert_eq!(unsafe { pieces.known(name) }, &zeros[..=position]);
            assert_eq!(pieces.intern(&reader, &zeros[..=position]), Some(name));
            assert_eq!(pieces.find(&reader, &zeros[..=position]), Some(name));
            assert!(name < NAMES);
        }
        assert_eq!((names.len(), pieces.len()), (LONGEST, LONGEST as u64));
    }
}
