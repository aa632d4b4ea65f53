//! Exponentials, the hyperbolic functions and the error function.

use super::{
    Int as _, Real, bits_of_power, int, is_nan, nearest, negate_if, polynomial, power_of_two,
    take_sign,
};

const LOG2_E: f32 = std::f32::consts::LOG2_E;

/// ln 2 in two parts; the first is short, so that its small multiples are exact.
const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];

/// `(e^r - 1 - r) / r^2` for `|r| <= ln 2 / 2`.
const EXP: &[f32] = &[
    1.989_110_3e-4,
    1.393_375_1e-3,
    8.333_310_5e-3,
    4.166_646_3e-2,
    0.166_666_67,
    0.5,
];

/// `(2^r - 1) / r` for `|r| <= 1/2`.
const EXP2: &[f32] = &[
    1.529_732_4e-5,
    1.546_144_5e-4,
    1.333_350_2e-3,
    9.618_057e-3,
    5.550_411e-2,
    0.240_226_5,
    std::f32::consts::LN_2,
];

/// `(sinh x - x) / x^3` in `x^2`, for `|x| <= 1`.
const SINH: &[f32] = &[2.806_280_2e-6, 1.983_810_2e-4, 8.333_339e-3, 0.166_666_67];

/// `(tanh x - x) / x^3` in `x^2`, for `|x| <= 0.6`.
const TANH: &[f32] = &[
    2.370_765_7e-3,
    -8.410_071e-3,
    2.178_832_1e-2,
    -5.396_155e-2,
    0.133_333_13,
    -0.333_333_34,
];

/// `(erf x - x) / x` in `x^2`, for `|x| <= 0.93`.
const ERF: &[f32] = &[
    8.316_879e-5,
    -8.130_445e-4,
    5.199_989_3e-3,
    -2.685_899_7e-2,
    0.112_836_89,
    -0.376_126_32,
    0.128_379_17,
];

/// `(-ln(erfc x) - x) / x` for `x` from 0.9 to 4.
const ERFC: &[f32] = &[
    -2.940_337e-7,
    4.840_379_5e-6,
    -1.578_444_6e-5,
    -2.616_205e-4,
    3.625_265_8e-3,
    -2.394_028e-2,
    0.106_579_91,
    0.634_893_36,
    0.128_720_09,
];

/// `p * 2^n` for `p` near 1 and `n` from -252 to 254, rounded once. It may be that of [`nearest`].
pub(super) fn scale<R: Real>(p: R, n: R::Int) -> R {
    let half = n.down(int::<R>(1));
    p * power_of_two(half) * power_of_two(n - half)
}

/// The same, but NaN where `x` is: the factor is, whose bits are integers anyway.
fn scale_or_nan<R: Real>(p: R, n: R::Int, x: R) -> R {
    let half = n.down(int::<R>(1));
    let nan = R::Int::select(x.same(x), int::<R>(0), int::<R>(-1));
    p * power_of_two(half) * R::from_bits(bits_of_power(n - half) | nan)
}

/// `e^x` as `(1 + y) * 2^n` with `|y| < 0.42`, for `|x| < 200`. Gives `y`, and `n` as [`nearest`] does.
fn reduced<R: Real>(x: R) -> (R, R::Int) {
    let (n, integer) = nearest(x * R::of(LOG2_E));
    let high = n.fma(R::of(-LN_2[0]), x);
    let r = n.fma(R::of(-LN_2[1]), high);
    // What rounding to `r` lost.
    let low = n.fma(R::of(-LN_2[1]), high - r);
    let y = (r * r).fma(polynomial(r, EXP), low) + r;
    (y, integer)
}

fn clamp<R: Real>(x: R, low: f32, high: f32) -> R {
    x.most(R::of(low)).least(R::of(high))
}

/// `result`, but NaN where `x` is.
fn or_nan<R: Real>(x: R, result: R) -> R {
    R::select(is_nan(x), x, result)
}

/// `e^x`.
pub fn exp<R: Real>(x: R) -> R {
    let (y, n) = reduced(clamp(x, -104.0, 89.0));
    scale_or_nan(y + R::of(1.0), n, x)
}

/// `2^x`.
pub fn exp2<R: Real>(x: R) -> R {
    let clamped = clamp(x, -151.0, 129.0);
    let (n, integer) = nearest(clamped);
    scale_or_nan(power(clamped - n), integer, x)
}

/// `2^r` for `|r| <= 1/2`.
pub(super) fn power<R: Real>(r: R) -> R {
    polynomial(r, EXP2).fma(r, R::of(1.0))
}

/// `e^x - 1`.
pub fn exp_m1<R: Real>(x: R) -> R {
    let (sign, _) = take_sign(x);
    let (y, n) = reduced(clamp(x, -18.0, 89.0));
    // Half of it, since 2^128 is no number.
    let half: R = power_of_two(n - int::<R>(1));
    let result = y.fma(half, half - R::of(0.5)) * R::of(2.0);
    // It has the sign of x, also where it is zero.
    or_nan(x, negate_if(result.magnitude(), sign))
}

/// `e^x / 2` for `x >= 0`: finite for as long as sinh and cosh are.
fn half_exp<R: Real>(x: R) -> R {
    let (y, n) = reduced(x.least(R::of(90.0)));
    scale(y + R::of(1.0), n - int::<R>(1))
}

/// The hyperbolic sine.
pub fn sinh<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let square = x * x;
    let near = (square * x).fma(polynomial(square, SINH), x);
    let half = half_exp(x);
    let far = half - R::of(0.25) / half;
    negate_if(R::select(R::of(1.0).less(x), far, near), sign)
}

/// The hyperbolic cosine.
pub fn cosh<R: Real>(x: R) -> R {
    let half = half_exp(x.magnitude());
    or_nan(x, half + R::of(0.25) / half)
}

/// The hyperbolic tangent.
pub fn tanh<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let square = x * x;
    let near = (square * x).fma(polynomial(square, TANH), x);
    let (y, n) = reduced((x + x).least(R::of(20.0)));
    let exponential = scale(y + R::of(1.0), n);
    let far = R::of(1.0) - R::of(2.0) / (exponential + R::of(1.0));
    negate_if(R::select(R::of(0.55).less(x), far, near), sign)
}

/// The error function.
pub fn erf<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let square = x * x;
    let near = polynomial(square, ERF).fma(x, x);
    let inner = x.least(R::of(4.0));
    let exponent = -polynomial(inner, ERFC).fma(inner, inner);
    let (y, n) = reduced(exponent);
    let far = R::of(1.0) - scale(y + R::of(1.0), n);
    negate_if(R::select(R::of(0.92).less(x), far, near), sign)
}
