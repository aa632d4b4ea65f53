//! Logarithms and powers.

use super::exp::{Power, power_of_rest};
use super::{FRACTION, Int as _, PUSH, Real, SIGN, int, is_nan, negate_if, polynomial, trunc};

use std::f32::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};

/// A logarithm: its base, and how it is computed on `[2/3, 4/3]`.
struct Base {
    /// Of 1 / ln(base): the part of the result that `x - 1` itself gives. In two parts.
    slope: [f32; 2],
    /// Logarithm of 2, in two parts.
    octave: [f32; 2],
    /// `(log(1 + f) - f / ln(base)) / f^2` for `|f| <= 1/3`.
    rest: [f32; 10],
}

const E: Base = Base {
    slope: [1.0, 0.0],
    octave: [LN_2, 0.0],
    rest: [
        0.116_240_35,
        -0.127_391_03,
        0.108_509_84,
        -0.122_188_72,
        0.142_963_16,
        -0.166_781_22,
        0.199_998_51,
        -0.249_998_39,
        0.333_333_34,
        -0.5,
    ],
};

const TWO: Base = Base {
    slope: [LOG2_E, 1.925_963e-8],
    octave: [1.0, 0.0],
    rest: [
        0.167_699_38,
        -0.183_786_4,
        0.156_546_6,
        -0.176_281_05,
        0.206_252_23,
        -0.240_614_43,
        0.288_536_85,
        -0.360_671_43,
        0.480_898_35,
        -0.721_347_5,
    ],
};

const TEN: Base = Base {
    slope: [LOG10_E, -1.010_305e-8],
    octave: [LOG10_2, -1.432_098_9e-8],
    rest: [
        5.048_254_5e-2,
        -5.532_522e-2,
        4.712_522_4e-2,
        -5.306_588_5e-2,
        6.208_811e-2,
        -7.243_216e-2,
        8.685_825e-2,
        -0.108_572_92,
        0.144_764_83,
        -0.217_147_25,
    ],
};

/// 2 / ln 2, in two parts.
const TWO_LOG2_E: [f32; 2] = [2.885_39, 3.851_926e-8];

/// 2 / (3 ln 2), in two parts: `log2((1 + s) / (1 - s))` is `2 s / ln 2 + s^3 (2 / (3 ln 2) + ..)`.
const CUBIC: [f32; 2] = [0.961_796_7, -7.028_462e-9];

/// What follows, over `s^5`, in `s^2`, for `|s| <= 0.2`.
const QUINTIC: &[f32] = &[0.280_996_47, 0.320_123_52, 0.412_202_42, 0.577_078];

/// Bits of 2/3: significands are taken from there to 4/3.
const TWO_THIRDS: i32 = 0x3f2a_aaab;

/// The exponent, in place, that brings the positive normal number with these bits into `[2/3, 4/3]`.
fn exponent<R: Real>(bits: R::Int) -> R::Int {
    (bits - int::<R>(TWO_THIRDS)) & int::<R>(!((1 << FRACTION) - 1))
}

const UP: f32 = 8_388_608.0;

/// Positive `x` as `(1 + f) * 2^k`, with `1 + f` from 2/3 to 4/3. Gives `f` and `k`.
fn split<R: Real>(x: R) -> (R, R) {
    let (f, k) = split_bits(x, x.bits());
    (f, R::from_int(k))
}

/// The same of `x` and its bits, where `k` is an integer. Of what is no positive number `f` is one in that range, too.
fn split_bits<R: Real>(x: R, bits: R::Int) -> (R, R::Int) {
    let subnormal = bits.less(int::<R>(1 << FRACTION));
    let normal = R::Int::select(subnormal, (x * R::of(UP)).bits(), bits);
    let e = exponent::<R>(normal);
    let f = R::from_bits(normal - e) - R::of(1.0);
    let k = e.down(int::<R>(FRACTION));
    (f, R::Int::select(subnormal, k - int::<R>(FRACTION), k))
}

impl Base {
    /// The logarithm of `(1 + f) * 2^k`.
    fn of_parts<R: Real>(&self, f: R, k: R) -> R {
        let [slope, slope_low] = self.slope;
        let [octave, octave_low] = self.octave;
        let rest = polynomial(f, &self.rest);
        let square = f * f;
        let near = if slope == 1.0 {
            square.fma(rest, f)
        } else {
            let mut low = f.fma(R::of(slope_low), rest * square);
            if octave_low != 0.0 {
                // It may be infinite, and then this must not be.
                let k = k.most(R::of(-150.0)).least(R::of(150.0));
                low = k.fma(R::of(octave_low), low);
            }
            f.fma(R::of(slope), low)
        };
        k.fma(R::of(octave), near)
    }

    fn of<R: Real>(&self, x: R) -> R {
        let bits = x.bits();
        let (f, k) = split_bits(x, bits);
        // What has no logarithm, or an infinite one, has the multiple of the octave that gives it. Positive infinity
        // and what is no number stay what they are.
        let pushed = k + int::<R>(PUSH.to_bits().cast_signed());
        let infinity = int::<R>(f32::INFINITY.to_bits().cast_signed());
        let pushed = R::Int::select(bits.less(infinity), pushed, bits);
        let is_zero = bits.up(int::<R>(1)).same(int::<R>(0));
        let zero = int::<R>(f32::NEG_INFINITY.to_bits().cast_signed());
        let other = R::Int::select(is_zero, zero, int::<R>(-1));
        let pushed = R::Int::select(int::<R>(0).less(bits), pushed, other);
        self.of_parts(f, R::from_bits(pushed) - R::of(PUSH))
    }
}

