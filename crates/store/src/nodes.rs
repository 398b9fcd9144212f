//! The inner nodes of all trees: pairs that have names.

use crate::hash;
use crate::index::Index;
use crate::pairs::Pairs;
use crate::pieces;

/// Stands for a half that is not there.
pub(crate) const NOTHING: u32 = u32::MAX;

/// How many nodes can be named: names are above those of pieces and below [`NOTHING`].
pub(crate) const NODES: u32 = NOTHING - pieces::NAMES;

const MEMO: usize = 1 << 12;

/// A pair and its name.
#[derive(Clone, Copy)]
struct Memo {
    pair: [u32; 2],
    name: u32,
}

/// An interning table of nodes. The same few thousand are asked for again and again, so it first looks into a small
/// memory of recent ones that stays in the processor's cache.
pub(crate) struct Nodes {
    pairs: Pairs,
    /// Each at a place given by its hash.
    memo: Vec<Memo>,
}

impl Nodes {
    /// A table for at most `limit` nodes, no more than [`NODES`].
    pub(crate) fn new(limit: u32, index: Index) -> Self {
        // No node is two times nothing.
        let empty = Memo {
            pair: [NOTHING; 2],
            name: NOTHING,
        };
        Self {
            pairs: Pairs::new(limit.min(NODES), index),
            memo: vec![empty; MEMO],
        }
    }

    /// The name of the node with the given halves; `None` if it is not there and the table is full.
    #[inline]
    pub(crate) fn name(&mut self, pair: [u32; 2]) -> Option<u32> {
        let hash = hash::pair(pair);
        let memo = &mut self.memo[(hash >> 32) as usize % MEMO];
        if memo.pair != pair {
            let name = pieces::NAMES + self.pairs.intern(pair, hash)?.id;
            *memo = Memo { pair, name };
        }
        Some(memo.name)
    }

    /// The halves of a node; `None` if the name is that of a piece, or [`NOTHING`].
    #[inline]
    pub(crate) fn halves(&self, name: u32) -> Option<[u32; 2]> {
        let number = name.checked_sub(pieces::NAMES)?;
        (name != NOTHING).then(|| self.pairs.get(number))
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.pairs.bytes() + (self.memo.capacity() * size_of::<Memo>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_keep_their_names_when_the_memory_forgets_them() {
        let mut nodes = Nodes::new(NODES, Index::new());
        let count = 3 * MEMO as u32;
        let names: Vec<_> = (0..count).filter_map(|number| nodes.name([number, 7])).collect();
        for number in 0..count {
            let name = names[number as usize];
            assert_eq!(nodes.name([number, 7]), Some(name));
            assert_eq!(nodes.halves(name), Some([number, 7]));
        }
        assert_eq!(nodes.halves(NOTHING), None);
        assert_eq!(nodes.halves(0), None);
    }
}
