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

/// The hash of some words and of how many they are: four lanes, so that one multiplication need not wait for the other.
#[inline]
pub(crate) fn words(words: &[u32]) -> u64 {
    // The upper bits of a product depend on all bits of the factor, the lower ones on few: turned, they get their share next time.
    let mix = |lane: u64, input: u64| (lane ^ input).rotate_left(29).wrapping_mul(FACTOR);
    let mut lanes = [words.len() as u64, FACTOR, SEED, SEED ^ FACTOR];
    let (eights, rest) = words.as_chunks::<8>();
    for &[a, b, c, d, e, f, g, h] in eights {
        let inputs = [two(a, b), two(c, d), two(e, f), two(g, h)];
        lanes = std::array::from_fn(|lane| mix(lanes[lane], inputs[lane]));
    }
    for (position, &word) in rest.iter().enumerate() {
        lanes[position % 4] = mix(lanes[position % 4], u64::from(word));
    }
    let [first, second, third, fourth] = lanes;
    fold(
        fold(first ^ second.rotate_left(17), FACTOR) ^ third ^ fourth.rotate_left(43),
        SEED,
    )
}
