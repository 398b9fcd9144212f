//! The last vector, a section at a time.

use crate::fold::{Fold, TOP};
use crate::names::{NOTHING, Names, UNKNOWN};

/// Chunks that are longer are cut.
const CUT: u32 = 16;

/// Sections up to this length are cut without regard to chunks: few are different.
pub(crate) const SHORT: usize = 128;

/// A section of the last vector, cut into pieces: its chunks, the long ones cut so that one changed word does not store all of
/// them anew.
#[derive(Default)]
pub(crate) struct Section {
    words: Vec<u32>,
    /// Where each piece ends.
    bounds: Vec<u32>,
    fold: Fold,
    /// Whether the name of some piece was not known.
    gaps: bool,
    changed: Vec<u32>,
    spare: Vec<u32>,
}

impl Section {
    /// Becomes the section with these words, whose chunks end at `ends`; what it folds into. `None` if there is no room left;
    /// the section is of no use then.
    pub(crate) fn rewrite<const ENTERS: bool>(
        &mut self,
        words: &[u32],
        ends: &[u32],
        given: &mut Names<'_, ENTERS>,
    ) -> Option<[u32; TOP]> {
        self.spare.clear();
        let mut at = 0;
        let short = words.len() <= SHORT;
        for &end in if short { &[] } else { ends } {
            self.cut_to(at, end);
            at = end;
        }
        if (at as usize) < words.len() {
            self.cut_to(at, words.len() as u32);
        }
        let before = self.bounds.len();
        self.changed.clear();
        let names = self.fold.names_mut();
        names.resize(self.spare.len(), NOTHING);
        let (mut from, mut old_from) = (0, 0);
        let had_gaps = std::mem::take(&mut self.gaps);
        for (position, &end) in self.spare.iter().enumerate() {
            let old_end = self.bounds.get(position).copied().unwrap_or(old_from);
            let piece = &words[from as usize..end as usize];
            if position >= before
                || self.words[old_from as usize..old_end as usize] != *piece
                || had_gaps && names[position] == UNKNOWN
            {
                let name = given.piece(piece)?;
                self.gaps |= !ENTERS && name == UNKNOWN;
                names[position] = name;
                self.changed.push(position as u32);
            }
            (from, old_from) = (end, old_end);
        }
        std::mem::swap(&mut self.bounds, &mut self.spare);
        self.words.clear();
        self.words.extend_from_slice(words);
        self.fold.fold(&mut self.changed, before, given)
    }

    fn cut_to(&mut self, mut at: u32, end: u32) {
        while end - at > CUT {
            at += CUT;
            self.spare.push(at);
        }
        if end > at {
            self.spare.push(end);
        }
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.words.capacity() + self.bounds.capacity() + self.changed.capacity() + self.spare.capacity();
        (words * size_of::<u32>()) as u64 + self.fold.bytes()
    }
}
