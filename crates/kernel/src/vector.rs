//! A state, written down.

/// The words of a state, in chunks, and these in sections. Equal words mean equal states; the rest is a hint for whoever
/// stores many: a step changes few chunks, and leaves most sections as they were.
///
/// What is written after [`Vector::clear`] goes where the last state was, and a section that was there already stays.
#[derive(Clone, Debug, Default)]
pub struct Vector {
    words: Vec<u32>,
    ends: Vec<u32>,
    sections: Vec<Section>,
    /// How much of each belongs to this state. What comes after it is the last state's, and begins where it began there.
    filled: Filled,
}

#[derive(Clone, Copy, Debug, Default)]
struct Filled {
    words: usize,
    ends: usize,
    sections: usize,
}

impl PartialEq for Vector {
    fn eq(&self, other: &Vector) -> bool {
        self.words() == other.words()
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
        self.filled = Filled::default();
    }

    /// Drops what is left of the last state.
    fn cut(&mut self) {
        self.words.truncate(self.filled.words);
        self.ends.truncate(self.filled.ends);
        self.sections.truncate(self.filled.sections);
    }

    /// Appends a word to the chunk that is being written.
    #[inline]
    pub fn push(&mut self, word: u32) {
        self.extend(&[word]);
    }

    /// Appends words to the chunk that is being written.
    #[inline]
    pub fn extend(&mut self, words: &[u32]) {
        self.cut();
        self.words.extend_from_slice(words);
        self.filled.words = self.words.len();
    }

    /// Ends the chunk that is being written, if it has any words.
    #[inline]
    pub fn end_chunk(&mut self) {
        let end = self.filled.words as u32;
        if self.ends().last().copied().unwrap_or(0) < end {
            self.cut();
            self.ends.push(end);
            self.filled.ends += 1;
        }
    }

    /// Ends the chunk and the section that are being written.
    pub fn end_section(&mut self, version: u64) {
        self.end_chunk();
        self.cut();
        let end = self.filled.ends as u32;
        self.sections.push(Section { end, version });
        self.filled.sections += 1;
    }

    /// Appends a section that is at hand in full: its words, and where its chunks end, counted from `base`. The last one ends
    /// with the words.
    #[inline]
    pub fn push_section(&mut self, words: &[u32], ends: &[u32], base: u32, version: u64) {
        debug_assert_eq!(ends.last().map_or(0, |end| (end - base) as usize), words.len());
        self.end_chunk();
        match self.sections.get(self.filled.sections) {
            Some(was) if version != 0 && was.version == version => {
                self.filled.words += words.len();
                self.filled.ends += ends.len();
                self.filled.sections += 1;
            }
            _ => self.write_section(words, ends, base, version),
        }
    }

    fn write_section(&mut self, words: &[u32], ends: &[u32], base: u32, version: u64) {
        let start = self.filled;
        let end = Filled {
            words: start.words + words.len(),
            ends: start.ends + ends.len(),
            sections: start.sections + 1,
        };
        let section = Section {
            end: end.ends as u32,
            version,
        };
        match self.sections.get_mut(start.sections) {
            Some(was) if was.end == section.end && self.ends[..end.ends].last() == Some(&(end.words as u32)) => {
                *was = section;
                self.words[start.words..end.words].copy_from_slice(words);
                let places = self.ends[start.ends..end.ends].iter_mut();
                places
                    .zip(ends)
                    .for_each(|(place, end)| *place = end - base + start.words as u32);
            }
            _ => {
                self.cut();
                self.words.extend_from_slice(words);
                self.ends.extend(ends.iter().map(|end| end - base + start.words as u32));
                self.sections.push(section);
            }
        }
        self.filled = end;
    }

    /// The sections in order. Chunks after the last one belong to none.
    pub fn sections(&self) -> &[Section] {
        &self.sections[..self.filled.sections]
    }

    /// All words.
    pub fn words(&self) -> &[u32] {
        &self.words[..self.filled.words]
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.filled.words
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.filled.words == 0
    }

    /// Where each chunk ends. Words after the last end belong to no chunk: end the last one before asking.
    pub fn ends(&self) -> &[u32] {
        &self.ends[..self.filled.ends]
    }

    /// The chunks in order.
    pub fn chunks(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends().iter().map(move |&end| {
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
        let write = |vector: &mut Vector, chosen: &[usize]| {
            for &number in chosen {
                let words = sections[number].concat();
                let ends = sections[number].iter().scan(100, |end, chunk| {
                    *end += chunk.len() as u32;
                    Some(*end)
                });
                // Two of them have no version.
                let version = [1, 2, 3, 0, 5, 0][number];
                vector.push_section(&words, &ends.collect::<Vec<_>>(), 100, version);
            }
        };
        let mut reused = Vector::default();
        for round in 0..6_usize.pow(5) {
            let chosen = [round % 6, round / 6 % 6, round / 36 % 6, round / 216 % 6, round / 1296];
            let chosen = &chosen[..5 - round % 3];
            let mut fresh = Vector::default();
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
