//! What states fold into: four names each, kept once.

use crate::Seen;
use crate::fold::TOP;
use crate::hash;
use crate::index::Index;
use crate::slab::Slab;

/// How many states the small memory has room for.
const MEMO: usize = 1 << 12;

/// An interning table of states: 16 bytes a state, and the index. Three steps in five that lead to a known state lead to one that was met
/// lately, so it first looks into a small memory of these that stays in the processor's cache.
pub(crate) struct Roots {
    slab: Slab,
    index: Index,
    /// Each at a place given by its hash.
    memo: Vec<Memo>,
}

/// A state and its number.
#[derive(Clone, Copy)]
struct Memo {
    root: [u32; TOP],
    number: u32,
}

impl Roots {
    /// A table without states.
    pub(crate) fn new(index: Index) -> Self {
        Self {
            slab: Slab::new(TOP),
            index,
            memo: Vec::new(),
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> u32 {
        self.slab.len()
    }

    /// A state that was entered before.
    pub(crate) fn get(&self, number: u32) -> [u32; TOP] {
        *self.slab.array(number)
    }

    /// The number of a state; `None` if it is not there and the table is full.
    pub(crate) fn intern(&mut self, root: [u32; TOP]) -> Option<Seen> {
        let hash = hash::four(root);
        if self.memo.is_empty() {
            // No state has this number.
            let empty = Memo { root, number: u32::MAX };
            self.memo.resize(MEMO, empty);
        }
        let memo = &mut self.memo[(hash >> 32) as usize % MEMO];
        if memo.root == root && memo.number != u32::MAX {
            let (id, new) = (memo.number, false);
            return Some(Seen { id, new });
        }
        let slab = &self.slab;
        let next = (slab.len() < u32::MAX).then_some(slab.len());
        let seen = self.index.enter(
            hash,
            next,
            |number| *slab.array(number) == root,
            |number| hash::four(*slab.array(number)),
        )?;
        if seen.new {
            self.slab.push(&root);
        }
        *memo = Memo { root, number: seen.id };
        Some(seen)
    }

    /// The number of a state, if it is there.
    pub(crate) fn find(&self, root: [u32; TOP]) -> Option<u32> {
        let same = |number| *self.slab.array(number) == root;
        self.index.find(hash::four(root), same)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slab.bytes() + self.index.bytes() + (self.memo.capacity() * size_of::<Memo>()) as u64
    }
}
