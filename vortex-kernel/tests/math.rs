//! The float functions at the edges, against Rust's of 64 bits.

use vortex_kernel::math;

const EDGES: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -3.0,
    4.0,
    1e-40,
    -1e-40,
    1e-30,
    1e30,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    16_777_217.0,
    16_777_215.0,
    -16_777_215.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Close, of the same sign, and the same where there is no number.
fn close(found: f32, wanted: f64) -> bool {
    let rounded = wanted as f32;
    found.to_bits() == rounded.to_bits()
        || found.is_nan() && rounded.is_nan()
        || found.is_finite()
            && rounded.is_finite()
            && found.is_sign_negative() == rounded.is_sign_negative()
            && found.to_bits().abs_diff(rounded.to_bits()) <= 2
}

#[test]
fn one_argument() {
    type Case = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
    let cases: [Case; 21] = [
        ("exp", math::exp, f64::exp),
        ("exp2", math::exp2, f64::exp2),
        ("exp_m1", math::exp_m1, f64::exp_m1),
        ("ln", math::ln, f64::ln),
        ("log2", math::log2, f64::log2),
        ("log10", math::log10, f64::log10),
        ("ln_1p", math::ln_1p, f64::ln_1p),
        ("asin", math::asin, f64::asin),
        ("acos", math::acos, f64::acos),
        ("atan", math::atan, f64::atan),
        ("sinh", math::sinh, f64::sinh),
        ("cosh", math::cosh, f64::cosh),
        ("tanh", math::tanh, f64::tanh),
        ("erf", math::erf, libm::erf),
        ("rsqrt", math::rsqrt, |x| 1.0 / x.sqrt()),
        ("floor", math::floor, f64::floor),
        ("ceil", math::ceil, f64::ceil),
        ("round", math::round, f64::round),
        ("trunc", math::trunc, f64::trunc),
        ("signum", math::signum, f64::signum),
        ("sin", math::sin, |x| {
            if x.abs() < 1e5 { x.sin() } else { f64::NAN }
        }),
    ];
    for (name, found, wanted) in cases {
        for x in EDGES {
            if name == "sin" && x.is_finite() && x.abs() >= 1e5 {
                continue;
            }
            let (found, wanted) = (found(x), wanted(x.into()));
            assert!(
                close(found, wanted),
                "{name}({x:e}): {found:e}, not {wanted:e}"
            );
        }
    }
}

#[test]
fn two_arguments() {
    type Case = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64);
    let cases: [Case; 5] = [
        ("pow", math::pow, f64::powf),
        ("atan2", math::atan2, f64::atan2),
        ("hypot", math::hypot, f64::hypot),
        ("rem", math::rem, |x, y| x % y),
        ("copysign", math::copysign, f64::copysign),
    ];
    for (name, found, wanted) in cases {
        for (x, y) in EDGES.iter().flat_map(|&x| EDGES.map(|y| (x, y))) {
            let (found, wanted) = (found(x, y), wanted(x.into(), y.into()));
            assert!(
                close(found, wanted),
                "{name}({x:e}, {y:e}): {found:e}, not {wanted:e}"
            );
        }
    }
}

#[test]
fn integer_powers() {
    for x in EDGES {
        for n in [
            0,
            1,
            2,
            3,
            5,
            -1,
            -2,
            -7,
            126,
            -149,
            16_777_217,
            i32::MAX,
            i32::MIN,
            i32::MIN + 1,
        ] {
            let (found, wanted) = (
                math::powi(x, std::num::Wrapping(n)),
                f64::from(x).powf(n.into()),
            );
            // Of NaN to the power 0, too, the result is 1.
            assert!(close(found, wanted), "{x:e}^{n}: {found:e}, not {wanted:e}");
        }
    }
}
