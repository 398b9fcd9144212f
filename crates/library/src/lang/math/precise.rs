//! Elementary functions rounded correctly, but for cases so close to the middle between two doubles that ninety bits
//! do not tell.
//!
//! Everything is computed in pairs of doubles (Dekker 1971) and rounded once, in [`Wide::round`].

use super::reduce::{quarter_turns, two_product, two_sum};

/// An unevaluated sum of two doubles, the second at most half an ulp of the first.
#[derive(Clone, Copy, Debug)]
struct Wide {
    hi: f64,
    lo: f64,
}

const LN2: [f64; 3] = [
    0.693_147_180_369_123_8,
    1.908_214_929_270_587_7e-10,
    1.161_222_722_936_253_2e-26,
];
const LN2_WIDE: Wide = Wide {
    hi: std::f64::consts::LN_2,
    lo: 2.319_046_813_846_299_6e-17,
};
const INVERSE_LN10: Wide = Wide {
    hi: std::f64::consts::LOG10_E,
    lo: 1.098_319_650_216_765e-17,
};

impl Wide {
    fn new(hi: f64) -> Wide {
        Wide { hi, lo: 0.0 }
    }

    fn of((hi, lo): (f64, f64)) -> Wide {
        Wide { hi, lo }
    }

    fn add(self, other: Wide) -> Wide {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = two_sum(s, e + t);
        Wide::of(two_sum(s, e + f))
    }

    fn negate(self) -> Wide {
        Wide {
            hi: -self.hi,
            lo: -self.lo,
        }
    }

    fn subtract(self, other: Wide) -> Wide {
        self.add(other.negate())
    }

    fn multiply(self, other: Wide) -> Wide {
        let (p, e) = two_product(self.hi, other.hi);
        Wide::of(two_sum(p, e + (self.hi * other.lo + self.lo * other.hi)))
    }

    fn times(self, factor: f64) -> Wide {
        let (p, e) = two_product(self.hi, factor);
        Wide::of(two_sum(p, e + self.lo * factor))
    }

    fn divide(self, other: Wide) -> Wide {
        let first = self.hi / other.hi;
        let rest = self.subtract(other.times(first));
        let second = rest.hi / other.hi;
        let rest = rest.subtract(other.times(second));
        let third = rest.hi / other.hi;
        let (s, e) = two_sum(first, second);
        Wide::of(two_sum(s, e + third))
    }

    /// Exact for powers of two that stay in range.
    fn scale(self, factor: f64) -> Wide {
        Wide {
            hi: self.hi * factor,
            lo: self.lo * factor,
        }
    }

    /// The double nearest to `self * 2^power`, where `self` is positive and not far from one.
    fn round(self, power: i32) -> f64 {
        // As a fixed-point number with 110 bits of fraction; what is cut off leaves a sticky bit.
        const FRACTION: i32 = 110;
        let fixed = |x: f64| -> (i128, bool) {
            let raw = x.to_bits();
            let exponent = (raw >> 52 & 0x7ff) as i32;
            let mantissa = i128::from(raw & ((1 << 52) - 1) | if exponent > 0 { 1 << 52 } else { 0 });
            let shift = exponent.max(1) - 1075 + FRACTION;
            let signed = if x < 0.0 { -mantissa } else { mantissa };
            if shift >= 0 {
                (signed << shift.min(70), false)
            } else if shift > -120 {
                (signed >> -shift, signed & ((1 << -shift) - 1) != 0)
            } else {
                (if signed < 0 { -1 } else { 0 }, signed != 0)
            }
        };
        let ((high, _), (low, sticky)) = (fixed(self.hi), fixed(self.lo));
        let sum = (high + low) as u128 | u128::from(sticky);
        if sum == 0 || (high + low) < 0 {
            return self.hi * exact(power);
        }
        let width = 128 - sum.leading_zeros() as i32;
        // Exponent of the leading bit, and how many bits a double has there.
        let leading = width - 1 - FRACTION + power;
        if leading > 1023 {
            return f64::INFINITY;
        }
        let kept = if leading >= -1022 { 53 } else { 53 - (-1022 - leading) };
        if kept < 0 {
            return 0.0;
        }
        let drop = width - kept;
        let mut mantissa = if drop >= 128 { 0 } else { sum >> drop };
        let rest = if drop >= 128 { sum } else { sum & ((1 << drop) - 1) };
        let half = 1u128 << (drop - 1).min(127);
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        // The mantissa has at most 54 bits; its scaling is exact, or overflows as it should.
        let unit = drop - FRACTION + power;
        scale_exactly(mantissa as f64, unit)
    }
}

