//! Numbers that look random and are the same for the same seed (splitmix64, Steele et al., OOPSLA 2014).

/// A source of such numbers.
pub(crate) struct Draw(u64);

impl Draw {
    /// The source of a seed. Seeds that are next to each other give numbers that have nothing in common.
    pub fn new(seed: u64) -> Draw {
        let mut draw = Draw(seed);
        Draw(draw.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Yes, in so many cases of a hundred.
    pub fn percent(&mut self, part: usize) -> bool {
        self.below(100) < part
    }

    /// One position of a list of weights, each as likely as it weighs.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (position, &weight) in weights.iter().enumerate() {
            if left < weight {
                return position;
            }
            left -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_stays_below_the_end() {
        let numbers = |seed| {
            let mut draw = Draw::new(seed);
            (0..50).map(|_| draw.below(7)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(3), numbers(3));
        assert_ne!(numbers(3), numbers(4));
        assert!(numbers(5).iter().all(|&number| number < 7));
        assert_eq!(Draw::new(1).below(0), 0);
    }
}
