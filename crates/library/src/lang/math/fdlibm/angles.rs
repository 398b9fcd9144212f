//! Angles: sine, cosine, tangent and their inverses.

use super::super::reduce::quarter_turns;
use super::{cut, high, low, polynomial};

const PIO2_HI: f64 = 1.57079632679489655800e+00;
const PIO2_LO: f64 = 6.12323399573676603587e-17;
const PI: f64 = 3.14159265358979311600e+00;
const PI_LO: f64 = 1.2246467991473531772e-16;

fn kernel_sin(x: f64, y: f64, exact: bool) -> f64 {
    const S1: f64 = -1.66666666666666324348e-01;
    const S: [f64; 5] = [
        8.33333333332248946124e-03,
        -1.98412698298579493134e-04,
        2.75573137070700676789e-06,
        -2.50507602534068634195e-08,
        1.58969099521155010221e-10,
    ];
    if high(x) & 0x7fff_ffff < 0x3e40_0000 {
        return x;
    }
    let z = x * x;
    let v = z * x;
    let r = polynomial(z, &S);
    if exact {
        x + v * (S1 + z * r)
    } else {
        x - ((z * (0.5 * y - v * r) - y) - v * S1)
    }
}

fn kernel_cos(x: f64, y: f64) -> f64 {
    const C: [f64; 6] = [
        4.16666666666666019037e-02,
        -1.38888888888741095749e-03,
        2.48015872894767294178e-05,
        -2.75573143513906633035e-07,
        2.08757232129817482790e-09,
        -1.13596475577881948265e-11,
    ];
    let ix = high(x) & 0x7fff_ffff;
    if ix < 0x3e40_0000 {
        return 1.0;
    }
    let z = x * x;
    let r = z * polynomial(z, &C);
    if ix < 0x3fd3_3333 {
        return 1.0 - (0.5 * z - (z * r - x * y));
    }
    let qx = if ix > 0x3fe9_0000 {
        0.28125
    } else {
        f64::from_bits(((ix - 0x0020_0000) as u64) << 32)
    };
    let hz = 0.5 * z - qx;
    let a = 1.0 - qx;
    a - (hz - (z * r - x * y))
}

/// Tangent, or its negative inverse if `invert`.
fn kernel_tan(x: f64, y: f64, invert: bool) -> f64 {
    const T: [f64; 13] = [
        3.33333333333334091986e-01,
        1.33333333333201242699e-01,
        5.39682539762260521377e-02,
        2.18694882948595424599e-02,
        8.86323982359930005737e-03,
        3.59207910759131235356e-03,
        1.45620945432529025516e-03,
        5.88041240820264096874e-04,
        2.46463134818469906812e-04,
        7.81794442939557092300e-05,
        7.14072491382608190305e-05,
        -1.85586374855275456654e-05,
        2.59073051863633712884e-05,
    ];
    const PIO4: f64 = 7.85398163397448278999e-01;
    const PIO4_LO: f64 = 3.06161699786838301793e-17;
    let inverse = |w: f64, v: f64, z: f64| {
        let a = -1.0 / w;
        let t = cut(a);
        let s = 1.0 + t * z;
        t + a * (s + t * v)
    };
    let hx = high(x);
    let ix = hx & 0x7fff_ffff;
    let (mut x, mut y) = (x, y);
    if ix < 0x3e30_0000 {
        if (ix as u32 | low(x)) == 0 && invert {
            return 1.0 / x.abs();
        }
        if !invert {
            return x;
        }
        let w = x + y;
        let z = cut(w);
        return inverse(w, y - (z - x), z);
    }
    let large = ix >= 0x3fe5_9428;
    if large {
        if hx < 0 {
            x = -x;
            y = -y;
        }
        x = (PIO4 - x) + (PIO4_LO - y);
        y = 0.0;
    }
    let z = x * x;
    let w = z * z;
    let r = polynomial(w, &[T[1], T[3], T[5], T[7], T[9], T[11]]);
    let v = z * polynomial(w, &[T[2], T[4], T[6], T[8], T[10], T[12]]);
    let s = z * x;
    let mut r = y + z * (s * (r + v) + y);
    r += T[0] * s;
    let w = x + r;
    if large {
        let v = if invert { -1.0 } else { 1.0 };
        return f64::from(1 - (hx >> 30 & 2)) * (v - 2.0 * (x - (w * w / (w + v) - r)));
    }
    if !invert {
        return w;
    }
    let z = cut(w);
    inverse(w, r - (z - x), z)
}

