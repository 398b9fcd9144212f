//! Items of equal width, numbered in the order they come.
//!
//! Room is taken a segment at a time, so that growing never copies and never leaves more than a segment spare.

const SEGMENT_BITS: u32 = 13;
const SEGMENT: usize = 1 << SEGMENT_BITS;

/// Items of `width` words each.
pub(crate) struct Slab {
    width: usize,
    len: u32,
    segments: Vec<Vec<u32>>,
}

impl Slab {
    /// A slab without items.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            len: 0,
            segments: Vec::new(),
        }
    }

    /// How many items there are: the number of the next one.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// An item that was pushed before.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u32] {
        let start = (number as usize % SEGMENT) * self.width;
        &self.segments[(number >> SEGMENT_BITS) as usize][start..start + self.width]
    }

    /// An item that was pushed before, for who knows its width.
    #[inline]
    pub(crate) fn array<const WIDTH: usize>(&self, number: u32) -> &[u32; WIDTH] {
        let (items, _) = self.segments[(number >> SEGMENT_BITS) as usize].as_chunks();
        &items[number as usize % SEGMENT]
    }

    /// Appends an item, which has `width` words. The caller sees to it that there are fewer than 2³² − 1.
    #[inline]
    pub(crate) fn push(&mut self, item: &[u32]) {
        debug_assert_eq!(item.len(), self.width);
        if (self.len as usize).is_multiple_of(SEGMENT) {
            // The first segment grows as needed: a small store stays small.
            let room = if self.len == 0 { 0 } else { SEGMENT * self.width };
            self.segments.push(Vec::with_capacity(room));
        }
        if let Some(segment) = self.segments.last_mut() {
            segment.extend_from_slice(item);
        }
        self.len += 1;
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words: usize = self.segments.iter().map(Vec::capacity).sum();
        (words * size_of::<u32>() + self.segments.capacity() * size_of::<Vec<u32>>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_numbers_across_segments() {
        let mut slab = Slab::new(3);
        let count = 2 * SEGMENT as u32 + 5;
        for number in 0..count {
            assert_eq!(slab.len(), number);
            slab.push(&[number, number + 1, !number]);
        }
        for number in 0..count {
            assert_eq!(slab.get(number), [number, number + 1, !number]);
            assert_eq!(slab.array(number), &[number, number + 1, !number]);
        }
    }

    #[test]
    fn spare_room_is_at_most_a_segment() {
        let mut slab = Slab::new(2);
        for number in 0..10 * SEGMENT as u32 + 1 {
            slab.push(&[number, number]);
        }
        let used = u64::from(slab.len()) * 8;
        assert!(
            slab.bytes() <= used + 2 * 8 * SEGMENT as u64,
            "{} for {used}",
            slab.bytes()
        );
    }
}
