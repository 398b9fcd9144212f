//! Powers: exponential, logarithms, hyperbolic functions, cube root; and the remainder.

use super::{high, low, polynomial, with_high};

const LN2_HI: f64 = 6.93147180369123816490e-01;
const LN2_LO: f64 = 1.90821492927058770002e-10;
const INVERSE_LN2: f64 = 1.44269504088896338700e+00;
const TWO54: f64 = 1.80143985094819840000e+16;
const OVERFLOW: f64 = 7.09782712893383973096e+02;

const LG: [f64; 7] = [
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
];

/// What the logarithms answer outside of their range; otherwise a normal number and the power of two taken from it.
fn log_range(x: f64) -> Result<(f64, i32), f64> {
    if x == 0.0 {
        return Err(f64::NEG_INFINITY);
    }
    if x < 0.0 || x.is_nan() {
        return Err(f64::NAN);
    }
    if x == f64::INFINITY {
        return Err(x);
    }
    Ok(if high(x) < 0x0010_0000 {
        (x * TWO54, -54)
    } else {
        (x, 0)
    })
}

pub(in super::super) fn log(x: f64) -> f64 {
    let (mut x, mut k) = match log_range(x) {
        Ok(range) => range,
        Err(answer) => return answer,
    };
    let mut hx = high(x);
    k += (hx >> 20) - 1023;
    hx &= 0x000f_ffff;
    let i = (hx + 0x95f64) & 0x10_0000;
    x = with_high(x, hx | i ^ 0x3ff0_0000);
    k += i >> 20;
    let f = x - 1.0;
    let dk = f64::from(k);
    if 0x000f_ffff & (2 + hx) < 3 {
        if f == 0.0 {
            return if k == 0 { 0.0 } else { dk * LN2_HI + dk * LN2_LO };
        }
        let r = f * f * (0.5 - 0.33333333333333333 * f);
        return if k == 0 {
            f - r
        } else {
            dk * LN2_HI - ((r - dk * LN2_LO) - f)
        };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let t1 = w * polynomial(w, &[LG[1], LG[3], LG[5]]);
    let t2 = z * polynomial(w, &[LG[0], LG[2], LG[4], LG[6]]);
    let r = t2 + t1;
    if ((hx - 0x6147a) | (0x6b851 - hx)) > 0 {
        let hfsq = 0.5 * f * f;
        if k == 0 {
            f - (hfsq - s * (hfsq + r))
        } else {
            dk * LN2_HI - ((hfsq - (s * (hfsq + r) + dk * LN2_LO)) - f)
        }
    } else if k == 0 {
        f - s * (f - r)
    } else {
        dk * LN2_HI - ((s * (f - r) - dk * LN2_LO) - f)
    }
}

pub(in super::super) fn log10(x: f64) -> f64 {
    const INVERSE_LN10: f64 = 4.34294481903251816668e-01;
    const LOG10_2HI: f64 = 3.01029995663611771306e-01;
    const LOG10_2LO: f64 = 3.69423907715893078616e-13;
    let (x, mut k) = match log_range(x) {
        Ok(range) => range,
        Err(answer) => return answer,
    };
    let hx = high(x);
    k += (hx >> 20) - 1023;
    let i = i32::from(k < 0);
    let x = with_high(x, hx & 0x000f_ffff | (0x3ff - i) << 20);
    let y = f64::from(k + i);
    let z = y * LOG10_2LO + INVERSE_LN10 * log(x);
    z + y * LOG10_2HI
}

pub(in super::super) fn log1p(x: f64) -> f64 {
    let hx = high(x);
    let ax = hx & 0x7fff_ffff;
    if x.is_nan() || x < -1.0 {
        return f64::NAN;
    }
    if x == -1.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    let (mut k, mut f, mut hu, mut c) = (1, 0.0, 1, 0.0);
    if hx < 0x3fda_827a {
        if ax < 0x3e20_0000 {
            return if ax < 0x3c90_0000 { x } else { x - x * x * 0.5 };
        }
        if hx > 0 || hx <= 0xbfd2_bec3u32 as i32 {
            k = 0;
            f = x;
        }
    }
    if k != 0 {
        let mut u = x;
        if hx < 0x4340_0000 {
            u = 1.0 + x;
            hu = high(u);
            k = (hu >> 20) - 1023;
            c = if k > 0 { 1.0 - (u - x) } else { x - (u - 1.0) };
            c /= u;
        } else {
            hu = high(u);
            k = (hu >> 20) - 1023;
        }
        hu &= 0x000f_ffff;
        if hu < 0x6a09e {
            u = with_high(u, hu | 0x3ff0_0000);
        } else {
            k += 1;
            u = with_high(u, hu | 0x3fe0_0000);
            hu = (0x0010_0000 - hu) >> 2;
        }
        f = u - 1.0;
    }
    let dk = f64::from(k);
    let hfsq = 0.5 * f * f;
    if hu == 0 {
        if f == 0.0 {
            return if k == 0 { 0.0 } else { dk * LN2_HI + (c + dk * LN2_LO) };
        }
        let r = hfsq * (1.0 - 0.66666666666666666 * f);
        return if k == 0 {
            f - r
        } else {
            dk * LN2_HI - ((r - (dk * LN2_LO + c)) - f)
        };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * polynomial(z, &LG);
    if k == 0 {
        f - (hfsq - s * (hfsq + r))
    } else {
        dk * LN2_HI - ((hfsq - (s * (hfsq + r) + (dk * LN2_LO + c))) - f)
    }
}

pub(in super::super) fn expm1(x: f64) -> f64 {
    const Q: [f64; 6] = [
        1.0,
        -3.33333333333331316428e-02,
        1.58730158725481460165e-03,
        -7.93650757867487942473e-05,
        4.00821782732936239552e-06,
        -2.01099218183624371326e-07,
    ];
    let hx = high(x) & 0x7fff_ffff;
    let negative = high(x) < 0;
    if x.is_nan() {
        return x;
    }
    if hx >= 0x4043_687a {
        if negative {
            return -1.0;
        }
        if x > OVERFLOW {
            return f64::INFINITY;
        }
    }
    let (mut x, mut k, mut c) = (x, 0, 0.0);
    if hx > 0x3fd6_2e42 {
        let (hi, lo);
        if hx < 0x3ff0_a2b2 {
            let sign = if negative { -1.0 } else { 1.0 };
            hi = x - sign * LN2_HI;
            lo = sign * LN2_LO;
            k = if negative { -1 } else { 1 };
        } else {
            k = (INVERSE_LN2 * x + if negative { -0.5 } else { 0.5 }) as i32;
            let t = f64::from(k);
            hi = x - t * LN2_HI;
            lo = t * LN2_LO;
        }
        x = hi - lo;
        c = (hi - x) - lo;
    } else if hx < 0x3c90_0000 {
        return x;
    }
    let hfx = 0.5 * x;
    let hxs = x * hfx;
    let r1 = polynomial(hxs, &Q);
    let t = 3.0 - r1 * hfx;
    let mut e = hxs * ((r1 - t) / (6.0 - x * t));
    if k == 0 {
        return x - (x * e - hxs);
    }
    e = x * (e - c) - c;
    e -= hxs;
    let scaled = |y: f64| with_high(y, high(y).wrapping_add(k << 20));
    match k {
        -1 => 0.5 * (x - e) - 0.5,
        1 if x < -0.25 => -2.0 * (e - (x + 0.5)),
        1 => 1.0 + 2.0 * (x - e),
        _ if k <= -2 || k > 56 => scaled(1.0 - (e - x)) - 1.0,
        _ if k < 20 => {
            let t = with_high(0.0, 0x3ff0_0000 - (0x20_0000 >> k));
            scaled(t - (e - x))
        }
        _ => {
            let t = with_high(0.0, (0x3ff - k) << 20);
            scaled((x - (e + t)) + 1.0)
        }
    }
}

fn exp(x: f64) -> f64 {
    const P: [f64; 5] = [
        1.66666666666666019037e-01,
        -2.77777777770155933842e-03,
        6.61375632143793436117e-05,
        -1.65339022054652515390e-06,
        4.13813679705723846039e-08,
    ];
    const UNDERFLOW: f64 = -7.45133219101941108420e+02;
    const TWO_M1000: f64 = 9.33263618503218878990e-302;
    let negative = high(x) < 0;
    let hx = high(x) & 0x7fff_ffff;
    if x.is_nan() {
        return x;
    }
    if x > OVERFLOW {
        return f64::INFINITY;
    }
    if x < UNDERFLOW {
        return 0.0;
    }
    let (mut x, mut hi, mut lo, mut k) = (x, 0.0, 0.0, 0);
    if hx > 0x3fd6_2e42 {
        if hx < 0x3ff0_a2b2 {
            let sign = if negative { -1.0 } else { 1.0 };
            hi = x - sign * LN2_HI;
            lo = sign * LN2_LO;
            k = if negative { -1 } else { 1 };
        } else {
            k = (INVERSE_LN2 * x + if negative { -0.5 } else { 0.5 }) as i32;
            let t = f64::from(k);
            hi = x - t * LN2_HI;
            lo = t * LN2_LO;
        }
        x = hi - lo;
    } else if hx < 0x3e30_0000 {
        return 1.0 + x;
    }
    let t = x * x;
    let c = x - t * polynomial(t, &P);
    if k == 0 {
        return 1.0 - ((x * c) / (c - 2.0) - x);
    }
    let y = 1.0 - ((lo - (x * c) / (2.0 - c)) - hi);
    if k >= -1021 {
        with_high(y, high(y).wrapping_add(k << 20))
    } else {
        with_high(y, high(y).wrapping_add((k + 1000) << 20)) * TWO_M1000
    }
}

/// `factor * e^|x|` for an |x| so large that e^-|x| does not count; infinite where it must be.
fn half_exp(x: f64, factor: f64) -> f64 {
    let ix = high(x) & 0x7fff_ffff;
    if ix < 0x4086_2e42 {
        return factor * exp(x.abs());
    }
    if ix < 0x4086_33ce || ix == 0x4086_33ce && low(x) <= 0x8fb9_f87d {
        let w = exp(0.5 * x.abs());
        return factor * w * w;
    }
    factor * f64::INFINITY
}

pub(in super::super) fn sinh(x: f64) -> f64 {
    let ix = high(x) & 0x7fff_ffff;
    if ix >= 0x7ff0_0000 {
        return x + x;
    }
    let h = if high(x) < 0 { -0.5 } else { 0.5 };
    if ix < 0x4036_0000 {
        if ix < 0x3e30_0000 {
            return x;
        }
        let t = expm1(x.abs());
        return if ix < 0x3ff0_0000 {
            h * (2.0 * t - t * t / (t + 1.0))
        } else {
            h * (t + t / (t + 1.0))
        };
    }
    half_exp(x, h)
}

pub(in super::super) fn cosh(x: f64) -> f64 {
    let ix = high(x) & 0x7fff_ffff;
    if ix >= 0x7ff0_0000 {
        return x * x;
    }
    if ix < 0x3fd6_2e43 {
        let t = expm1(x.abs());
        let w = 1.0 + t;
        return if ix < 0x3c80_0000 { w } else { 1.0 + (t * t) / (w + w) };
    }
    if ix < 0x4036_0000 {
        let t = exp(x.abs());
        return 0.5 * t + 0.5 / t;
    }
    half_exp(x, 0.5)
}

pub(in super::super) fn tanh(x: f64) -> f64 {
    let ix = high(x) & 0x7fff_ffff;
    if x.is_nan() {
        return x;
    }
    if ix < 0x3c80_0000 {
        return x * (1.0 + x);
    }
    let z: f64 = if ix >= 0x4036_0000 {
        1.0
    } else if ix >= 0x3ff0_0000 {
        let t = expm1(2.0 * x.abs());
        1.0 - 2.0 / (t + 2.0)
    } else {
        let t = expm1(-2.0 * x.abs());
        -t / (t + 2.0)
    };
    if high(x) >= 0 { z } else { -z }
}

pub(in super::super) fn cbrt(x: f64) -> f64 {
    const B1: i32 = 715_094_163;
    const B2: i32 = 696_219_795;
    const C: f64 = 5.42857142857142815906e-01;
    const D: f64 = -7.05306122448979611050e-01;
    const E: f64 = 1.41428571428571436819e+00;
    const F: f64 = 1.60714285714285720630e+00;
    const G: f64 = 3.57142857142857150787e-01;
    if !x.is_finite() || x == 0.0 {
        return x + x;
    }
    let magnitude = x.abs();
    let mut t = if high(magnitude) < 0x0010_0000 {
        let scaled = TWO54 * magnitude;
        with_high(scaled, high(scaled) / 3 + B2)
    } else {
        with_high(0.0, high(magnitude) / 3 + B1)
    };
    let r = t * t / magnitude;
    let s = C + r * t;
    t *= G + F / (s + E + D / s);
    t = with_high(0.0, high(t) + 1);
    let s = t * t;
    let r = magnitude / s;
    let r = (r - t) / (t + t + r);
    (t + t * r).copysign(x)
}

pub(in super::super) fn remainder(x: f64, p: f64) -> f64 {
    if p == 0.0 || !x.is_finite() || p.is_nan() {
        return f64::NAN;
    }
    let negative = x.is_sign_negative();
    let hp = high(p) & 0x7fff_ffff;
    let x = if hp <= 0x7fdf_ffff { x % (p + p) } else { x };
    let (mut x, p) = (x.abs(), p.abs());
    if x == p {
        return if negative { -0.0 } else { 0.0 };
    }
    if hp < 0x0020_0000 {
        if x + x > p {
            x -= p;
            if x + x >= p {
                x -= p;
            }
        }
    } else {
        let half = 0.5 * p;
        if x > half {
            x -= p;
            if x >= half {
                x -= p;
            }
        }
    }
    if negative { -x } else { x }
}
