//! The lossless store.
//!
//! A vector is cut into pieces, each kept once. Trees of pairs, each kept once, fold the pieces of every section, and then the
//! sections; the topmost pair stands for the state and is entered in a table of its own, whose numbers are those of the
//! states. A new state costs its topmost pair, 8 bytes, the pair's share of an index, and the few pieces and pairs that were
//! never seen before.

use crate::fold::{Fold, unfold};
use crate::index::Index;
use crate::nodes::{NODES, NOTHING, Nodes};
use crate::pairs::Pairs;
use crate::pieces::Pieces;
use crate::section::Section;
use crate::{Seen, Visited};
use kernel::Vector;

/// Keeps all states, compressed, and takes no two for one.
///
/// It is fastest if each vector differs in few sections from the one inserted before it, and in few chunks of these.
///
/// Equal words are found again only if they come in equal chunks and sections.
// SOUNDNESS: two states get one number only if their words are equal. Names of pieces and of pairs are given after
// comparing in full, never by hash; names of the two never meet; so a topmost pair determines its pieces, their order
// and their lengths.
pub struct Exact {
    pieces: Pieces,
    inner: Nodes,
    roots: Pairs,
    /// The vector that was inserted last.
    sections: Vec<Section>,
    fold: Fold,
    /// The version of each section in `fold`, and some recent ones with their names: where a search goes back and forth, the
    /// same come again.
    shown: Vec<u64>,
    recent: Vec<Recent>,
    changed: Vec<u32>,
}

/// Versions of one section with their names.
#[derive(Clone, Copy, Default)]
struct Recent {
    entries: [(u64, u32); RECENT],
    next: usize,
}

const RECENT: usize = 4;

impl Recent {
    fn find(&self, version: u64) -> Option<u32> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.0 == version).map(|entry| entry.1)
    }

    fn push(&mut self, version: u64, name: u32) {
        self.entries[self.next] = (version, name);
        self.next = (self.next + 1) % RECENT;
    }
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
            roots: Pairs::new(u32::MAX, index()),
            sections: Vec::new(),
            fold: Fold::default(),
            shown: Vec::new(),
            recent: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn enter(&mut self, vector: &Vector) -> Option<Seen> {
        let before = self.fold.names().len();
        self.changed.clear();
        let (words, ends) = (vector.words(), vector.ends());
        let listed = vector.sections();
        let in_sections = match listed.last().map_or(0, |section| section.end as usize) {
            0 => 0,
            chunks => ends[chunks - 1] as usize,
        };
        let count = listed.len() + usize::from(in_sections < words.len());
        if self.sections.len() < count {
            self.sections.resize_with(count, Section::default);
            self.shown.resize(count, 0);
            self.recent.resize_with(count, Recent::default);
        }
        let (mut chunk, mut word) = (0, 0);
        for position in 0..count {
            // Words that no section has are one more, whose last chunk may not have been ended.
            let (last_chunk, end, version) = match listed.get(position) {
                Some(section) if section.end == 0 => (0, 0, section.version),
                Some(section) => (
                    section.end as usize,
                    ends[section.end as usize - 1] as usize,
                    section.version,
                ),
                None => (ends.len(), words.len(), 0),
            };
            if version == 0 || version != self.shown[position] || position >= before {
                let known = if version == 0 || count == 1 {
                    None
                } else {
                    self.recent[position].find(version)
                };
                let name = match known {
                    Some(name) => name,
                    None => {
                        let (part, cuts) = (&words[word..end], &ends[chunk..last_chunk]);
                        let section = &mut self.sections[position];
                        let halves = section.rewrite(part, cuts, word as u32, &mut self.pieces, &mut self.inner)?;
                        if count == 1 {
                            // The section is the state.
                            self.fold = Fold::default();
                            return self.roots.intern(halves);
                        }
                        let name = match halves {
                            [one, NOTHING] => one,
                            both => self.inner.name(both)?,
                        };
                        self.recent[position].push(version, name);
                        name
                    }
                };
                self.shown[position] = version;
                self.note(position, name, before);
            }
            (chunk, word) = (last_chunk, end);
        }
        self.fold.names_mut().truncate(count);
        let root = self.fold.fold(&self.changed, before, &mut self.inner)?;
        self.roots.intern(root)
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
    fn insert(&mut self, vector: &Vector) -> Option<Seen> {
        let seen = self.enter(vector);
        if seen.is_none() {
            // What is kept of the last vector may be half done.
            self.sections.clear();
            self.shown.clear();
            self.recent.clear();
            self.fold = Fold::default();
        }
        seen
    }

    fn get(&self, id: u32, out: &mut Vec<u32>) -> bool {
        if id >= self.roots.len() {
            return false;
        }
        for half in self.roots.get(id) {
            unfold(half, &self.inner, &mut |piece| {
                out.extend_from_slice(self.pieces.get(piece))
            });
        }
        true
    }

    fn len(&self) -> u64 {
        u64::from(self.roots.len())
    }

    fn bytes(&self) -> u64 {
        let sections: u64 = self.sections.iter().map(Section::bytes).sum();
        self.pieces.bytes()
            + self.inner.bytes()
            + self.roots.bytes()
            + self.fold.bytes()
            + sections
            + (self.sections.capacity() * (size_of::<Section>() + size_of::<Recent>() + size_of::<u64>())) as u64
            + size_of::<Self>() as u64
    }

    fn collision_probability(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests;
