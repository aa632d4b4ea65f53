//! Trigonometric functions and their inverses.

use super::{Int as _, Real, SIGN, int, is_nan, nearest, negate_if, polynomial, take_sign};
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, PI};

/// Pi / 2 in three parts.
const HALF_PI: [f32; 3] = [FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];

/// `(sin r - r) / r^3` in `r^2`, for `|r| <= pi / 4`.
const SIN: &[f32] = &[2.724_960_3e-6, -1.984_008_4e-4, 8.333_332e-3, -0.166_666_67];

/// `(cos r - 1 + r^2 / 2) / r^4` in `r^2`, for `|r| <= pi / 4`.
const COS: &[f32] = &[
    -2.730_069_2e-7,
    2.480_059_8e-5,
    -1.388_888_8e-3,
    4.166_666_8e-2,
];

/// `(tan r - r) / r^3` in `r^2`, for `|r| <= pi / 4`.
const TAN: &[f32] = &[
    1.791_585_4e-3,
    -4.656_117e-6,
    4.428_94e-3,
    8.607_863e-3,
    2.191_094_7e-2,
    5.396_499e-2,
    0.133_333_43,
    0.333_333_34,
];

/// `(asin x - x) / x^3` in `x^2`, for `|x| <= 1/2`.
const ASIN: &[f32] = &[
    3.370_072_7e-2,
    1.714_371_7e-2,
    3.110_172_8e-2,
    4.459_932e-2,
    7.500_095e-2,
    0.166_666_66,
];

/// `(atan x - x) / x^3` in `x^2`, for `|x| <= 1`.
const ATAN: &[f32] = &[
    1.488_691_9e-3,
    -9.144_629e-3,
    2.630_500_1e-2,
    -4.896_051_4e-2,
    7.031_914_6e-2,
    -8.931_827e-2,
    0.110_882_62,
    -0.142_840_04,
    0.199_999_5,
    -0.333_333_34,
];

/// Positive `x` less a multiple of pi / 2, as a sum of two numbers, and the multiple.
fn reduced<R: Real>(x: R) -> (R, R, R::Int) {
    let [first, second, third] = HALF_PI.map(|part| R::of(-part));
    let (n, integer) = nearest(x * R::of(FRAC_2_PI));
    // Exact: nothing but leading bits cancels.
    let exact = n.fma(first, x);
    let part = n * second;
    let part_low = n.fma(second, -part);
    let r = exact + part;
    // What rounding to `r` lost, whichever of the two is larger.
    let taken = r - exact;
    let lost = (exact - (r - taken)) + (part - taken);
    (r, n.fma(third, part_low + lost), integer)
}

/// Sine and cosine of `r + low`.
fn sin_and_cos<R: Real>(r: R, low: R) -> (R, R) {
    let square = r * r;
    let sin = r + (square * r).fma(polynomial(square, SIN), low);
    // Rounding 1 - r^2/2 loses something that the next terms make good.
    let half = square * R::of(0.5);
    let near = R::of(1.0) - half;
    let lost = (R::of(1.0) - near) - half;
    let rest = (square * square).fma(polynomial(square, COS), lost - r * low);
    (sin, near + rest)
}

/// Sine of `r + low` plus `n` quarter turns.
fn quarter_turns<R: Real>(r: R, low: R, n: R::Int) -> R {
    let (sin, cos) = sin_and_cos(r, low);
    let even = (n & int::<R>(1)).same(int::<R>(0));
    let sign = n.up(int::<R>(30)) & int::<R>(SIGN);
    negate_if(R::select(even, sin, cos), sign)
}

/// The sine of `x` radians, within 2 ULP up to 32768.
pub fn sin<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let (r, low, n) = reduced(x);
    negate_if(quarter_turns(r, low, n), sign)
}

/// The cosine of `x` radians, within 2 ULP up to 32768.
pub fn cos<R: Real>(x: R) -> R {
    let (r, low, n) = reduced(x.magnitude());
    quarter_turns(r, low, n + int::<R>(1))
}

