//! Numbers that look random and are the same for the same seed (splitmix64, Steele et al., OOPSLA 2014).

/// A source of such numbers.
pub(crate) struct Draw(u64);

impl Draw {
    /// The source of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((u128::from(word) * end as u128) >> 64) as usize
    }

    /// Puts the items into any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            items.swap(end - 1, self.below(end));
        }
    }
}
