//! How an explorer gets at the lossless table: it remembers its last vector, and looks up only what differs from that.

use crate::epochs::Reader;
use crate::exact::Exact;
use crate::fold::{Fold, TOP, join};
use crate::hash;
use crate::index::Bucket;
use crate::names::{Names, Nodes, UNKNOWN};
use crate::recent::Recent;
use crate::section::Section;
use crate::{Inserter, Seen, StateId};
use kernel::StateVector;

/// How many states the small memory has room for.
const MEMO: usize = 1 << 12;

/// A state that was met lately, and its number.
#[derive(Clone, Copy, Default)]
struct Memo {
    root: [u32; TOP],
    id: Option<StateId>,
}

/// Enters states into an [`Exact`] table. It is fastest if each vector differs in few sections from the one before it, and in few
/// chunks of these.
pub struct Cursor<'t> {
    table: &'t Exact,
    reader: Reader<Vec<Bucket>>,
    /// For each section of a vector, the last one in its place that was no recent one.
    sections: Vec<Section>,
    fold: Fold,
    /// The version of each section in `fold`; 0 if it has none, or no name.
    shown: Vec<u64>,
    recent: Recent,
    nodes: Nodes,
    changed: Vec<u32>,
    /// Three steps in five that lead to a known state lead to one that was met lately: each at a place given by its hash.
    met: Vec<Memo>,
}

impl<'t> Cursor<'t> {
    /// A cursor that has seen no vector.
    pub(crate) fn new(table: &'t Exact) -> Self {
        Self {
            table,
            reader: table.old.reader(),
            sections: Vec::new(),
            fold: Fold::default(),
            shown: Vec::new(),
            recent: Recent::new(),
            nodes: Nodes::new(),
            changed: Vec::new(),
            met: vec![Memo::default(); MEMO],
        }
    }

    /// What a vector folds into; `None` if there is no room left for what it is made of.
    fn root<const ENTERS: bool>(&mut self, vector: &StateVector) -> Option<[u32; TOP]> {
        self.reader.pass();
        let root = self.fold_up::<ENTERS>(vector);
        if root.is_none() {
            self.forget();
        }
        root
    }

    fn fold_up<const ENTERS: bool>(&mut self, vector: &StateVector) -> Option<[u32; TOP]> {
        let before = self.fold.names().len();
        self.changed.clear();
        let count = vector.sections().len();
        if self.sections.len() < count {
            self.sections.resize_with(count, Section::default);
            self.shown.resize(count, 0);
        }
        let mut given = Names::<ENTERS> {
            table: self.table,
            reader: &self.reader,
            nodes: &mut self.nodes,
        };
        for (position, listed) in vector.sections().iter().enumerate() {
            let version = listed.version();
            if version != 0 && version == self.shown[position] && position < before {
                continue;
            }
            let (words, ends) = (listed.words(), listed.ends());
            let section = &mut self.sections[position];
            if count == 1 {
                // The section is the state.
                self.fold = Fold::default();
                return section.rewrite(words, ends, &mut given);
            }
            let name = match self.recent.by_version(version) {
                Some(name) => name,
                None => {
                    let name = self.recent.by_words(words, || {
                        let top = section.rewrite(words, ends, &mut given)?;
                        join(top, &mut given)
                    })?;
                    self.recent.note_version(version, name);
                    name
                }
            };
            self.shown[position] = if name == UNKNOWN { 0 } else { version };
            if put(self.fold.names_mut(), position, name, before) {
                self.changed.push(position as u32);
            }
        }
        self.fold.names_mut().truncate(count);
        self.fold.fold(&mut self.changed, before, &mut given)
    }

    /// Forgets the last vector, of which what is kept may be half done.
    pub(crate) fn forget(&mut self) {
        self.sections.clear();
        self.shown.clear();
        self.recent = Recent::new();
        self.fold = Fold::default();
    }
}

/// Puts the name of a section into the row of them, which had so many names before; whether that changes the row.
fn put(names: &mut Vec<u32>, position: usize, name: u32, before: usize) -> bool {
    if position >= names.len() {
        names.push(name);
        return true;
    }
    let is_other = position >= before || names[position] != name;
    names[position] = name;
    is_other
}

impl Inserter for Cursor<'_> {
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        let root = self.root::<true>(vector)?;
        let hash = hash::four(root);
        let memo = &mut self.met[(hash >> 32) as usize % MEMO];
        if memo.root == root && memo.id.is_some() {
            return Some(Seen {
                id: memo.id,
                new: false,
            });
        }
        let entered = self.table.roots.intern(&self.reader, root, hash::four)?;
        let id = Some(StateId::new(entered.number));
        *memo = Memo { root, id };
        Some(Seen { id, new: entered.new })
    }

    fn find(&mut self, vector: &StateVector) -> Option<StateId> {
        let root = self.root::<false>(vector)?;
        if root.contains(&UNKNOWN) {
            return None;
        }
        let hash = hash::four(root);
        let memo = &mut self.met[(hash >> 32) as usize % MEMO];
        if memo.root == root && memo.id.is_some() {
            return memo.id;
        }
        let id = Some(StateId::new(self.table.roots.find(&self.reader, root, hash)?));
        *memo = Memo { root, id };
        id
    }

    fn bytes(&self) -> u64 {
        let sections: u64 = self.sections.iter().map(Section::bytes).sum();
        self.fold.bytes()
            + sections
            + self.recent.bytes()
            + self.nodes.bytes()
            + (self.met.capacity() * size_of::<Memo>()) as u64
            + (self.sections.capacity() * (size_of::<Section>() + size_of::<u64>())) as u64
            + size_of::<Self>() as u64
    }
}
