//! What states fold into: four names each, kept once.

use crate::Seen;
use crate::fold::TOP;
use crate::hash;
use crate::index::Index;
use crate::slab::Slab;

/// An interning table of states: 16 bytes a state, and the index.
pub(crate) struct Roots {
    slab: Slab,
    index: Index,
}

impl Roots {
    /// A table without states.
    pub(crate) fn new(index: Index) -> Self {
        Self {
            slab: Slab::new(TOP),
            index,
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
        let slab = &self.slab;
        let next = (slab.len() < u32::MAX).then_some(slab.len());
        let seen = self.index.enter(
            hash::four(root),
            next,
            |number| *slab.array(number) == root,
            |number| hash::four(*slab.array(number)),
        )?;
        if seen.new {
            self.slab.push(&root);
        }
        Some(seen)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.slab.bytes() + self.index.bytes()
    }
}
