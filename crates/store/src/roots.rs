//! What states fold into: four names each, kept once.

use crate::Seen;
use crate::fold::TOP;
use crate::hash;
use crate::index::Index;
use crate::slab::Slab;

/// How many states the small memory has room for.
const MEMO: usize = 1 << 12;

/// A number that no state has.
const NOBODY: u32 = u32::MAX;

/// Where the small memory has a state with this hash.
#[inline]
fn place(hash: u64) -> usize {
    (hash >> 32) as usize % MEMO
}

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
            memo: vec![
                Memo {
                    root: [0; TOP],
                    number: NOBODY
                };
                MEMO
            ],
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
        if let Some(id) = self.remembered(root, hash) {
            return Some(Seen { id, new: false });
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
        self.remember(root, hash, seen.id);
        Some(seen)
    }

    /// The number of a state, if it is there.
    pub(crate) fn find(&mut self, root: [u32; TOP]) -> Option<u32> {
        let hash = hash::four(root);
        if let known @ Some(_) = self.remembered(root, hash) {
            return known;
        }
        let same = |number| *self.slab.array(number) == root;
        let number = self.index.find(hash, same)?;
        self.remember(root, hash, number);
        Some(number)
    }

    /// The number of a state that was met lately.
    #[inline]
    fn remembered(&self, root: [u32; TOP], hash: u64) -> Option<u32> {
        let memo = self.memo[place(hash)];
        (memo.root == root && memo.number != NOBODY).then_some(memo.number)
    }

    #[inline]
    fn remember(&mut self, root: [u32; TOP], hash: u64, number: u32) {
        self.memo[place(hash)] = Memo { root, number };
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slab.bytes() + self.index.bytes() + (self.memo.capacity() * size_of::<Memo>()) as u64
    }
}
