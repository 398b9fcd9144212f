//! Names of pieces and of pairs of names, which are the inner nodes of all trees.
//!
//! Names of nodes are above those of pieces, so a name says what it stands for.

use crate::epochs::Reader;
use crate::exact::Exact;
use crate::hash;
use crate::index::Bucket;
use crate::pieces;

/// Stands for a half that is not there.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Stands for a piece or a node that has no name, and for any node above it.
pub(crate) const UNKNOWN: u32 = NOTHING - 1;

/// How many nodes can be named: names are above those of pieces and below [`UNKNOWN`].
pub(crate) const NODES: u32 = UNKNOWN - pieces::NAMES;

const MEMO: usize = 1 << 12;

/// A pair and its name.
#[derive(Clone, Copy)]
struct Memo {
    pair: [u32; 2],
    name: u32,
}

/// A small memory of recent nodes, each at a place given by its hash. The same few thousand are asked for again and again, and
/// it stays in the processor's cache.
pub(crate) struct Nodes(Vec<Memo>);

impl Nodes {
    /// A memory of nothing.
    pub(crate) fn new() -> Self {
        // No node is two times nothing.
        let empty = Memo {
            pair: [NOTHING; 2],
            name: NOTHING,
        };
        Self(vec![empty; MEMO])
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<Memo>()) as u64
    }
}

/// The names of a table: what has none is given one if `ENTERS`, and is [`UNKNOWN`] otherwise.
pub(crate) struct Names<'a, const ENTERS: bool> {
    pub table: &'a Exact,
    pub reader: &'a Reader<Vec<Bucket>>,
    pub nodes: &'a mut Nodes,
}

impl<const ENTERS: bool> Names<'_, ENTERS> {
    /// The name of a piece; `None` if there is no room for it.
    pub(crate) fn piece(&mut self, piece: &[u32]) -> Option<u32> {
        let pieces = &self.table.pieces;
        match ENTERS {
            true => pieces.intern(self.reader, piece),
            false => Some(pieces.find(self.reader, piece).unwrap_or(UNKNOWN)),
        }
    }

    /// The name of the node with the given halves; `None` if there is no room for it.
    #[inline]
    pub(crate) fn node(&mut self, pair: [u32; 2]) -> Option<u32> {
        let hash = hash::pair(pair);
        let memo = &mut self.nodes.0[(hash >> 32) as usize % MEMO];
        if memo.pair != pair {
            debug_assert!(!ENTERS || !pair.contains(&UNKNOWN));
            let pairs = &self.table.pairs;
            let number = match ENTERS {
                true => pairs.intern(self.reader, pair, hash::pair)?.number,
                false if pair.contains(&UNKNOWN) => return Some(UNKNOWN),
                false => match pairs.find(self.reader, pair, hash) {
                    Some(number) => number,
                    None => return Some(UNKNOWN),
                },
            };
            let name = pieces::NAMES + number as u32;
            *memo = Memo { pair, name };
        }
        Some(memo.name)
    }
}