/// The tangent of `x` radians, within 2 ULP up to 32768.
pub fn tan<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let (r, low, n) = reduced(x);
    let square = r * r;
    // tan(r + low) = tan r + low * (1 + tan^2 r).
    let more = (square * r).fma(polynomial(square, TAN), low.fma(square, low));
    let tan = r + more;
    let tan_low = more - (tan - r);
    let inverse = R::of(-1.0) / tan;
    // How far the inverse is from that of both parts.
    let off = inverse.fma(tan_low, inverse.fma(tan, R::of(1.0)));
    let cot = inverse.fma(off, inverse);
    let even = (n & int::<R>(1)).same(int::<R>(0));
    negate_if(R::select(even, tan, cot), sign)
}

/// `asin x - x` for `|x| <= 1/2`, given `x^2`.
fn asin_rest<R: Real>(x: R, square: R) -> R {
    polynomial(square, ASIN) * (square * x)
}

/// What [`asin`] and [`acos`] share, for positive `x`: whether it is above 1/2; where it is, the square root of
/// `(1 - x) / 2`, otherwise `x`; and that one's `asin` less itself.
fn halved<R: Real>(x: R) -> (R::Flag, R, R) {
    let above = R::of(0.5).less(x);
    let half = x.fma(R::of(-0.5), R::of(0.5));
    let base = R::select(above, half.sqrt(), x);
    let square = R::select(above, half, x * x);
    (above, base, asin_rest(base, square))
}

/// The arc sine, from -pi/2 to pi/2; NaN beyond -1 and 1.
pub fn asin<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let (above, base, rest) = halved(x);
    let twice = base + base;
    let coarse = R::of(HALF_PI[0]) - twice;
    let lost = (R::of(HALF_PI[0]) - coarse) - twice;
    let far = coarse + (rest.fma(R::of(-2.0), R::of(HALF_PI[1])) + lost);
    negate_if(R::select(above, far, base + rest), sign)
}

/// The arc cosine, from 0 to pi; NaN beyond -1 and 1.
pub fn acos<R: Real>(x: R) -> R {
    let (above, base, rest) = halved(x.magnitude());
    let negative = x.less(R::of(0.0));
    let two = R::of(2.0);
    let near = (base + rest) * two;
    let far = base.fma(-two, R::of(PI)) + rest.fma(-two, R::of(2.0 * HALF_PI[1]));
    let outer = R::select(negative, far, near);
    let sign = x.bits() & int::<R>(SIGN);
    let (base, rest) = (negate_if(base, sign), negate_if(rest, sign));
    let inner = (R::of(HALF_PI[0]) - base) + (R::of(HALF_PI[1]) - rest);
    R::select(above, outer, inner)
}

/// The arc tangent of positive `t`, or what is left of a right angle then; `t <= 1`.
fn angle<R: Real>(t: R, complement: R::Flag) -> R {
    let square = t * t;
    let rest = polynomial(square, ATAN) * (square * t);
    let angle = t + rest;
    let other = (R::of(HALF_PI[0]) - t) + (R::of(HALF_PI[1]) - rest);
    R::select(complement, other, angle)
}

/// The arc tangent, from -pi/2 to pi/2.
pub fn atan<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let above = R::of(1.0).less(x);
    let t = R::select(above, R::of(1.0) / x, x);
    negate_if(angle(t, above), sign)
}

/// The angle of the point `(x, y)` in radians, from -pi to pi.
pub fn atan2<R: Real>(y: R, x: R) -> R {
    let (y_sign, y_magnitude) = take_sign(y);
    let (x_sign, x_magnitude) = take_sign(x);
    let steep = x_magnitude.less(y_magnitude);
    let (least, most) = (
        x_magnitude.least(y_magnitude),
        x_magnitude.most(y_magnitude),
    );
    // At the origin and between infinities the quotient has no value.
    let t = R::select(most.same(R::of(0.0)), most, least / most);
    let t = R::select(least.same(R::of(f32::INFINITY)), R::of(1.0), t);
    let angle = angle(t, steep);
    let obtuse = (R::of(PI) - angle) + R::of(2.0 * HALF_PI[1]);
    let angle = R::select(x_sign.same(int::<R>(0)), angle, obtuse);
    R::select(
        is_nan(x) | is_nan(y),
        R::of(f32::NAN),
        negate_if(angle, y_sign),
    )
}
