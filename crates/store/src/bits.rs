//! The table that keeps a few bits of each state.
//!
//! Bit-state hashing (Holzmann, 1987) in the form of a Bloom filter whose hash functions are combinations of two
//! (Dillinger, Manolios, SPIN 2004). It looks at far more states than fit into memory, and misses some: a search that
//! ends without a finding says nothing for certain.

use crate::fingerprint::fingerprint;
use crate::{Inserter, Seen, StateId, StateTable};
use kernel::StateVector;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits set for each state.
const HASHES: u32 = 3;

/// Sets three bits for each state in an array of fixed size. Bits and counts depend on nothing but themselves, so no thread waits for
/// another.
pub struct Bits {
    /// A power of two of them.
    array: Vec<AtomicU64>,
    states: AtomicU64,
    set: AtomicU64,
    /// How many states are likely to have been missed: the bits of a floating-point number.
    missed: AtomicU64,
}

impl Bits {
    /// A table of the greatest power of two of bytes that is at most `bytes`, at least 8, and can be had.
    pub fn new(bytes: u64) -> Self {
        let mut words = 1 << (bytes / 8).max(1).ilog2().min(usize::BITS - 4);
        while words > 1 && Vec::<u64>::new().try_reserve_exact(words).is_err() {
            words /= 2;
        }
        Self {
            array: zeros(words),
            states: AtomicU64::new(0),
            set: AtomicU64::new(0),
            missed: AtomicU64::new(0.0_f64.to_bits()),
        }
    }

    /// Sets a bit; whether it was not set.
    fn set(&self, bit: u64) -> bool {
        let last_word = self.array.len() as u64 - 1;
        let word = &self.array[(bit >> 6 & last_word) as usize];
        let mask = 1 << (bit & 63);
        word.load(Ordering::Relaxed) & mask == 0 && word.fetch_or(mask, Ordering::Relaxed) & mask == 0
    }

    /// Counts a state that has set so many bits, where so many were set before.
    fn count(&self, new_bits: u64, set_before: u64) {
        let bits = 64.0 * self.array.len() as f64;
        let missing = (set_before as f64 / bits).powi(HASHES as i32);
        self.set.fetch_add(new_bits, Ordering::Relaxed);
        self.states.fetch_add(1, Ordering::Relaxed);
        // Of the states that are in truth new, this share is taken for old ones.
        let more = missing / (1.0 - missing);
        let add = |missed| Some((f64::from_bits(missed) + more).to_bits());
        // It always gives a number, so it always succeeds.
        let _ = self.missed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

/// So many words. The system hands out memory full of zeros, which takes no time before it is used.
fn zeros(words: usize) -> Vec<AtomicU64> {
    let mut zeros = std::mem::ManuallyDrop::new(vec![0_u64; words]);
    // SAFETY: an atomic number has the size, the alignment and the bits of a plain one, and the parts of the vector are used once.
    unsafe { Vec::from_raw_parts(zeros.as_mut_ptr().cast(), zeros.len(), zeros.capacity()) }
}

impl StateTable for Bits {
    fn inserter(&self) -> Box<dyn Inserter + '_> {
        Box::new(Setter {
            table: self,
            bytes: Vec::new(),
        })
    }

    fn get(&self, _id: StateId, _out: &mut Vec<u32>) -> bool {
        false
    }

    /// How many insertions were of a state that is certainly new. Threads that enter one at the same time may count it several times.
    fn len(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    fn clear(&mut self) {
        *self = Bits::new(self.array.len() as u64 * 8);
    }

    fn bytes(&self) -> u64 {
        (self.array.capacity() * size_of::<u64>() + size_of::<Self>()) as u64
    }

    /// An estimate of the probability that at least one state was missed.
    fn collision_probability(&self) -> f64 {
        -(-f64::from_bits(self.missed.load(Ordering::Relaxed))).exp_m1()
    }
}

/// Sets the bits of states.
struct Setter<'t> {
    table: &'t Bits,
    /// Room for the bytes of a vector.
    bytes: Vec<u8>,
}

impl Inserter for Setter<'_> {
    /// Never says which state it is, and never that there is no room.
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        let fingerprint = fingerprint(vector, &mut self.bytes);
        let (mut bit, stride) = (fingerprint as u64, (fingerprint >> 64) as u64 | 1);
        let before = self.table.set.load(Ordering::Relaxed);
        let mut new_bits = 0;
        for _ in 0..HASHES {
            new_bits += u64::from(self.table.set(bit));
            bit = bit.wrapping_add(stride);
        }
        let new = new_bits > 0;
        if new {
            self.table.count(new_bits, before);
        }
        Some(Seen { id: None, new })
    }

    fn bytes(&self) -> u64 {
        self.bytes.capacity() as u64 + size_of::<Self>() as u64
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
        let table = Bits::new(1 << 16);
        let mut inserter = table.inserter();
        for number in 0..10_000 {
            inserter.insert(&vector(number));
        }
        for number in 0..10_000 {
            let known = Some(Seen { id: None, new: false });
            assert_eq!(inserter.insert(&vector(number)), known);
        }
        assert!(!table.get(StateId::FIRST, &mut Vec::new()));
    }

    #[test]
    fn a_roomy_array_misses_little_and_a_tight_one_knows_that_it_does() {
        let (roomy, tight) = (Bits::new(1 << 20), Bits::new(1 << 10));
        for number in 0..10_000 {
            roomy.inserter().insert(&vector(number));
            tight.inserter().insert(&vector(number));
        }
        assert!(roomy.len() > 9_990, "{}", roomy.len());
        assert!(tight.len() < 9_000, "{}", tight.len());
        assert!(tight.collision_probability() > 0.99);
        assert!(roomy.collision_probability() < tight.collision_probability());
    }

    #[test]
    fn any_size_will_do() {
        for bytes in [0, 1, 7, 8, 9, 1000, u64::MAX] {
            let table = Bits::new(bytes);
            assert!(table.array.len().is_power_of_two());
            assert!(table.array.len() as u64 <= (bytes / 8).max(1));
            let mut inserter = table.inserter();
            for number in 0..1000 {
                inserter.insert(&vector(number));
            }
            assert!(table.len() <= 1000);
        }
    }
}
