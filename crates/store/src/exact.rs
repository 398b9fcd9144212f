//! The lossless store.
//!
//! A vector is cut into pieces, each kept once. Trees of pairs, each kept once, fold the pieces of every section, and then the
//! sections; the four topmost names stand for the state and are entered in a table of their own, whose numbers are those of
//! the states. A new state costs these, 16 bytes, their share of an index, and the few pieces and pairs that were never seen
//! before. (Two topmost names would take 8 bytes, but many more pairs, and more lookups for each state.)

use crate::fold::{Fold, TOP, join, unfold};
use crate::index::Index;
use crate::nodes::{NODES, Nodes};
use crate::pieces::Pieces;
use crate::recent::Recent;
use crate::roots::Roots;
use crate::section::Section;
use crate::{Seen, Visited};
use kernel::StateVector;

/// Keeps all states, compressed, and takes no two for one.
///
/// It is fastest if each vector differs in few sections from the one inserted before it, and in few chunks of these.
///
/// Equal words are found again only if they come in equal chunks and sections.
// SOUNDNESS: two states get one number only if their words are equal. Names of pieces and of pairs are given after
// comparing in full, never by hash; names of the two never meet; so the topmost names determine the pieces, their order
// and their lengths.
pub struct Exact {
    pieces: Pieces,
    inner: Nodes,
    roots: Roots,
    /// For each section of a vector, the last one in its place that was no recent one.
    sections: Vec<Section>,
    fold: Fold,
    /// The version of each section in `fold`.
    shown: Vec<u64>,
    recent: Recent,
    changed: Vec<u32>,
}

impl Exact {
    /// A store without states.
    pub fn new() -> Self {
        Self::with_index(Index::new)
    }

    fn with_index(index: impl Fn() -> Index) -> Self {
        Self {
            pieces: Pieces::new(index()),
            inner: Nodes::new(NODES, index()),
            roots: Roots::new(index()),
            sections: Vec::new(),
            fold: Fold::default(),
            shown: Vec::new(),
            recent: Recent::new(),
            changed: Vec::new(),
        }
    }

    /// What a vector folds into; `None` if there is no room left for what it is made of.
    fn root(&mut self, vector: &StateVector) -> Option<[u32; TOP]> {
        let root = self.fold_up(vector);
        if root.is_none() {
            self.forget();
        }
        root
    }

    fn fold_up(&mut self, vector: &StateVector) -> Option<[u32; TOP]> {
        let before = self.fold.names().len();
        self.changed.clear();
        let count = vector.sections().len();
        if self.sections.len() < count {
            self.sections.resize_with(count, Section::default);
            self.shown.resize(count, 0);
        }
        for (position, listed) in vector.sections().iter().enumerate() {
            let version = listed.version();
            if version != 0 && version == self.shown[position] && position < before {
                continue;
            }
            let (words, ends) = (listed.words(), listed.ends());
            let section = &mut self.sections[position];
            let (pieces, inner) = (&mut self.pieces, &mut self.inner);
            if count == 1 {
                // The section is the state.
                self.fold = Fold::default();
                return section.rewrite(words, ends, pieces, inner);
            }
            let name = match self.recent.by_version(version) {
                Some(name) => name,
                None => {
                    let name = self.recent.by_words(words, || {
                        let top = section.rewrite(words, ends, pieces, inner)?;
                        join(top, inner)
                    })?;
                    self.recent.note_version(version, name);
                    name
                }
            };
            self.shown[position] = version;
            self.note(position, name, before);
        }
        self.fold.names_mut().truncate(count);
        self.fold.fold(&mut self.changed, before, &mut self.inner)
    }

    /// Forgets the last vector, of which what is kept may be half done.
    fn forget(&mut self) {
        self.sections.clear();
        self.shown.clear();
        self.recent = Recent::new();
        self.fold = Fold::default();
    }

    /// Puts the name of a section into the row of them.
    fn note(&mut self, position: usize, name: u32, before: usize) {
        let names = self.fold.names_mut();
        if position >= names.len() {
            names.push(name);
        } else if position >= before || names[position] != name {
            names[position] = name;
        } else {
            return;
        }
        self.changed.push(position as u32);
    }
}

impl Default for Exact {
    fn default() -> Self {
        Self::new()
    }
}

impl Visited for Exact {
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        let root = self.root(vector)?;
        self.roots.intern(root)
    }

    fn find(&mut self, vector: &StateVector) -> Option<u32> {
        let root = self.root(vector)?;
        self.roots.find(root)
    }

    fn get(&self, id: u32, out: &mut Vec<u32>) -> bool {
        if id >= self.roots.len() {
            return false;
        }
        for name in self.roots.get(id) {
            unfold(name, &self.inner, &mut |piece| {
                out.extend_from_slice(self.pieces.get(piece))
            });
        }
        true
    }

    fn len(&self) -> u64 {
        u64::from(self.roots.len())
    }

    fn clear(&mut self) {
        *self = Exact::new();
    }

    fn bytes(&self) -> u64 {
        let sections: u64 = self.sections.iter().map(Section::bytes).sum();
        self.pieces.bytes()
            + self.inner.bytes()
            + self.roots.bytes()
            + self.fold.bytes()
            + sections
            + self.recent.bytes()
            + (self.sections.capacity() * (size_of::<Section>() + size_of::<u64>())) as u64
            + size_of::<Self>() as u64
    }

    fn collision_probability(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests;
