//! Exponentials, the hyperbolic functions and the error function.

use super::{FRACTION, Int, PUSH, Real, int, is_nan, negate_if, polynomial, take_sign};

const LOG2_E: f32 = std::f32::consts::LOG2_E;

/// ln 2 in two parts; the first is short, so that its small multiples are exact.
const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];

/// `(e^r - 1 - r) / r^2` for `|r| <= ln 2 / 2`.
const EXP: &[f32] = &[
    1.381_453_6e-3,
    8.368_745e-3,
    4.166_839_3e-2,
    0.166_665_21,
    0.499_999_94,
];

/// `(2^r - 1) / r` for `|r| <= 1/2`.
const EXP2: &[f32] = &[
    1.559_490_2e-4,
    1.340_672e-3,
    9.617_692e-3,
    5.550_310_4e-2,
    0.240_226_52,
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

/// Adding it pushes the fraction out of a number; the lower 9 bits are that integer and [`BIAS`] then.
const BIASED: f32 = PUSH + BIAS as f32;

/// Twice that of exponents, so that half of it is one's.
const BIAS: i32 = 254;

/// The integer nearest to a number, for `|n| < 2^21`.
#[derive(Clone, Copy)]
pub(super) struct Power<R: Real> {
    /// It.
    pub(super) n: R,
    /// It and [`BIAS`], in the lower 22 bits of a positive integer that ends in 21 zeros otherwise.
    biased: R::Int,
}

impl<R: Real> Power<R> {
    /// From the number and [`BIASED`].
    fn pushed(sum: R) -> Self {
        Self {
            n: sum - R::of(BIASED),
            biased: sum.bits(),
        }
    }

    pub(super) fn nearest(x: R) -> Self {
        Self::pushed(x + R::of(BIASED))
    }

    /// `2^n` for `n` from -252 to 254, as the product of two numbers. These are their bits.
    fn factors(self) -> [R::Int; 2] {
        let half = self.biased.down(int::<R>(1));
        [half, self.biased - half].map(|n| n.up(int::<R>(FRACTION)))
    }

    /// `p * 2^n` for `p` near 1 and `n` from -252 to 254, rounded once.
    pub(super) fn times(self, p: R) -> R {
        let [first, second] = self.factors().map(R::from_bits);
        p * first * second
    }

    /// `(1 + y) * 2^n` for `n` from -252 to 254, rounded once where that is no subnormal number.
    fn times_one_and(self, y: R) -> R {
        let [first, second] = self.factors().map(R::from_bits);
        y.fma(first, first) * second
    }

    /// `product(f) * g` with `f * g = 2^n`, but NaN where `x` is: a factor is, whose bits are integers anyway.
    fn or_nan(self, x: R, product: impl Fn(R) -> R) -> R {
        let [first, second] = self.factors();
        let nan = R::Int::select(x.same(x), int::<R>(0), int::<R>(-1));
        product(R::from_bits(first)) * R::from_bits(second | nan)
    }

    /// `2^(n-1)`, for `n` from -125 to 128.
    fn half(self) -> R {
        R::from_bits((self.biased - int::<R>(BIAS / 2 + 1)).up(int::<R>(FRACTION)))
    }

    /// Of half of `2^n`.
    fn halved(mut self) -> Self {
        self.biased = self.biased - int::<R>(1);
        self
    }
}

/// `x` as `r + n ln 2`, with `|r| < 0.35`, for `|x| < 200`.
fn reduced<R: Real>(x: R) -> (R, Power<R>) {
    let power = Power::pushed(x.fma(R::of(LOG2_E), R::of(BIASED)));
    let high = power.n.fma(R::of(-LN_2[0]), x);
    (power.n.fma(R::of(-LN_2[1]), high), power)
}

/// `e^x` as `(1 + y) * 2^n` with `|y| < 0.42`, for `|x| < 200`. Gives `y` and `n`.
fn parts<R: Real>(x: R) -> (R, Power<R>) {
    let (r, power) = reduced(x);
    ((r * r).fma(polynomial(r, EXP), r), power)
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
    let (y, power) = parts(clamp(x, -104.0, 89.0));
    power.or_nan(x, |factor| y.fma(factor, factor))
}

/// `2^x`.
pub fn exp2<R: Real>(x: R) -> R {
    let clamped = clamp(x, -151.0, 129.0);
    let power = Power::nearest(clamped);
    let rest = power_of_rest(clamped - power.n);
    power.or_nan(x, |factor| rest * factor)
}

/// `2^r` for `|r| <= 1/2`.
pub(super) fn power_of_rest<R: Real>(r: R) -> R {
    polynomial(r, EXP2).fma(r, R::of(1.0))
}

/// `e^x - 1`, also where `e^x` is nearly 1.
pub fn exp_m1<R: Real>(x: R) -> R {
    let (sign, _) = take_sign(x);
    let (y, power) = parts(clamp(x, -18.0, 89.0));
    // Half of it, since 2^128 is no number.
    let half = power.half();
    let result = y.fma(half, half - R::of(0.5)) * R::of(2.0);
    // It has the sign of x, also where it is zero.
    or_nan(x, negate_if(result.magnitude(), sign))
}

/// `e^x / 2` for `x >= 0`: finite for as long as sinh and cosh are.
fn half_exp<R: Real>(x: R) -> R {
    let (y, power) = parts(x.least(R::of(90.0)));
    power.halved().times_one_and(y)
}

/// The hyperbolic sine, `(e^x - e^-x) / 2`.
pub fn sinh<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let square = x * x;
    let near = (square * x).fma(polynomial(square, SINH), x);
    let half = half_exp(x);
    let far = half - R::of(0.25) / half;
    negate_if(R::select(R::of(1.0).less(x), far, near), sign)
}

/// The hyperbolic cosine, `(e^x + e^-x) / 2`.
pub fn cosh<R: Real>(x: R) -> R {
    let half = half_exp(x.magnitude());
    or_nan(x, half + R::of(0.25) / half)
}

/// The hyperbolic tangent, from -1 to 1.
pub fn tanh<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let square = x * x;
    let near = (square * x).fma(polynomial(square, TANH), x);
    let (y, power) = parts((x + x).least(R::of(20.0)));
    let exponential = power.times_one_and(y);
    let far = R::of(1.0) - R::of(2.0) / (exponential + R::of(1.0));
    negate_if(R::select(R::of(0.55).less(x), far, near), sign)
}

/// The error function, from -1 to 1.
pub fn erf<R: Real>(x: R) -> R {
    let (sign, x) = take_sign(x);
    let square = x * x;
    let near = polynomial(square, ERF).fma(x, x);
    let inner = x.least(R::of(4.0));
    let exponent = -polynomial(inner, ERFC).fma(inner, inner);
    let (y, power) = parts(exponent);
    let far = R::of(1.0) - power.times_one_and(y);
    negate_if(R::select(R::of(0.92).less(x), far, near), sign)
}
