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
