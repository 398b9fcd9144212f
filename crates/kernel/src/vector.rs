//! A state, written down.

/// The words of a state, in chunks, and these in sections. Equal words mean equal states; the rest is a hint for whoever
/// stores many: a step changes few chunks, and leaves most sections as they were.
#[derive(Clone, Debug, Default)]
pub struct Vector {
    words: Vec<u32>,
    ends: Vec<u32>,
    sections: Vec<Section>,
}

impl PartialEq for Vector {
    fn eq(&self, other: &Vector) -> bool {
        self.words == other.words
    }
}

impl Eq for Vector {}

/// A row of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// How many chunks there are up to its end.
    pub end: u32,
    /// Two sections with the same version, other than 0, in vectors of the same system have the same words and chunks.
    pub version: u64,
}

impl Vector {
    /// Forgets all words and keeps the room for them.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.sections.clear();
    }

    /// Appends a word to the chunk that is being written.
    #[inline]
    pub fn push(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Appends words to the chunk that is being written.
    #[inline]
    pub fn extend(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    /// Ends the chunk that is being written, if it has any words.
    #[inline]
    pub fn end_chunk(&mut self) {
        let end = self.words.len() as u32;
        if self.ends.last().copied().unwrap_or(0) < end {
            self.ends.push(end);
        }
    }

    /// Ends the chunk and the section that are being written.
    pub fn end_section(&mut self, version: u64) {
        self.end_chunk();
        let end = self.ends.len() as u32;
        self.sections.push(Section { end, version });
    }

    /// Appends a section that is at hand in full: its words, and where its chunks end, counted from `base`.
    pub fn push_section(&mut self, words: &[u32], ends: &[u32], base: u32, version: u64) {
        self.end_chunk();
        let shift = (self.words.len() as u32).wrapping_sub(base);
        self.words.extend_from_slice(words);
        self.ends.extend(ends.iter().map(|end| end.wrapping_add(shift)));
        self.end_section(version);
    }

    /// The sections in order. Chunks after the last one belong to none.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// All words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The word at a position, to be filled in later.
    pub fn word_mut(&mut self, position: usize) -> &mut u32 {
        &mut self.words[position]
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Where each chunk ends. Words after the last end belong to no chunk: end the last one before asking.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The chunks in order.
    pub fn chunks(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let chunk = &self.words[start..end as usize];
            start = end as usize;
            chunk
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_the_words_between_ends() {
        let mut vector = Vector::default();
        vector.end_chunk();
        vector.extend(&[1, 2]);
        vector.end_chunk();
        vector.end_chunk();
        vector.push(3);
        vector.end_chunk();
        assert_eq!(vector.chunks().collect::<Vec<_>>(), [&[1, 2][..], &[3]]);
        assert_eq!(vector.words(), [1, 2, 3]);
    }
}
