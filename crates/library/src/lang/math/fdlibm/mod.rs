//! The elementary functions as fdlibm 5.3 computes them (Sun Microsystems, 1993), to the last bit: `StrictMath` is
//! defined by it.
//!
//! Angles beyond 800 000, too large for its short reduction, are reduced exactly ([`super::reduce`]) instead of by its
//! own long one. In one of a thousand of those the last bit differs.

#![allow(clippy::excessive_precision, clippy::approx_constant)] // the constants are written as fdlibm writes them

mod angles;
mod powers;

pub(super) use angles::{acos, asin, atan, atan2, cos, sin, tan};
pub(super) use powers::{cbrt, cosh, expm1, log, log1p, log10, remainder, sinh, tanh};

/// The upper word of a double.
pub(super) fn high(x: f64) -> i32 {
    (x.to_bits() >> 32) as i32
}

/// The lower word of a double.
pub(super) fn low(x: f64) -> u32 {
    x.to_bits() as u32
}

/// A double with another upper word.
pub(super) fn with_high(x: f64, high: i32) -> f64 {
    f64::from_bits(u64::from(high as u32) << 32 | u64::from(low(x)))
}

/// A double with a lower word of zero.
pub(super) fn cut(x: f64) -> f64 {
    f64::from_bits(x.to_bits() >> 32 << 32)
}

/// `c[0] + x * (c[1] + x * (…))`.
pub(super) fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    let mut backwards = coefficients.iter().rev();
    let last = backwards.next().copied().unwrap_or(0.0);
    backwards.fold(last, |sum, coefficient| coefficient + x * sum)
}