/// An angle as a number of quarter turns, modulo four, and what is left in two doubles.
fn reduce(x: f64) -> (u32, f64, f64) {
    const PIO2_1: f64 = 1.57079632673412561417e+00;
    const PIO2_1T: f64 = 6.07710050650619224932e-11;
    const PIO2_2: f64 = 6.07710050630396597660e-11;
    const PIO2_2T: f64 = 2.02226624879595063154e-21;
    const PIO2_3: f64 = 2.02226624871116645580e-21;
    const PIO2_3T: f64 = 8.47842766036889956997e-32;
    let hx = high(x);
    let ix = hx & 0x7fff_ffff;
    if ix < 0x4002_d97c {
        // One quarter turn, with the sign of x.
        let sign = if hx > 0 { 1.0 } else { -1.0 };
        let mut z = x - sign * PIO2_1;
        let mut tail = PIO2_1T;
        if ix == 0x3ff9_21fb {
            z -= sign * PIO2_2;
            tail = PIO2_2T;
        }
        let y = z - sign * tail;
        return (if hx > 0 { 1 } else { 3 }, y, (z - y) - sign * tail);
    }
    if ix > 0x4139_21fb {
        return quarter_turns(x);
    }
    let t = x.abs();
    let n = (t * 6.36619772367581382433e-01 + 0.5) as i32;
    let count = f64::from(n);
    let mut r = t - count * PIO2_1;
    let mut w = count * PIO2_1T;
    let mut y = r - w;
    let near_multiple = ix == high(count * PIO2_HI);
    if n >= 32 || near_multiple {
        let exponent = ix >> 20;
        let lost = |y: f64| exponent - (high(y) >> 20 & 0x7ff);
        if lost(y) > 16 {
            let t = r;
            w = count * PIO2_2;
            r = t - w;
            w = count * PIO2_2T - ((t - r) - w);
            y = r - w;
            if lost(y) > 49 {
                let t = r;
                w = count * PIO2_3;
                r = t - w;
                w = count * PIO2_3T - ((t - r) - w);
                y = r - w;
            }
        }
    }
    let rest = (r - y) - w;
    if hx < 0 {
        (-n as u32 & 3, -y, -rest)
    } else {
        (n as u32 & 3, y, rest)
    }
}

/// At most π/4, where no reduction is needed.
fn is_small(x: f64) -> bool {
    high(x) & 0x7fff_ffff <= 0x3fe9_21fb
}

pub(in super::super) fn sin(x: f64) -> f64 {
    if is_small(x) {
        return kernel_sin(x, 0.0, true);
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, y, rest) = reduce(x);
    match n {
        0 => kernel_sin(y, rest, false),
        1 => kernel_cos(y, rest),
        2 => -kernel_sin(y, rest, false),
        _ => -kernel_cos(y, rest),
    }
}

pub(in super::super) fn cos(x: f64) -> f64 {
    if is_small(x) {
        return kernel_cos(x, 0.0);
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, y, rest) = reduce(x);
    match n {
        0 => kernel_cos(y, rest),
        1 => -kernel_sin(y, rest, false),
        2 => -kernel_cos(y, rest),
        _ => kernel_sin(y, rest, false),
    }
}

pub(in super::super) fn tan(x: f64) -> f64 {
    if is_small(x) {
        return kernel_tan(x, 0.0, false);
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, y, rest) = reduce(x);
    kernel_tan(y, rest, n & 1 == 1)
}

/// The rational function of arc sine and cosine.
fn arc_ratio(t: f64) -> f64 {
    const P: [f64; 6] = [
        1.66666666666666657415e-01,
        -3.25565818622400915405e-01,
        2.01212532134862925881e-01,
        -4.00555345006794114027e-02,
        7.91534994289814532176e-04,
        3.47933107596021167570e-05,
    ];
    const Q: [f64; 5] = [
        1.0,
        -2.40339491173441421878e+00,
        2.02094576023350569471e+00,
        -6.88283971605453293030e-01,
        7.70381505559019352791e-02,
    ];
    (t * polynomial(t, &P)) / polynomial(t, &Q)
}

pub(in super::super) fn asin(x: f64) -> f64 {
    const PIO4_HI: f64 = 7.85398163397448278999e-01;
    let hx = high(x);
    let ix = hx & 0x7fff_ffff;
    if ix >= 0x3ff0_0000 {
        if (ix - 0x3ff0_0000) as u32 | low(x) == 0 {
            return x * PIO2_HI + x * PIO2_LO;
        }
        return f64::NAN;
    }
    if ix < 0x3fe0_0000 {
        if ix < 0x3e40_0000 {
            return x;
        }
        return x + x * arc_ratio(x * x);
    }
    let t = (1.0 - x.abs()) * 0.5;
    let ratio = arc_ratio(t);
    let s = t.sqrt();
    let result = if ix >= 0x3fef_3333 {
        PIO2_HI - (2.0 * (s + s * ratio) - PIO2_LO)
    } else {
        let w = cut(s);
        let c = (t - w * w) / (s + w);
        let p = 2.0 * s * ratio - (PIO2_LO - 2.0 * c);
        let q = PIO4_HI - 2.0 * w;
        PIO4_HI - (p - q)
    };
    if hx > 0 { result } else { -result }
}

