//! The functions of `StrictMath` and `Math` keep what the documentation says of them.

use super::{cosh, precise, tanh};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

type One = fn(f64) -> f64;
type Two = fn(f64, f64) -> f64;
/// A name, a function, and arguments with their results.
type Cases<'a, F, C> = (&'a str, F, &'a [C]);

/// Those that give back what is close enough to zero.
const LINE_AT_ZERO: [(&str, One); 8] = [
    ("sin", libm::sin),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("atan", libm::atan),
    ("log1p", libm::log1p),
    ("expm1", libm::expm1),
    ("sinh", libm::sinh),
    ("tanh", tanh),
];

/// Asserts that a result has exactly the bits that are expected; one NaN is as good as another.
fn check(what: &str, found: f64, expected: f64) {
    assert!(
        found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
        "{what}: {found:e}, not {expected:e}"
    );
}

/// The number of doubles from one to another.
fn ulps(a: f64, b: f64) -> u64 {
    let order = |x: f64| {
        let magnitude = x.abs().to_bits() as i64;
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    order(a).abs_diff(order(b))
}

/// Numbers from 0 to 1, spread by the golden ratio.
fn spread(n: u32) -> f64 {
    f64::from(n) * 0.618_033_988_749_894_9 % 1.0
}

#[test]
fn strict_functions_keep_small_arguments() {
    let subnormal = f64::MIN_POSITIVE.next_down();
    for x in [0.0, f64::from_bits(1), 1e-320, subnormal, f64::MIN_POSITIVE, 1e-300] {
        for x in [x, -x] {
            for (name, function) in LINE_AT_ZERO {
                check(name, function(x), x);
            }
            check("cos", libm::cos(x), 1.0);
            check("cosh", cosh(x), 1.0);
            check("acos", libm::acos(x), FRAC_PI_2);
            check("atan2", libm::atan2(x, 1.0), x);
            check("remainder", libm::remainder(x, 1.0), x);
        }
    }
}

#[test]
fn strict_functions_have_the_limits_of_the_documentation() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    for (name, function) in LINE_AT_ZERO {
        check(name, function(NAN), NAN);
    }
    let one: [Cases<One, (f64, f64)>; 14] = [
        ("sin", libm::sin, &[(INF, NAN), (-INF, NAN)]),
        ("cos", libm::cos, &[(INF, NAN), (-INF, NAN), (NAN, NAN)]),
        ("tan", libm::tan, &[(INF, NAN), (-INF, NAN)]),
        (
            "asin",
            libm::asin,
            &[
                (1.0, FRAC_PI_2),
                (-1.0, -FRAC_PI_2),
                (1.0 + f64::EPSILON, NAN),
                (-INF, NAN),
            ],
        ),
        (
            "acos",
            libm::acos,
            &[
                (1.0, 0.0),
                (-1.0, PI),
                (-1.0 - f64::EPSILON, NAN),
                (INF, NAN),
                (NAN, NAN),
            ],
        ),
        (
            "atan",
            libm::atan,
            &[(INF, FRAC_PI_2), (-INF, -FRAC_PI_2), (f64::MAX, FRAC_PI_2)],
        ),
        (
            "log",
            libm::log,
            &[
                (0.0, -INF),
                (-0.0, -INF),
                (1.0, 0.0),
                (INF, INF),
                (-f64::from_bits(1), NAN),
                (NAN, NAN),
            ],
        ),
        (
            "log10",
            libm::log10,
            &[
                (0.0, -INF),
                (-0.0, -INF),
                (1.0, 0.0),
                (INF, INF),
                (-INF, NAN),
                (NAN, NAN),
            ],
        ),
        (
            "log1p",
            libm::log1p,
            &[(-1.0, -INF), (INF, INF), (-1.0 - f64::EPSILON, NAN), (-INF, NAN)],
        ),
        (
            "expm1",
            libm::expm1,
            &[(INF, INF), (710.0, INF), (-INF, -1.0), (-50.0, -1.0)],
        ),
        (
            "sinh",
            libm::sinh,
            &[(INF, INF), (-INF, -INF), (711.0, INF), (-711.0, -INF)],
        ),
        ("cosh", cosh, &[(INF, INF), (-INF, INF), (-711.0, INF), (NAN, NAN)]),
        ("tanh", tanh, &[(INF, 1.0), (-INF, -1.0), (22.0, 1.0), (-22.0, -1.0)]),
        ("log10", libm::log10, &[(1e3, 3.0), (1e15, 15.0), (1e22, 22.0)]),
    ];
    for (name, function, cases) in one {
        for &(x, expected) in cases {
            check(name, function(x), expected);
        }
    }
    let two: [Cases<Two, (f64, f64, f64)>; 2] = [
        (
            "atan2",
            libm::atan2,
            &[
                (0.0, -0.0, PI),
                (-0.0, -0.0, -PI),
                (-0.0, 0.0, -0.0),
                (0.0, -INF, PI),
                (-1.0, INF, -0.0),
                (1.0, -0.0, FRAC_PI_2),
                (-INF, 1.0, -FRAC_PI_2),
                (INF, INF, FRAC_PI_4),
                (INF, -INF, 3.0 * FRAC_PI_4),
                (NAN, 1.0, NAN),
                (1.0, NAN, NAN),
            ],
        ),
        (
            "remainder",
            libm::remainder,
            &[
                (5.0, 3.0, -1.0),
                (-6.0, 3.0, -0.0),
                (2.5, 1.0, 0.5),
                (3.5, 1.0, -0.5),
                (1.0, INF, 1.0),
                (f64::MAX, f64::from_bits(1), 0.0),
                (-0.0, 1.0, -0.0),
                (1.0, 0.0, NAN),
                (INF, 1.0, NAN),
                (1.0, NAN, NAN),
            ],
        ),
    ];
    for (name, function, cases) in two {
        for &(x, y, expected) in cases {
            check(name, function(x, y), expected);
        }
    }
}

