//! Reduction of an angle modulo π/2, exact for every double.

/// The first 1280 bits of 2/π after the binary point.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// π/2 as a sum of doubles.
const HALF_PI: (f64, f64, f64) = (
    std::f64::consts::FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
);

/// 64 bits of 2/π from a bit position, which may be negative.
fn bits(position: i32) -> u64 {
    let word = |index: i32| {
        usize::try_from(index)
            .ok()
            .and_then(|index| TWO_OVER_PI.get(index))
            .copied()
            .unwrap_or(0)
    };
    let (index, shift) = (position.div_euclid(64), position.rem_euclid(64));
    if shift == 0 {
        word(index)
    } else {
        word(index) << shift | word(index + 1) >> (64 - shift)
    }
}

/// The number of quarter turns nearest to a finite `x`, modulo four, and what is left of it, in two doubles of which
/// the second is at most half an ulp of the first.
pub(super) fn quarter_turns(x: f64) -> (u32, f64, f64) {
    let raw = x.abs().to_bits();
    let exponent = (raw >> 52) as i32;
    if exponent < 1023 - 1 {
        // Below 1/2, nothing is to be done.
        return (0, x, 0.0);
    }
    let mantissa = u128::from(raw & ((1 << 52) - 1) | 1 << 52);
    // x = mantissa * 2^scale. Of the product with 2/π, whole turns of four quarters do not matter: begin so that two
    // integer bits are kept, and take 192 bits of fraction and more.
    let scale = exponent - 1075;
    let first = scale - 2;
    let (high, middle, low, last) = (bits(first), bits(first + 64), bits(first + 128), bits(first + 192));
    // mantissa * (high . middle . low . last), modulo 2^64 in the topmost word.
    let mut words = [0u64; 4];
    let mut carry = 0u128;
    for (index, part) in [last, low, middle].into_iter().enumerate() {
        let product = mantissa * u128::from(part) + carry;
        words[index] = product as u64;
        carry = product >> 64;
    }
    words[3] = (mantissa as u64).wrapping_mul(high).wrapping_add(carry as u64);
    // Two bits of integer, then the fraction.
    let mut quarter = (words[3] >> 62) as u32;
    let mut fraction = [words[0], words[1], words[2], words[3] << 2 >> 2];
    // `fraction` has its binary point below bit 62 of the topmost word. Above one half, go to the next quarter.
    let negative = fraction[3] >> 61 & 1 == 1;
    if negative {
        quarter = (quarter + 1) & 3;
        // 2^62 - fraction, over all words.
        let mut borrow = false;
        for (index, word) in fraction.iter_mut().enumerate() {
            let from = if index == 3 { 1u64 << 62 } else { 0 };
            let (value, one) = from.overflowing_sub(*word);
            let (value, two) = value.overflowing_sub(u64::from(borrow));
            borrow = one || two;
            *word = value;
        }
    }
    // To doubles: take the leading bits in pieces of 50.
    let mut pieces = [0f64; 3];
    let mut power = -62;
    for piece in &mut pieces {
        if fraction.iter().all(|&word| word == 0) {
            break;
        }
        // Shift left until the topmost word is filled.
        while fraction[3].leading_zeros() > 0 {
            let shift = fraction[3].leading_zeros().min(63);
            for index in (1..4).rev() {
                fraction[index] = fraction[index] << shift | fraction[index - 1] >> (64 - shift);
            }
            fraction[0] <<= shift;
            power -= shift as i32;
        }
        let top = fraction[3] & !((1 << 14) - 1);
        *piece = top as f64 * exact_power(power);
        fraction[3] &= (1 << 14) - 1;
    }
    // (sum of pieces) * π/2 in two doubles.
    let (a, b) = two_sum(pieces[0], pieces[1]);
    let (b, c) = two_sum(b, pieces[2]);
    let (p, pe) = two_product(a, HALF_PI.0);
    let (q, qe) = two_product(a, HALF_PI.1);
    let (r, re) = two_product(b, HALF_PI.0);
    let rest = qe + re + a * HALF_PI.2 + b * HALF_PI.1 + c * HALF_PI.0;
    let (s, se) = two_sum(q, r);
    let (t, te) = two_sum(pe, s);
    let (hi, lo) = two_sum(p, t);
    let (hi, lo) = two_sum(hi, lo + (te + se + rest));
    let (hi, lo) = if negative { (-hi, -lo) } else { (hi, lo) };
    if x < 0.0 {
        ((4 - quarter) & 3, -hi, -lo)
    } else {
        (quarter, hi, lo)
    }
}

/// A power of two that is a normal double.
fn exact_power(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// The sum of two doubles and its rounding error.
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The product of two doubles and its rounding error.
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    /// 2^27 + 1: splits a double into two halves (Veltkamp).
    const SPLITTER: f64 = 134_217_729.0;
    let product = a * b;
    let split = |x: f64| {
        let t = SPLITTER * x;
        let high = t - (t - x);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}