pub(in super::super) fn acos(x: f64) -> f64 {
    let hx = high(x);
    let ix = hx & 0x7fff_ffff;
    if ix >= 0x3ff0_0000 {
        if (ix - 0x3ff0_0000) as u32 | low(x) == 0 {
            return if hx > 0 { 0.0 } else { PI + 2.0 * PIO2_LO };
        }
        return f64::NAN;
    }
    if ix < 0x3fe0_0000 {
        if ix <= 0x3c60_0000 {
            return PIO2_HI + PIO2_LO;
        }
        return PIO2_HI - (x - (PIO2_LO - x * arc_ratio(x * x)));
    }
    if hx < 0 {
        let z = (1.0 + x) * 0.5;
        let s = z.sqrt();
        let w = arc_ratio(z) * s - PIO2_LO;
        return PI - 2.0 * (s + w);
    }
    let z = (1.0 - x) * 0.5;
    let s = z.sqrt();
    let df = cut(s);
    let c = (z - df * df) / (s + df);
    let w = arc_ratio(z) * s + c;
    2.0 * (df + w)
}

pub(in super::super) fn atan(x: f64) -> f64 {
    const HI: [f64; 4] = [
        4.63647609000806093515e-01,
        7.85398163397448278999e-01,
        9.82793723247329054082e-01,
        1.57079632679489655800e+00,
    ];
    const LO: [f64; 4] = [
        2.26987774529616870924e-17,
        3.06161699786838301793e-17,
        1.39033110312309984516e-17,
        6.12323399573676603587e-17,
    ];
    const T: [f64; 11] = [
        3.33333333333329318027e-01,
        -1.99999999998764832476e-01,
        1.42857142725034663711e-01,
        -1.11111104054623557880e-01,
        9.09088713343650656196e-02,
        -7.69187620504482999495e-02,
        6.66107313738753120669e-02,
        -5.83357013379057348645e-02,
        4.97687799461593236017e-02,
        -3.65315727442169155270e-02,
        1.62858201153657823623e-02,
    ];
    let hx = high(x);
    let ix = hx & 0x7fff_ffff;
    if x.is_nan() {
        return x;
    }
    if ix >= 0x4410_0000 {
        return if hx > 0 { HI[3] + LO[3] } else { -HI[3] - LO[3] };
    }
    let (id, y) = if ix < 0x3fdc_0000 {
        if ix < 0x3e20_0000 {
            return x;
        }
        (None, x)
    } else {
        let x = x.abs();
        if ix < 0x3fe6_0000 {
            (Some(0), (2.0 * x - 1.0) / (2.0 + x))
        } else if ix < 0x3ff3_0000 {
            (Some(1), (x - 1.0) / (x + 1.0))
        } else if ix < 0x4003_8000 {
            (Some(2), (x - 1.5) / (1.0 + 1.5 * x))
        } else {
            (Some(3), -1.0 / x)
        }
    };
    let z = y * y;
    let w = z * z;
    let s1 = z * polynomial(w, &[T[0], T[2], T[4], T[6], T[8], T[10]]);
    let s2 = w * polynomial(w, &[T[1], T[3], T[5], T[7], T[9]]);
    match id {
        None => y - y * (s1 + s2),
        Some(id) => {
            let z: f64 = HI[id] - ((y * (s1 + s2) - LO[id]) - y);
            if hx < 0 { -z } else { z }
        }
    }
}

pub(in super::super) fn atan2(y: f64, x: f64) -> f64 {
    const PIO4: f64 = 7.8539816339744827900e-01;
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (hx, hy) = (high(x), high(y));
    if x == 1.0 {
        return atan(y);
    }
    let (left, below) = (hx < 0, hy < 0);
    let signed = |value: f64| if below { -value } else { value };
    if y == 0.0 {
        return if left { signed(PI) } else { y };
    }
    if x == 0.0 {
        return signed(PIO2_HI);
    }
    if x.is_infinite() {
        let angle = match (y.is_infinite(), left) {
            (true, false) => PIO4,
            (true, true) => 3.0 * PIO4,
            (false, false) => 0.0,
            (false, true) => PI,
        };
        return signed(angle);
    }
    if y.is_infinite() {
        return signed(PIO2_HI);
    }
    let k = ((hy & 0x7fff_ffff) - (hx & 0x7fff_ffff)) >> 20;
    let z = if k > 60 {
        PIO2_HI + 0.5 * PI_LO
    } else if left && k < -60 {
        0.0
    } else {
        atan((y / x).abs())
    };
    match (left, below) {
        (false, false) => z,
        (false, true) => -z,
        (true, false) => PI - (z - PI_LO),
        (true, true) => (z - PI_LO) - PI,
    }
}