/// `2^power` for a power that may be beyond the range of normal numbers.
fn exact(power: i32) -> f64 {
    scale_exactly(1.0, power)
}

/// `x * 2^power` in steps that lose nothing where the result is a double.
fn scale_exactly(x: f64, power: i32) -> f64 {
    let mut x = x;
    let mut power = power;
    while power > 1000 {
        x *= f64::from_bits(2023 << 52);
        power -= 1000;
    }
    while power < -1000 {
        // Upwards of the smallest normal number this is exact; below, it is the last step that rounds.
        if power < -1074 - 1000 {
            return 0.0;
        }
        x *= f64::from_bits(23 << 52);
        power += 1000;
    }
    if power < -1022 {
        return x * f64::from_bits(1) * f64::from_bits(((power + 1074 + 1023) as u64) << 52);
    }
    x * f64::from_bits(((power + 1023) as u64) << 52)
}

/// `exp(x) - 1` for |x| up to about one third, relatively exact.
fn exp_minus_one_small(x: Wide) -> Wide {
    const HALVINGS: i32 = 6;
    let x = x.scale(1.0 / 64.0);
    // x + x²/2! + … for |x| < 0.006.
    let mut sum = Wide::new(0.0);
    for n in (2..=13).rev() {
        sum = sum.add(Wide::new(1.0)).multiply(x).divide(Wide::new(f64::from(n)));
    }
    let mut result = sum.add(Wide::new(1.0)).multiply(x);
    for _ in 0..HALVINGS {
        // (1 + e)² - 1.
        result = result.scale(2.0).add(result.multiply(result));
    }
    result
}

/// `exp(x)` as a number near one and a power of two.
fn exp_wide(x: Wide) -> (Wide, i32) {
    let power = (x.hi / LN2_WIDE.hi).round();
    // The first part of ln 2 has so few bits that its product is exact.
    let mut rest = Wide::of(two_sum(x.hi, -power * LN2[0]));
    rest = rest.add(Wide::new(x.lo));
    rest = rest.subtract(Wide::of(two_product(power, LN2[1])));
    rest = rest.subtract(Wide::new(power * LN2[2]));
    (exp_minus_one_small(rest).add(Wide::new(1.0)), power as i32)
}

/// `ln x` of a positive, finite double.
fn log_wide(x: f64) -> Wide {
    let (mantissa, power) = split(x);
    let (mantissa, power) = if mantissa > std::f64::consts::SQRT_2 {
        (mantissa / 2.0, power + 1)
    } else {
        (mantissa, power)
    };
    let log = log_near_one(mantissa);
    if power == 0 {
        return log;
    }
    let k = f64::from(power);
    let mut sum = Wide::of(two_product(k, LN2[1])).add(Wide::new(k * LN2[2]));
    sum = sum.add(log);
    sum.add(Wide::new(k * LN2[0]))
}

/// `ln m` for m between 1/√2 and √2, relatively exact.
fn log_near_one(m: f64) -> Wide {
    let distance = m - 1.0;
    if distance.abs() < 0.02 {
        // 2 artanh(s), s = f / (2 + f); f is exact.
        let s = Wide::new(distance).divide(Wide::of(two_sum(2.0, distance)));
        let square = s.multiply(s);
        let mut sum = Wide::new(0.0);
        for n in (1..=9).rev() {
            sum = sum
                .add(Wide::new(1.0).divide(Wide::new(f64::from(2 * n + 1))))
                .multiply(square);
        }
        return sum.add(Wide::new(1.0)).multiply(s).scale(2.0);
    }
    // One step of Halley from the double: y + 2 (m - e^y) / (m + e^y).
    let guess = libm::log(m);
    let power = exp_minus_one_small(Wide::new(guess)).add(Wide::new(1.0));
    let m = Wide::new(m);
    let step = m.subtract(power).divide(m.add(power)).scale(2.0);
    Wide::new(guess).add(step)
}

