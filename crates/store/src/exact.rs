//! The lossless table.
//!
//! A vector is cut into pieces, each kept once. Trees of pairs, each kept once, fold the pieces of every section, and then the
//! sections; the four topmost names stand for the state and are entered in a table of their own, whose numbers are those of
//! the states. A new state costs these, 16 bytes, their share of an index, and the few pieces and pairs that were never seen
//! before. (Two topmost names would take 8 bytes, but many more pairs, and more lookups for each state.)
//!
//! What is remembered of the last vector is the cursor's ([`crate::Cursor`]): every explorer has one of its own.

use crate::arrays::Arrays;
use crate::cursor::Cursor;
use crate::epochs::Epochs;
use crate::fold::TOP;
use crate::index::{Bucket, Index, NUMBERS, Old};
use crate::names::{NODES, NOTHING};
use crate::pieces::{self, Pieces};
use crate::{Inserter, StateId, StateTable};
use std::sync::Arc;

/// Keeps all states, compressed, and takes no two for one.
///
/// Equal words are found again only if they come in equal chunks and sections.
// SOUNDNESS: two states get one number only if their words are equal. Names of pieces and of pairs are given after
// comparing in full, never by hash; names of the two never meet; so the topmost names determine the pieces, their order
// and their lengths.
pub struct Exact {
    pub(crate) pieces: Pieces,
    pub(crate) pairs: Arrays<2>,
    pub(crate) roots: Arrays<TOP>,
    pub(crate) old: Arc<Old>,
}

impl Exact {
    /// A table without states.
    pub fn new() -> Self {
        Self::with(u64::MAX, NODES)
    }

    /// One that looks at some bits of hashes only, and has room for some nodes only.
    fn with(mask: u64, nodes: u32) -> Self {
        let old = Epochs::new();
        let index = || Index::new(&old, mask);
        Self {
            pieces: Pieces::new(index()),
            pairs: Arrays::new(nodes.into(), index()),
            roots: Arrays::new(NUMBERS, index()),
            old,
        }
    }

    /// A cursor of its own for an explorer.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self)
    }

    /// Appends the words of all pieces below a name.
    ///
    /// # Safety
    /// The name is one of a state in the table, or of a node in it, or [`NOTHING`]; and its entering happened before.
    unsafe fn unfold(&self, name: u32, out: &mut Vec<u32>) {
        if name == NOTHING {
            return;
        }
        match name.checked_sub(pieces::NAMES) {
            // SAFETY: the name is one of a piece.
            None => out.extend_from_slice(unsafe { self.pieces.known(name) }),
            Some(number) => {
                // SAFETY: the name is one of a node. The names of its halves were given before it was.
                for half in unsafe { self.pairs.known(number.into()) } {
                    // SAFETY: as above.
                    unsafe { self.unfold(half, out) };
                }
            }
        }
    }
}

impl Default for Exact {
    fn default() -> Self {
        Self::new()
    }
}

impl StateTable for Exact {
    fn inserter(&self) -> Box<dyn Inserter + '_> {
        Box::new(self.cursor())
    }

    fn get(&self, id: StateId, out: &mut Vec<u32>) -> bool {
        let root = self.roots.get(id.number());
        for name in root.into_iter().flatten() {
            // SAFETY: names are given before a state that has them is entered.
            unsafe { self.unfold(name, out) };
        }
        root.is_some()
    }

    fn len(&self) -> u64 {
        self.roots.len()
    }

    fn clear(&mut self) {
        *self = Exact::new();
    }

    fn bytes(&self) -> u64 {
        let old = self.old.sum(|buckets| (buckets.len() * size_of::<Bucket>()) as u64);
        self.pieces.bytes() + self.pairs.bytes() + self.roots.bytes() + old + size_of::<Self>() as u64
    }

    fn collision_probability(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests;
