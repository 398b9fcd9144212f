//! Sections that came lately, with their names: most come again soon.

use crate::hash;
use crate::names::UNKNOWN;
use crate::section::SHORT;

const VERSIONS: usize = 1 << 10;
const SECTIONS: usize = 1 << 9;

/// A small memory, each entry at a place given by its version or its hash.
pub(crate) struct Recent {
    versions: Vec<(u64, u32)>,
    sections: Vec<Known>,
    /// The words that all sections have room for.
    room: usize,
}

/// A short section and its name.
#[derive(Clone, Default)]
struct Known {
    words: Vec<u32>,
    name: u32,
}

impl Recent {
    /// A memory of nothing.
    pub(crate) fn new() -> Self {
        Self {
            versions: vec![(0, 0); VERSIONS],
            sections: vec![Known::default(); SECTIONS],
            room: 0,
        }
    }

    /// The name of the section with this version.
    #[inline]
    pub(crate) fn by_version(&self, version: u64) -> Option<u32> {
        let (known, name) = self.versions[version as usize % VERSIONS];
        (version != 0 && known == version).then_some(name)
    }

    /// Remembers the name of the section with this version, if it is known.
    #[inline]
    pub(crate) fn note_version(&mut self, version: u64, name: u32) {
        if name != UNKNOWN {
            self.versions[version as usize % VERSIONS] = (version, name);
        }
    }

    /// The name of the section with these words, or what `name` gives it. Names of short sections must not depend on how
    /// they are cut.
    #[inline]
    pub(crate) fn by_words(&mut self, words: &[u32], name: impl FnOnce() -> Option<u32>) -> Option<u32> {
        if words.is_empty() || words.len() > SHORT {
            return name();
        }
        let known = &mut self.sections[(hash::words(words) >> 32) as usize % SECTIONS];
        if known.words != words {
            let name = name()?;
            if name == UNKNOWN {
                return Some(name);
            }
            known.name = name;
            self.room -= known.words.capacity();
            known.words.clear();
            known.words.reserve_exact(words.len());
            known.words.extend_from_slice(words);
            self.room += known.words.capacity();
        }
        Some(known.name)
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.versions.capacity() * size_of::<(u64, u32)>()
            + self.sections.capacity() * size_of::<Known>()
            + self.room * size_of::<u32>()) as u64
    }
}
