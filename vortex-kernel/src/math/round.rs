//! Rounding, signs, remainders and lengths.

use super::{FRACTION, Int as _, Real, int, is_nan, negate_if, take_sign};

/// The largest float that is an `i32`. From 2^23 on every float is an integer.
const MOST: f32 = 2_147_483_520.0;

/// The integer that `x` is rounded to: `near` rounds what an `i32` is near to. What is beyond is added again, which is
/// exact, as `MOST` is no tie of what large numbers are rounded to. 0 has the sign of what was rounded to it.
fn rounded<R: Real>(x: R, near: fn(R) -> R) -> R {
    let inside = x.most(R::of(-MOST)).least(R::of(MOST));
    (near(inside) + (x - inside)).with_sign(x)
}

/// The integer next to `x` towards zero.
pub fn trunc<R: Real>(x: R) -> R {
    rounded(x, R::trunc)
}

/// The integer nearest to `x`, of halves the one away from zero.
pub fn round<R: Real>(x: R) -> R {
    rounded(x, R::round)
}

/// The integer nearest to `x`, of halves the even one.
pub fn round_ties_even<R: Real>(x: R) -> R {
    rounded(x, R::round_ties_even)
}

/// The largest integer not above `x`.
pub fn floor<R: Real>(x: R) -> R {
    rounded(x, R::floor)
}

/// The smallest integer not below `x`.
pub fn ceil<R: Real>(x: R) -> R {
    rounded(x, R::ceil)
}

/// `x` with the sign of `sign`.
pub fn copysign<R: Real>(x: R, sign: R) -> R {
    x.with_sign(sign)
}

/// 1 with the sign of `x`; NaN of NaN.
pub fn signum<R: Real>(x: R) -> R {
    R::select(is_nan(x), x, copysign(R::of(1.0), x))
}

/// The remainder of the division that rounds towards zero, exact: Rust's `x % y`.
pub fn rem<R: Real>(x: R, y: R) -> R {
    // The remainder of the significands as integers, seven bits of the quotient at a time.
    const STEP: i32 = 7;
    let (sign, x_magnitude) = take_sign(x);
    let y_magnitude = y.magnitude();
    let (x_exponent, x_significand) = parts(x_magnitude);
    let (y_exponent, y_significand) = parts(y_magnitude);
    let zero = int::<R>(0);
    let one = int::<R>(1);
    // Dividing by zero has no remainder; what is computed then is not used.
    let divisor = R::Int::select(y_significand.less(one), one, y_significand);
    let distance = x_exponent - y_exponent;
    let [_, significand] = R::repeat(
        [distance, x_significand.modulo(divisor)],
        |[left, _]| zero.less(left),
        |[left, significand]| {
            let step = R::Int::select(left.less(int::<R>(STEP)), left, int::<R>(STEP));
            [left - step, significand.up(step).modulo(divisor)]
        },
    );
    // The weight of the significand's last bit, in two halves: their product may be subnormal.
    let exponent = y_exponent - int::<R>(150);
    let half = exponent.down(one);
    let remainder =
        R::from_int(significand) * super::power_of_two(half) * super::power_of_two(exponent - half);
    let remainder = R::select(x_magnitude.less(y_magnitude), x_magnitude, remainder);
    let defined = x_magnitude.less(R::of(f32::INFINITY)) & R::of(0.0).less(y_magnitude);
    R::select(defined, negate_if(remainder, sign), R::of(f32::NAN))
}

/// Exponent and significand of a positive number: it is `significand * 2^(exponent - 150)`.
fn parts<R: Real>(x: R) -> (R::Int, R::Int) {
    let bits = x.bits();
    let exponent = bits.down(int::<R>(FRACTION));
    let fraction = bits & int::<R>((1 << FRACTION) - 1);
    let subnormal = exponent.less(int::<R>(1));
    let significand = R::Int::select(subnormal, fraction, fraction | int::<R>(1 << FRACTION));
    (
        R::Int::select(subnormal, int::<R>(1), exponent),
        significand,
    )
}

/// `sqrt(x * x + y * y)` without overflow on the way.
pub fn hypot<R: Real>(x: R, y: R) -> R {
    // Powers of two: 2^63, 2^-40, 2^100 and 2^-100.
    const LARGE: f32 = 9.223_372e18;
    const SMALL: f32 = 9.094_947e-13;
    const UP: f32 = 1.267_650_6e30;
    const DOWN: f32 = 7.888_609e-31;
    let (x, y) = (x.magnitude(), y.magnitude());
    let infinite = x.same(R::of(f32::INFINITY)) | y.same(R::of(f32::INFINITY));
    let most = x.most(y);
    let large = R::of(LARGE).less(most);
    let small = most.less(R::of(SMALL));
    let choose =
        |l: f32, s: f32| R::select(large, R::of(l), R::select(small, R::of(s), R::of(1.0)));
    let (down, up) = (choose(DOWN, UP), choose(UP, DOWN));
    let (x, y) = (x * down, y * down);
    let length = x.fma(x, y * y).sqrt() * up;
    R::select(infinite, R::of(f32::INFINITY), length)
}

/// `1 / sqrt(x)`.
pub fn rsqrt<R: Real>(x: R) -> R {
    R::of(1.0) / x.sqrt()
}