/// `result` for positive `x`, -infinity at zero, otherwise NaN.
fn outside<R: Real>(x: R, result: R) -> R {
    let zero = R::of(0.0);
    let other = R::select(x.same(zero), R::of(f32::NEG_INFINITY), R::of(f32::NAN));
    R::select(zero.less(x), result, other)
}

/// The natural logarithm: minus infinity of zeros, NaN of negative numbers.
pub fn ln<R: Real>(x: R) -> R {
    E.of(x)
}

/// The logarithm to base 2, likewise.
pub fn log2<R: Real>(x: R) -> R {
    TWO.of(x)
}

/// The logarithm to base 10, likewise.
pub fn log10<R: Real>(x: R) -> R {
    TEN.of(x)
}

/// `ln(1 + x)`, also where `1 + x` is nearly 1: minus infinity of -1, NaN below.
pub fn ln_1p<R: Real>(x: R) -> R {
    let sum = x + R::of(1.0);
    // Only the exponent is taken from the sum, which has been rounded.
    let e = exponent::<R>(sum.bits());
    let quarter = R::from_bits(int::<R>(0x4080_0000) - e) * R::of(0.25);
    let f = x.fma(quarter, quarter - R::of(1.0));
    let k = R::from_int(e.down(int::<R>(FRACTION)));
    let result = R::select(x.less(R::of(f32::INFINITY)), E.of_parts(f, k), x);
    R::select(x.same(R::of(0.0)), x, outside(sum, result))
}

/// `log2 x` for positive `x` as the sum of two numbers, exact to about 2^-32 of it.
fn log2_extended<R: Real>(x: R) -> (R, R) {
    let one = R::of(1.0);
    let (f, k) = split(x);
    // With s = f / (f + 2), ln(1 + f) = ln((1 + s) / (1 - s)).
    let sum = f + R::of(2.0);
    let sum_low = f - (sum - R::of(2.0));
    let inverse = one / sum;
    let s = f * inverse;
    let remainder = (-s).fma(sum_low, (-s).fma(sum, f));
    let s_low = remainder * inverse;
    let square = s * s;
    let square_low = s.fma(s, -square) + (s + s) * s_low;
    let cube = square * s;
    let cube_low = square.fma(s, -cube) + square_low.fma(s, square * s_low);
    let [cubic, cubic_low] = CUBIC.map(R::of);
    let rest = polynomial(square, QUINTIC).fma(square, cubic_low);
    let third = cube * cubic;
    let third_low = cube.fma(cubic, -third) + cube_low.fma(cubic, cube * rest);
    let [factor, factor_low] = TWO_LOG2_E.map(R::of);
    let first = s * factor;
    let first_low = s.fma(factor_low, s_low.fma(factor, s.fma(factor, -first)));
    let near = first + third;
    let near_low = (third - (near - first)) + (first_low + third_low);
    let high = k + near;
    (high, near_low + (near - (high - k)))
}

/// `|x|^(y + y_low)`, but not at the edges.
fn power_of_magnitude<R: Real>(magnitude: R, y: R, y_low: R) -> R {
    const LIMIT: f32 = 160.0;
    let zero = R::of(0.0);
    let (log, log_low) = log2_extended(magnitude);
    let infinity = R::of(f32::INFINITY);
    let log = R::select(magnitude.less(infinity), log, magnitude);
    let log = R::select(zero.less(magnitude), log, -infinity);
    let product = log * y;
    let low = log_low.fma(y, log.fma(y_low, log.fma(y, -product)));
    let inside = product.magnitude().less(R::of(LIMIT));
    let product = product.most(R::of(-LIMIT)).least(R::of(LIMIT));
    let power = Power::nearest(product);
    let r = (product - power.n) + R::select(inside, low, zero);
    power.times(power_of_rest(r))
}

/// `x^y`: 1 if `x` is 1 or `y` is 0, otherwise NaN of NaN, and of a negative `x` and what is no integer.
pub fn pow<R: Real>(x: R, y: R) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let magnitude = x.magnitude();
    let result = power_of_magnitude(magnitude, y, zero);
    // 1 to an infinite power is 1 too.
    let result = R::select(magnitude.same(one), one, result);
    // From 2^24 on all are even.
    let integral = trunc(y).same(y);
    let small = y.magnitude().less(R::of(16_777_216.0));
    let odd = y.to_int().up(int::<R>(31));
    let odd = R::Int::select(small & integral, odd, int::<R>(0));
    let result = negate_if(result, x.bits() & odd & int::<R>(SIGN));
    let undefined = x.less(zero) & !integral & R::of(f32::NEG_INFINITY).less(x);
    let result = R::select(undefined | is_nan(x) | is_nan(y), R::of(f32::NAN), result);
    R::select(x.same(one) | y.same(zero), one, result)
}

/// `x^n` for an integer `n`: 1 if `n` is 0, otherwise NaN of NaN.
pub fn powi<R: Real>(x: R, n: R::Int) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let magnitude = x.magnitude();
    let y = R::from_int(n);
    let y_low = R::from_int(n - y.to_int());
    let result = power_of_magnitude(magnitude, y, y_low);
    let result = negate_if(result, x.bits() & n.up(int::<R>(31)));
    let result = R::select(is_nan(x), x, result);
    R::select(y.same(zero), one, result)
}
