//! `java.lang.StrictMath` and `java.lang.Math`.
//!
//! `StrictMath` is defined by fdlibm, bit for bit ([`fdlibm`]). `Math` may be off by an ulp or so. HotSpot uses routines
//! for it that err by little more than half an ulp, so that what is rounded correctly ([`precise`]) is almost always
//! what `java` prints.

mod fdlibm;
mod precise;
mod reduce;

use crate::common::Entry;
use machine::Outcome;

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

/// Since the given JDK one function, before that another.
macro_rules! since {
    ($feature:expr, $new:expr, $old:expr) => {
        |m, args| {
            let x = args.double(0);
            Ok(Outcome::from(if m.shared.files.feature() >= $feature {
                $new(x)
            } else {
                $old(x)
            }))
        }
    };
}

/// Native in older JDKs, Java code in newer ones.
pub(crate) const METHODS: &[Entry] = &[
    (STRICT, "sin", "(D)D", one!(fdlibm::sin)),
    (STRICT, "cos", "(D)D", one!(fdlibm::cos)),
    (STRICT, "tan", "(D)D", one!(fdlibm::tan)),
    (STRICT, "asin", "(D)D", one!(fdlibm::asin)),
    (STRICT, "acos", "(D)D", one!(fdlibm::acos)),
    (STRICT, "atan", "(D)D", one!(fdlibm::atan)),
    (STRICT, "atan2", "(DD)D", two!(fdlibm::atan2)),
    (STRICT, "log", "(D)D", one!(fdlibm::log)),
    (STRICT, "log10", "(D)D", one!(fdlibm::log10)),
    (STRICT, "log1p", "(D)D", one!(fdlibm::log1p)),
    (STRICT, "expm1", "(D)D", one!(fdlibm::expm1)),
    (STRICT, "sinh", "(D)D", one!(fdlibm::sinh)),
    (STRICT, "cosh", "(D)D", one!(fdlibm::cosh)),
    (STRICT, "tanh", "(D)D", one!(fdlibm::tanh)),
    (STRICT, "sqrt", "(D)D", one!(f64::sqrt)),
    (STRICT, "IEEEremainder", "(DD)D", two!(fdlibm::remainder)),
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
    (MATH, "tanh", "(D)D", since!(24, precise::tanh, fdlibm::tanh)),
    (MATH, "cbrt", "(D)D", since!(25, precise::cbrt, fdlibm::cbrt)),
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
mod tests {
    use super::{fdlibm, precise};

    /// A function, its argument, and the bits of the result.
    type Case = (fn(f64) -> f64, f64, u64);

    #[test]
    fn exact_functions_give_the_bits_of_the_jdk() {
        // Computed by StrictMath of JDK 17.
        let cases: [Case; 8] = [
            (fdlibm::sin, 1.0, 0x3fea_ed54_8f09_0cee),
            (fdlibm::cos, 1e5, 0xbfef_fac3_841b_3da7),
            (fdlibm::tan, 1.5, 0x402c_33ed_50b8_8777),
            (fdlibm::log, 10.0, 0x4002_6bb1_bbb5_5516),
            (fdlibm::log10, 7.0, 0x3feb_0b0b_0b78_cc3f),
            (fdlibm::expm1, 0.3, 0x3fd6_6416_3230_6a56),
            (fdlibm::tanh, 0.7, 0x3fe3_56fb_17af_2e92),
            (fdlibm::cbrt, 2.0, 0x3ff4_28a2_f98d_728b),
        ];
        for (function, x, bits) in cases {
            assert_eq!(function(x).to_bits(), bits, "{x}");
        }
    }

    #[test]
    fn special_values_are_those_of_the_documentation() {
        let cases = [
            (precise::pow(2.0, 10.0), 1024.0),
            (precise::pow(10.0, -2.0), 0.01),
            (precise::pow(-2.0, 3.0), -8.0),
            (precise::pow(0.0, -1.0), f64::INFINITY),
            (precise::pow(-0.0, -3.0), f64::NEG_INFINITY),
            (precise::pow(5.0, 0.0), 1.0),
            (precise::exp(f64::NEG_INFINITY), 0.0),
            (precise::exp(710.0), f64::INFINITY),
            (precise::log(0.0), f64::NEG_INFINITY),
            (precise::log10(1e22), 22.0),
            (precise::sin(-0.0), -0.0),
            (precise::cbrt(-27.0), -3.0),
            (precise::tanh(100.0), 1.0),
        ];
        for (position, (found, expected)) in cases.into_iter().enumerate() {
            assert_eq!(found.to_bits(), expected.to_bits(), "case {position}: {found}");
        }
        for nan in [precise::pow(-1.0, 0.5), precise::log(-1.0), precise::sin(f64::INFINITY)] {
            assert!(nan.is_nan());
        }
    }
}
