//! The store that keeps a hash of each state.
//!
//! "Hash compaction" (Wolper, Leroy, 1993; Stern, Dill, 1995), with a hash of 128 bits, so that a missed state is less
//! likely than a fault of the hardware. Still a verdict may rest on it only together with that probability.

use crate::index::Index;
use crate::slab::Slab;
use crate::{Seen, Visited};
use kernel::StateVector;
use xxhash_rust::xxh3::xxh3_128;

/// Keeps 128 bits of each state.
pub struct Fingerprint {
    fingerprints: Slab,
    index: Index,
    /// Room for the bytes of the vector that is being inserted.
    bytes: Vec<u8>,
}

impl Fingerprint {
    /// A store without states.
    pub fn new() -> Self {
        Self {
            fingerprints: Slab::new(4),
            index: Index::new(),
            bytes: Vec::new(),
        }
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

/// The 128-bit hash of a state, the same on every machine. `room` is overwritten.
pub(crate) fn fingerprint(vector: &StateVector, room: &mut Vec<u8>) -> u128 {
    room.clear();
    for section in vector.sections() {
        room.extend(section.words().iter().flat_map(|word| word.to_le_bytes()));
    }
    xxh3_128(room)
}

/// The bits that choose a bucket, from a fingerprint as it is kept.
fn hash(kept: &[u32; 4]) -> u64 {
    u64::from(kept[0]) << 32 | u64::from(kept[1])
}

impl Visited for Fingerprint {
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        let fingerprint = fingerprint(vector, &mut self.bytes);
        let kept = [0, 32, 64, 96].map(|shift| (fingerprint >> shift) as u32);
        let fingerprints = &self.fingerprints;
        let next = (fingerprints.len() < u32::MAX).then_some(fingerprints.len());
        let seen = self.index.enter(
            hash(&kept),
            next,
            |id| *fingerprints.array(id) == kept,
            |id| hash(fingerprints.array(id)),
        )?;
        if seen.new {
            self.fingerprints.push(&kept);
        }
        Some(seen)
    }

    fn get(&self, _id: u32, _out: &mut Vec<u32>) -> bool {
        false
    }

    fn len(&self) -> u64 {
        u64::from(self.fingerprints.len())
    }

    fn clear(&mut self) {
        *self = Fingerprint::new();
    }

    fn bytes(&self) -> u64 {
        self.fingerprints.bytes() + self.index.bytes() + self.bytes.capacity() as u64 + size_of::<Self>() as u64
    }

    /// The birthday bound, n² / 2¹²⁹.
    fn collision_probability(&self) -> f64 {
        let states = f64::from(self.fingerprints.len());
        states * states / 2f64.powi(129)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_and_found_again() {
        let mut store = Fingerprint::new();
        let mut vector = StateVector::default();
        for round in 0..2 {
            for number in 0..20_000 {
                vector.clear();
                vector.extend(&[number, 1]);
                vector.end_chunk();
                let new = round == 0;
                assert_eq!(store.insert(&vector), Some(Seen { id: number, new }));
            }
        }
        assert_eq!(store.len(), 20_000);
        assert!(!store.get(0, &mut Vec::new()));
    }

    #[test]
    fn probability_is_the_birthday_bound() {
        let mut store = Fingerprint::new();
        assert_eq!(store.collision_probability(), 0.0);
        store.insert(&StateVector::default());
        assert_eq!(store.collision_probability(), 2f64.powi(-129));
    }
}
