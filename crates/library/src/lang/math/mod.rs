//! `java.lang.StrictMath` and `java.lang.Math`.
//!
//! The natives of `StrictMath`, which are Java code since JDK 21, are those of the `libm` crate. They keep the bounds of
//! the documentation; the last bit may differ from fdlibm, by which `StrictMath` is defined (docs/run.md has figures).
//! `Math` may be off by an ulp or so. HotSpot uses routines for it that err by little more than half an ulp, so that
//! what is rounded correctly ([`precise`]) is almost always what `java` prints.

mod precise;
mod reduce;

use crate::common::Entry;
use machine::Outcome;
use std::f64::consts::LN_2;

const STRICT: &str = "java/lang/StrictMath";
const MATH: &str = "java/lang/Math";

/// A function of one double as a native method.
macro_rules! one {
    ($f:expr) => {
        |_, args| Ok(Outcome::from($f(args.double(0))))
    };
}

/// A function of two doubles as a native method.
macro_rules! two {
    ($f:expr) => {
        |_, args| Ok(Outcome::from($f(args.double(0), args.double(2))))
    };
}

/// A function of one double since the given JDK; before that, a JVM runs the Java code.
macro_rules! since {
    ($feature:expr, $f:expr) => {
        |m, args| {
            Ok(if m.shared.files.feature() >= $feature {
                Outcome::from($f(args.double(0)))
            } else {
                Outcome::Body
            })
        }
    };
}

/// Hyperbolic cosine. Between half of ln 2 and ln 2, `libm` is not monotone; fdlibm's formula for larger arguments is.
fn cosh(x: f64) -> f64 {
    let magnitude = x.abs();
    if !(LN_2 / 2.0..LN_2).contains(&magnitude) {
        return libm::cosh(x);
    }
    let grown = libm::exp(magnitude);
    0.5 * (grown + 1.0 / grown)
}

/// Hyperbolic tangent. Between 1/4 and 1, `libm` is not monotone; fdlibm's formula for smaller arguments is.
fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if !(0.25..1.0).contains(&magnitude) {
        return libm::tanh(x);
    }
    let shrunk = libm::expm1(-2.0 * magnitude);
    (-shrunk / (shrunk + 2.0)).copysign(x)
}

/// Native in older JDKs, Java code in newer ones.
pub(crate) const METHODS: &[Entry] = &[
    (STRICT, "sin", "(D)D", one!(libm::sin)),
    (STRICT, "cos", "(D)D", one!(libm::cos)),
    (STRICT, "tan", "(D)D", one!(libm::tan)),
    (STRICT, "asin", "(D)D", one!(libm::asin)),
    (STRICT, "acos", "(D)D", one!(libm::acos)),
    (STRICT, "atan", "(D)D", one!(libm::atan)),
    (STRICT, "atan2", "(DD)D", two!(libm::atan2)),
    (STRICT, "log", "(D)D", one!(libm::log)),
    (STRICT, "log10", "(D)D", one!(libm::log10)),
    (STRICT, "log1p", "(D)D", one!(libm::log1p)),
    (STRICT, "expm1", "(D)D", one!(libm::expm1)),
    (STRICT, "sinh", "(D)D", one!(libm::sinh)),
    (STRICT, "cosh", "(D)D", one!(cosh)),
    (STRICT, "tanh", "(D)D", one!(tanh)),
    (STRICT, "sqrt", "(D)D", one!(f64::sqrt)),
    (STRICT, "IEEEremainder", "(DD)D", two!(libm::remainder)),
];

/// What a JVM computes by itself instead of running the Java code.
pub(crate) const REPLACED: &[Entry] = &[
    (MATH, "sin", "(D)D", one!(precise::sin)),
    (MATH, "cos", "(D)D", one!(precise::cos)),
    (MATH, "tan", "(D)D", one!(precise::tan)),
    (MATH, "exp", "(D)D", one!(precise::exp)),
    (MATH, "log", "(D)D", one!(precise::log)),
    (MATH, "log10", "(D)D", one!(precise::log10)),
    (MATH, "pow", "(DD)D", two!(precise::pow)),
    (MATH, "tanh", "(D)D", since!(24, precise::tanh)),
    (MATH, "cbrt", "(D)D", since!(25, precise::cbrt)),
    (MATH, "sqrt", "(D)D", one!(f64::sqrt)),
    (STRICT, "sqrt", "(D)D", one!(f64::sqrt)),
    (MATH, "fma", "(DDD)D", |_, args| {
        Ok(args.double(0).mul_add(args.double(2), args.double(4)).into())
    }),
    (MATH, "fma", "(FFF)F", |_, args| {
        Ok(args.float(0).mul_add(args.float(1), args.float(2)).into())
    }),
];

#[cfg(test)]
mod tests;