#[test]
fn strict_functions_err_by_less_than_the_documentation_allows() {
    // What is rounded correctly is at most half an ulp from the truth. One ulp is allowed, for `tanh` two and a half.
    type Pair = (One, One);
    let angles: [Pair; 3] = [
        (libm::sin, precise::sin),
        (libm::cos, precise::cos),
        (libm::tan, precise::tan),
    ];
    let logarithms: [Pair; 2] = [(libm::log, precise::log), (libm::log10, precise::log10)];
    for n in 1..20_000 {
        let unit = spread(n);
        for x in [unit, unit * 20.0 - 10.0, unit * 1e6, unit * 1e100] {
            for (libm, precise) in angles {
                assert!(ulps(libm(x), precise(x)) <= 1, "{x:e}");
            }
        }
        for x in [unit, 1.0 + unit / f64::from(n), unit * 1e3, unit * f64::MIN_POSITIVE] {
            for (libm, precise) in logarithms {
                assert!(ulps(libm(x), precise(x)) <= 1, "{x:e}");
            }
        }
        for x in [unit, unit * 20.0 - 10.0, unit / f64::from(n)] {
            assert!(ulps(tanh(x), precise::tanh(x)) <= 2, "{x:e}");
        }
    }
}

#[test]
fn strict_functions_are_monotone() {
    // Where they rise, or fall if that is what they do.
    let cases: [(One, f64, f64); 13] = [
        (libm::sin, -FRAC_PI_2, FRAC_PI_2),
        (libm::cos, PI, 0.0),
        (libm::tan, -FRAC_PI_2, FRAC_PI_2),
        (libm::asin, -1.0, 1.0),
        (libm::acos, 1.0, -1.0),
        (libm::atan, -20.0, 20.0),
        (libm::log, 0.0, 20.0),
        (libm::log10, 0.0, 20.0),
        (libm::log1p, -1.0, 20.0),
        (libm::expm1, -40.0, 700.0),
        (libm::sinh, -40.0, 40.0),
        (cosh, 0.25, 1.0),
        (tanh, -1.0, 1.0),
    ];
    for (position, (function, from, to)) in cases.into_iter().enumerate() {
        for n in 1..100_000 {
            let x = from + (to - from) * spread(n);
            let next = if from < to { x.next_up() } else { x.next_down() };
            assert!(function(x) <= function(next), "case {position}: {x:e}");
        }
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
