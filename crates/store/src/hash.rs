//! Hashes that choose a bucket. Nothing rests on them but speed: whoever looks something up compares it in full.
//!
//! One multiplication to 128 bits whose halves are combined, for every 64 bits of input, as wyhash and its successors
//! do it.

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// The hash of two words.
#[inline]
pub(crate) fn pair([first, second]: [u32; 2]) -> u64 {
    fold((u64::from(first) << 32 | u64::from(second)) ^ SEED, FACTOR)
}

/// The hash of some words and of how many they are: two lanes, so that one multiplication need not wait for the other.
#[inline]
pub(crate) fn words(words: &[u32]) -> u64 {
    let two = |pair: &[u32]| u64::from(pair[0]) << 32 | u64::from(pair[1]);
    let (mut even, mut odd) = (SEED ^ words.len() as u64, FACTOR);
    let mut fours = words.chunks_exact(4);
    for four in &mut fours {
        even = fold(even ^ two(&four[..2]), FACTOR);
        odd = fold(odd ^ two(&four[2..]), SEED);
    }
    for &word in fours.remainder() {
        even = fold(even ^ u64::from(word), FACTOR);
    }
    fold(even ^ odd.rotate_left(32), FACTOR)
}
