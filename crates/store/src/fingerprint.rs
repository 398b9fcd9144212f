//! The table that keeps a hash of each state.
//!
//! "Hash compaction" (Wolper, Leroy, 1993; Stern, Dill, 1995), with a hash of 128 bits, so that a missed state is less
//! likely than a fault of the hardware. Still a verdict may rest on it only together with that probability.

use crate::arrays::Arrays;
use crate::epochs::{Epochs, Reader};
use crate::index::{Bucket, Index, NUMBERS, Old};
use crate::{Inserter, Seen, StateId, StateTable};
use kernel::StateVector;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Keeps 128 bits of each state.
pub struct Fingerprint {
    fingerprints: Arrays<4>,
    old: Arc<Old>,
}

impl Fingerprint {
    /// A table without states.
    pub fn new() -> Self {
        let old = Epochs::new();
        Self {
            fingerprints: Arrays::new(NUMBERS, Index::new(&old, u64::MAX)),
            old,
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
fn hash(kept: [u32; 4]) -> u64 {
    u64::from(kept[0]) << 32 | u64::from(kept[1])
}

impl StateTable for Fingerprint {
    fn inserter(&self) -> Box<dyn Inserter + '_> {
        Box::new(Hasher {
            table: self,
            reader: self.old.reader(),
            bytes: Vec::new(),
        })
    }

    fn get(&self, _id: StateId, _out: &mut Vec<u32>) -> bool {
        false
    }

    fn len(&self) -> u64 {
        self.fingerprints.len()
    }

    fn clear(&mut self) {
        *self = Fingerprint::new();
    }

    fn bytes(&self) -> u64 {
        let old = self.old.sum(|buckets| (buckets.len() * size_of::<Bucket>()) as u64);
        self.fingerprints.bytes() + old + size_of::<Self>() as u64
    }

    /// The birthday bound, n² / 2¹²⁹.
    fn collision_probability(&self) -> f64 {
        let states = self.len() as f64;
        states * states / 2f64.powi(129)
    }
}

/// Enters fingerprints.
struct Hasher<'t> {
    table: &'t Fingerprint,
    reader: Reader<Vec<Bucket>>,
    /// Room for the bytes of a vector.
    bytes: Vec<u8>,
}

impl Inserter for Hasher<'_> {
    fn insert(&mut self, vector: &StateVector) -> Option<Seen> {
        self.reader.pass();
        let fingerprint = fingerprint(vector, &mut self.bytes);
        let kept = [0, 32, 64, 96].map(|shift| (fingerprint >> shift) as u32);
        let entered = self.table.fingerprints.intern(&self.reader, kept, hash)?;
        Some(Seen {
            id: Some(StateId::new(entered.number)),
            new: entered.new,
        })
    }

    fn bytes(&self) -> u64 {
        self.bytes.capacity() as u64 + size_of::<Self>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_and_found_again() {
        let table = Fingerprint::new();
        let (mut inserter, mut vector) = (table.inserter(), StateVector::default());
        for round in 0..2 {
            for number in 0..20_000 {
                vector.clear();
                vector.extend(&[number, 1]);
                vector.end_chunk();
                let (id, new) = (Some(StateId::new(number.into())), round == 0);
                assert_eq!(inserter.insert(&vector), Some(Seen { id, new }));
            }
        }
        assert_eq!(table.len(), 20_000);
        assert!(!table.get(StateId::FIRST, &mut Vec::new()));
    }

    #[test]
    fn probability_is_the_birthday_bound() {
        let table = Fingerprint::new();
        assert_eq!(table.collision_probability(), 0.0);
        table.inserter().insert(&StateVector::default());
        assert_eq!(table.collision_probability(), 2f64.powi(-129));
    }
}
