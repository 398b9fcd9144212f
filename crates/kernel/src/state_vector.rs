//! A state, written down.

/// The words of a state, in chunks, and these in sections. Equal words mean equal states; the rest is a hint for whoever
/// stores many: a step changes few chunks, and leaves most sections as they were.
///
/// What is written after [`StateVector::clear`] goes where the last state was, and a section that was there already stays. So does the
/// one that was there before it: steps are taken back, and then it comes again.
#[derive(Clone, Debug, Default)]
pub struct StateVector {
    /// The sections of this state, then what is left of those before it.
    sections: Vec<Section>,
    /// What was last in the place of each.
    before: Vec<Section>,
    filled: usize,
    /// Whether the last section is still being written.
    open: bool,
}

impl PartialEq for StateVector {
    fn eq(&self, other: &StateVector) -> bool {
        self.words() == other.words()
    }
}

impl Eq for StateVector {}

/// A row of chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    words: Vec<u32>,
    ends: Vec<u32>,
    version: u64,
}

impl Section {
    /// Its words.
    #[inline]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Where each of its chunks ends. Words after the last end belong to no chunk: end the last one before asking.
    #[inline]
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Two sections with the same version, other than 0, have the same words and chunks, whichever system of this process wrote them:
    /// versions come from [`crate::Versions`].
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    fn end_chunk(&mut self) {
        let end = self.words.len() as u32;
        if self.ends.last().copied().unwrap_or(0) < end {
            self.ends.push(end);
        }
    }
}

impl StateVector {
    /// Forgets all words and keeps the room for them.
    pub fn clear(&mut self) {
        self.filled = 0;
        self.open = false;
    }

    /// The section that is being written.
    #[inline]
    fn opened(&mut self) -> &mut Section {
        if !self.open {
            self.open = true;
            let section = self.next();
            section.words.clear();
            section.ends.clear();
            section.version = 0;
        }
        &mut self.sections[self.filled - 1]
    }

    /// One more section, to be written over.
    #[inline]
    fn next(&mut self) -> &mut Section {
        let at = self.filled;
        self.filled += 1;
        if at == self.sections.len() {
            self.sections.push(Section::default());
            self.before.push(Section::default());
        }
        std::mem::swap(&mut self.sections[at], &mut self.before[at]);
        &mut self.sections[at]
    }

    /// Appends a word to the chunk that is being written.
    #[inline]
    pub fn push(&mut self, word: u32) {
        self.opened().words.push(word);
    }

    /// Appends words to the chunk that is being written.
    #[inline]
    pub fn extend(&mut self, words: &[u32]) {
        self.opened().words.extend_from_slice(words);
    }

    /// Ends the chunk that is being written, if it has any words.
    #[inline]
    pub fn end_chunk(&mut self) {
        if self.open {
            self.opened().end_chunk();
        }
    }

    /// Ends the chunk and the section that are being written.
    pub fn end_section(&mut self, version: u64) {
        let section = self.opened();
        section.end_chunk();
        section.version = version;
        self.open = false;
    }

    /// Appends the section with this version, if it was lately in this place; whether it was.
    #[inline]
    pub fn keep_section(&mut self, version: u64) -> bool {
        let at = self.filled;
        if self.open || version == 0 || at == self.sections.len() {
            return false;
        }
        let (last, before) = (&mut self.sections[at], &mut self.before[at]);
        if last.version != version {
            if before.version != version {
                return false;
            }
            std::mem::swap(last, before);
        }
        self.filled += 1;
        true
    }

    /// Appends a section that is at hand in full: its words, and where its chunks end, counted from `base`. The last one ends
    /// with the words.
    pub fn push_section(&mut self, words: &[u32], ends: &[u32], base: u32, version: u64) {
        debug_assert_eq!(ends.last().map_or(0, |end| (end - base) as usize), words.len());
        self.end_chunk();
        self.open = false;
        let section = self.next();
        section.version = version;
        section.words.clear();
        section.words.extend_from_slice(words);
        section.ends.clear();
        section.ends.extend(ends.iter().map(|end| end - base));
    }

    /// The sections in order. Words that were put into none are one as well, without a version.
    #[inline]
    pub fn sections(&self) -> &[Section] {
        &self.sections[..self.filled]
    }

    /// All words in a row.
    pub fn words(&self) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.len());
        self.copy_words(&mut words);
        words
    }

    /// Appends all words to `out`.
    pub fn copy_words(&self, out: &mut Vec<u32>) {
        for section in self.sections() {
            out.extend_from_slice(&section.words);
        }
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.sections().iter().map(|section| section.words.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where each chunk ends in the row of all words.
    pub fn ends(&self) -> Vec<u32> {
        let mut start = 0;
        let mut ends = Vec::new();
        for section in self.sections() {
            ends.extend(section.ends.iter().map(|end| start + end));
            start += section.words.len() as u32;
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_the_words_between_ends() {
        let mut vector = StateVector::default();
        vector.end_chunk();
        vector.extend(&[1, 2]);
        vector.end_chunk();
        vector.end_chunk();
        vector.push(3);
        vector.end_chunk();
        assert_eq!(vector.ends(), [2, 3]);
        assert_eq!(vector.words(), [1, 2, 3]);
    }

    /// Vectors that are written over one another are what they would be from scratch.
    #[test]
    fn what_was_there_before_does_not_show() {
        let sections: [&[&[u32]]; 6] = [
            &[&[1, 2], &[3]],
            &[&[4]],
            &[],
            &[&[5, 6], &[7]],
            &[&[8, 9, 10]],
            &[&[11]],
        ];
        let write = |vector: &mut StateVector, chosen: &[usize]| {
            for &number in chosen {
                let words = sections[number].concat();
                let ends = sections[number].iter().scan(100, |end, chunk| {
                    *end += chunk.len() as u32;
                    Some(*end)
                });
                // Two of them have no version.
                let version = [1, 2, 3, 0, 5, 0][number];
                if !vector.keep_section(version) {
                    vector.push_section(&words, &ends.collect::<Vec<_>>(), 100, version);
                }
            }
        };
        let mut reused = StateVector::default();
        for round in 0..6_usize.pow(5) {
            let chosen = [round % 6, round / 6 % 6, round / 36 % 6, round / 216 % 6, round / 1296];
            let chosen = &chosen[..5 - round % 3];
            let mut fresh = StateVector::default();
            write(&mut fresh, chosen);
            reused.clear();
            write(&mut reused, chosen);
            if round % 7 == 0 {
                fresh.push(12);
                reused.push(12);
            }
            assert_eq!(reused, fresh);
            assert_eq!((reused.ends(), reused.sections()), (fresh.ends(), fresh.sections()));
        }
    }
}
