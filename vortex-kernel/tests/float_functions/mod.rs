//! The float functions and what they should give, for `tests/math.rs` and the example `ulp`.

use std::num::Wrapping;
use vortex_kernel::math;

/// Name, what kernels compute, what is true, and the largest argument that a bound is promised for.
pub(crate) type Function = (&'static str, fn(f32) -> f32, fn(f64) -> f64, f32);
/// Name, what kernels compute, what is true, and the bound.
pub(crate) type Function2 = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64, f64);

/// Functions of one argument.
pub(crate) const FUNCTIONS: &[Function] = &[
    ("exp", math::exp, f64::exp, f32::INFINITY),
    ("exp2", math::exp2, f64::exp2, f32::INFINITY),
    ("exp_m1", math::exp_m1, f64::exp_m1, f32::INFINITY),
    ("ln", math::ln, f64::ln, f32::INFINITY),
    ("log2", math::log2, f64::log2, f32::INFINITY),
    ("log10", math::log10, f64::log10, f32::INFINITY),
    ("ln_1p", math::ln_1p, f64::ln_1p, f32::INFINITY),
    ("sin", math::sin, f64::sin, 32_768.0),
    ("cos", math::cos, f64::cos, 32_768.0),
    ("tan", math::tan, f64::tan, 32_768.0),
    ("asin", math::asin, f64::asin, f32::INFINITY),
    ("acos", math::acos, f64::acos, f32::INFINITY),
    ("atan", math::atan, f64::atan, f32::INFINITY),
    ("sinh", math::sinh, f64::sinh, f32::INFINITY),
    ("cosh", math::cosh, f64::cosh, f32::INFINITY),
    ("tanh", math::tanh, f64::tanh, f32::INFINITY),
    ("erf", math::erf, libm::erf, f32::INFINITY),
    ("rsqrt", math::rsqrt, |x| 1.0 / x.sqrt(), f32::INFINITY),
    ("floor", math::floor, f64::floor, f32::INFINITY),
    ("ceil", math::ceil, f64::ceil, f32::INFINITY),
    ("round", math::round, f64::round, f32::INFINITY),
    (
        "round_ties_even",
        math::round_ties_even,
        f64::round_ties_even,
        f32::INFINITY,
    ),
    ("trunc", math::trunc, f64::trunc, f32::INFINITY),
    ("signum", math::signum, f64::signum, f32::INFINITY),
];

/// Functions of two.
pub(crate) const FUNCTIONS2: &[Function2] = &[
    ("powf", math::pow, f64::powf, 4.0),
    (
        "powi",
        |x, n| math::powi(x, Wrapping(n as i32)),
        |x, n| x.powf((n as i32).into()),
        4.0,
    ),
    ("atan2", math::atan2, f64::atan2, 2.0),
    ("hypot", math::hypot, f64::hypot, 2.0),
    ("rem", math::rem, |x, y| x % y, 0.0),
    ("copysign", math::copysign, f64::copysign, 0.0),
];
