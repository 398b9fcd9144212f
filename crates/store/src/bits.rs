//! The store that keeps a few bits of each state.
//!
//! Bit-state hashing (Holzmann, 1987) in the form of a Bloom filter whose hash functions are combinations of two
//! (Dillinger, Manolios, SPIN 2004). It looks at far more states than fit into memory, and misses some: a search that
//! ends without a finding says nothing for certain.

use crate::fingerprint::fingerprint;
use crate::{Seen, Visited};
use kernel::StateVector;

/// Bits set for each state.
const HASHES: u32 = 3;

/// Sets three bits for each state in an array of fixed size.
pub struct Bits {
    /// A power of two of them.
    array: Vec<u64>,
    states: u64,
    set: u64,
    /// How many states are likely to have been missed.
    missed: f64,
    /// Room for the bytes of the vector that is being inserted.
    bytes: Vec<u8>,
}

impl Bits {
    /// A store of the greatest power of two of bytes that is at most `bytes`, at least 8, and can be had.
    pub fn new(bytes: u64) -> Self {
        let mut words = 1 << (bytes / 8).max(1).ilog2().min(usize::BITS - 4);
        while words > 1 && Vec::<u64>::new().try_reserve_exact(words).is_err() {
            words /= 2;
        }
        Self {
            array: vec![0; words],
            states: 0,
            set: 0,
            missed: 0.0,
            bytes: Vec::new(),
        }
    }
}

impl Visited for Bits {
    /// Always says `u32::MAX` for the number of a state, and never that there is no room.
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        let fingerprint = fingerprint(vector, &mut self.bytes);
        let (mut bit, stride) = (fingerprint as u64, (fingerprint >> 64) as u64 | 1);
        let last_word = self.array.len() as u64 - 1;
        let bits = 64.0 * self.array.len() as f64;
        let missing = (self.set as f64 / bits).powi(HASHES as i32);
        let mut new = false;
        for _ in 0..HASHES {
            let word = &mut self.array[(bit >> 6 & last_word) as usize];
            let mask = 1 << (bit & 63);
            if *word & mask == 0 {
                *word |= mask;
                self.set += 1;
                new = true;
            }
            bit = bit.wrapping_add(stride);
        }
        if new {
            self.states += 1;
            // Of the states that are in truth new, this share is taken for old ones.
            self.missed += missing / (1.0 - missing);
        }
        Some(Seen { id: u32::MAX, new })
    }

    fn get(&self, _id: u32, _out: &mut Vec<u32>) -> bool {
        false
    }

    /// How many insertions were of a state that is certainly new.
    fn len(&self) -> u64 {
        self.states
    }

    fn clear(&mut self) {
        *self = Bits::new(self.array.len() as u64 * 8);
    }

    fn bytes(&self) -> u64 {
        (self.array.capacity() * size_of::<u64>() + self.bytes.capacity() + size_of::<Self>()) as u64
    }

    /// An estimate of the probability that at least one state was missed.
    fn collision_probability(&self) -> f64 {
        -(-self.missed).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(number: u32) -> StateVector {
        let mut vector = StateVector::default();
        vector.extend(&[number, 1, 2]);
        vector.end_chunk();
        vector
    }

    #[test]
    fn what_was_entered_is_found() {
        let mut store = Bits::new(1 << 16);
        for number in 0..10_000 {
            store.insert(&vector(number));
        }
        for number in 0..10_000 {
            assert_eq!(
                store.insert(&vector(number)),
                Some(Seen {
                    id: u32::MAX,
                    new: false
                })
            );
        }
        assert!(!store.get(0, &mut Vec::new()));
    }

    #[test]
    fn a_roomy_array_misses_little_and_a_tight_one_knows_that_it_does() {
        let (mut roomy, mut tight) = (Bits::new(1 << 20), Bits::new(1 << 10));
        for number in 0..10_000 {
            roomy.insert(&vector(number));
            tight.insert(&vector(number));
        }
        assert!(roomy.len() > 9_990, "{}", roomy.len());
        assert!(tight.len() < 9_000, "{}", tight.len());
        assert!(tight.collision_probability() > 0.99);
        assert!(roomy.collision_probability() < tight.collision_probability());
    }

    #[test]
    fn any_size_will_do() {
        for bytes in [0, 1, 7, 8, 9, 1000, u64::MAX] {
            let mut store = Bits::new(bytes);
            assert!(store.array.len().is_power_of_two());
            assert!(store.array.len() as u64 <= (bytes / 8).max(1));
            for number in 0..1000 {
                store.insert(&vector(number));
            }
            assert!(store.len() <= 1000);
        }
    }
}