/// A positive, finite double as a number in [1, 2) and a power of two.
fn split(x: f64) -> (f64, i32) {
    let (x, extra) = if x < f64::MIN_POSITIVE {
        (x * exact(54), -54)
    } else {
        (x, 0)
    };
    let raw = x.to_bits();
    let power = (raw >> 52) as i32 - 1023;
    (f64::from_bits(raw & ((1 << 52) - 1) | 1023 << 52), power + extra)
}

/// Rounds a value of any sign and size.
fn finish(value: Wide) -> f64 {
    if value.hi == 0.0 || !value.hi.is_finite() {
        return value.hi;
    }
    let (_, power) = split(value.hi.abs());
    let down = exact(-power.clamp(-1000, 1000));
    let near_one = value.scale(down);
    let power = power.clamp(-1000, 1000);
    if value.hi < 0.0 {
        -near_one.negate().round(power)
    } else {
        near_one.round(power)
    }
}

pub(super) fn exp(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x > 709.79 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    if x.abs() < 1e-300 {
        return 1.0;
    }
    let (value, power) = exp_wide(Wide::new(x));
    value.round(power)
}

pub(super) fn log(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY || x == 1.0 {
        return if x == 1.0 { 0.0 } else { x };
    }
    finish(log_wide(x))
}

pub(super) fn log10(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) || x == 1.0 {
        return log(x);
    }
    // Powers of ten are exact.
    for (power, value) in (0..23).map(|power| (power, 10f64.powi(power))) {
        if value == x {
            return f64::from(power);
        }
    }
    finish(log_wide(x).multiply(INVERSE_LN10))
}

