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

/// The hash of four words.
#[inline]
pub(crate) fn four([first, second, third, fourth]: [u32; 4]) -> u64 {
    let (low, high) = (two(first, second), two(third, fourth));
    fold(fold(low ^ SEED, FACTOR) ^ high, FACTOR)
}

#[inline]
fn two(first: u32, second: u32) -> u64 {
    u64::from(second) << 32 | u64::from(first)
}

/// The hash of some words and of how many they are: two lanes, so that one multiplication need not wait for the other.
#[inline]
pub(crate) fn words(words: &[u32]) -> u64 {
    let (mut even, mut odd) = (SEED ^ words.len() as u64, FACTOR);
    let (fours, rest) = words.as_chunks();
    for &[first, second, third, fourth] in fours {
        even = fold(even ^ two(first, second), FACTOR);
        odd = fold(odd ^ two(third, fourth), SEED);
    }
    for &word in rest {
        even = fold(even ^ u64::from(word), FACTOR);
    }
    fold(even ^ odd.rotate_left(32), FACTOR)
}