pub(super) fn pow(x: f64, y: f64) -> f64 {
    // The special cases of the Java documentation.
    if y == 0.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y == 1.0 {
        return x;
    }
    let is_integer = y.trunc() == y;
    let is_odd = is_integer && y.abs() < 9_007_199_254_740_992.0 && y % 2.0 != 0.0;
    let magnitude = x.abs();
    if y.is_infinite() {
        return match magnitude.partial_cmp(&1.0) {
            Some(std::cmp::Ordering::Equal) | None => f64::NAN,
            Some(std::cmp::Ordering::Greater) => {
                if y > 0.0 {
                    f64::INFINITY
                } else {
                    0.0
                }
            }
            Some(std::cmp::Ordering::Less) => {
                if y > 0.0 {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        };
    }
    let sign = if x.is_sign_negative() && is_odd { -1.0 } else { 1.0 };
    if magnitude == 0.0 || magnitude.is_infinite() {
        let grows = (magnitude == 0.0) == (y < 0.0);
        return if grows { sign * f64::INFINITY } else { sign * 0.0 };
    }
    if x < 0.0 && !is_integer {
        return f64::NAN;
    }
    if magnitude == 1.0 {
        return sign;
    }
    if let Some(exact) = exact_power(magnitude, y) {
        return sign * exact;
    }
    if y.abs() > 1e20 {
        return sign
            * if (magnitude > 1.0) == (y > 0.0) {
                f64::INFINITY
            } else {
                0.0
            };
    }
    let exponent = log_wide(magnitude).times(y);
    if exponent.hi > 709.79 {
        return sign * f64::INFINITY;
    }
    if exponent.hi < -745.2 {
        return sign * 0.0;
    }
    let (value, power) = exp_wide(exponent);
    sign * value.round(power)
}

/// A power that can be computed in integers: there, and only there, a result may lie in the middle of two doubles.
fn exact_power(x: f64, y: f64) -> Option<f64> {
    if y.trunc() != y || !(2.0..=64.0).contains(&y) {
        return None;
    }
    let (mantissa, power) = split(x);
    let whole = (mantissa * 4_503_599_627_370_496.0) as u64;
    let zeros = whole.trailing_zeros();
    let odd = u128::from(whole >> zeros);
    let power = i64::from(power) - 52 + i64::from(zeros);
    let mut result = 1u128;
    for _ in 0..y as u32 {
        result = result.checked_mul(odd)?;
    }
    if result.leading_zeros() < 8 {
        return None;
    }
    let total = i32::try_from(power * y as i64).ok()?;
    // Two doubles hold it exactly: the upper 53 bits and the rest.
    let width = 128 - result.leading_zeros() as i32;
    let high = if width > 53 {
        result >> (width - 53) << (width - 53)
    } else {
        result
    };
    let wide = Wide {
        hi: high as f64,
        lo: (result - high) as f64,
    };
    if width > 106 {
        return None;
    }
    let down = exact(1 - width);
    Some(Wide::of(two_sum(wide.hi * down, wide.lo * down)).round(total + width - 1))
}

/// Sine of a small angle.
fn sine_series(x: Wide) -> Wide {
    let square = x.multiply(x);
    let mut sum = Wide::new(0.0);
    for n in (1..=14).rev() {
        let factor = f64::from(2 * n * (2 * n + 1));
        sum = Wide::new(1.0).subtract(sum).multiply(square).divide(Wide::new(factor));
    }
    x.subtract(x.multiply(sum))
}

/// Cosine of a small angle.
fn cosine_series(x: Wide) -> Wide {
    let square = x.multiply(x);
    let mut sum = Wide::new(0.0);
    for n in (1..=14).rev() {
        let factor = f64::from(2 * n * (2 * n - 1));
        sum = Wide::new(1.0).subtract(sum).multiply(square).divide(Wide::new(factor));
    }
    Wide::new(1.0).subtract(sum)
}

/// Sine and cosine.
fn turn(x: f64) -> (Wide, Wide) {
    let (quarter, hi, lo) = quarter_turns(x);
    let angle = Wide { hi, lo };
    let (sine, cosine) = (sine_series(angle), cosine_series(angle));
    match quarter {
        0 => (sine, cosine),
        1 => (cosine, sine.negate()),
        2 => (sine.negate(), cosine.negate()),
        _ => (cosine.negate(), sine),
    }
}

/// Below this, an odd function is its argument.
const TINY: f64 = 1e-9;

pub(super) fn sin(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < TINY { x } else { finish(turn(x).0) }
}

pub(super) fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < TINY { 1.0 } else { finish(turn(x).1) }
}

pub(super) fn tan(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < TINY {
        return x;
    }
    let (sine, cosine) = turn(x);
    finish(sine.divide(cosine))
}

pub(super) fn tanh(x: f64) -> f64 {
    if x.is_nan() || x.abs() < TINY {
        return x;
    }
    if x.abs() > 22.0 {
        return 1f64.copysign(x);
    }
    let twice = Wide::new(2.0 * x.abs());
    // e^(2x) - 1, relatively exact for small x too.
    let grown = if twice.hi < 0.34 {
        exp_minus_one_small(twice)
    } else {
        let (value, power) = exp_wide(twice);
        value.scale(exact(power)).subtract(Wide::new(1.0))
    };
    finish(grown.divide(grown.add(Wide::new(2.0)))).copysign(x)
}

pub(super) fn cbrt(x: f64) -> f64 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let (mantissa, power) = split(x.abs());
    // A power that three divides.
    let third = power.div_euclid(3);
    let m = mantissa * exact(power.rem_euclid(3));
    let guess = libm::cbrt(m);
    let square = Wide::of(two_product(guess, guess));
    let step = square.times(guess).subtract(Wide::new(m)).divide(square.times(3.0));
    Wide::new(guess).subtract(step).round(third).copysign(x)
}
