//! The float functions at the edges, against Rust's of 64 bits.

mod float_functions;

use float_functions::{FUNCTIONS, FUNCTIONS2};
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
    for (name, found, wanted, limit) in FUNCTIONS {
        for x in EDGES {
            if x.is_finite() && x.abs() > *limit {
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
    // Powers by an integer have edges of their own, below.
    for (name, found, wanted, _) in FUNCTIONS2.iter().filter(|function| function.0 != "powi") {
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

/// A power of two, which may be subnormal.
fn power(exponent: i32) -> f32 {
    2f64.powi(exponent) as f32
}

/// Numbers of all sizes, with few bits and with many: halves, integers, and what is beyond an `i32`.
#[test]
fn integers_next_to_numbers_of_all_sizes() {
    for x in (-149..128).flat_map(|exponent| {
        let power = power(exponent);
        [power, power.next_up(), 1.5 * power, 1.9 * power]
    }) {
        for x in [x, -x, x.next_down()] {
            for (name, found, wanted) in [
                ("floor", math::floor(x), x.floor()),
                ("ceil", math::ceil(x), x.ceil()),
                ("round", math::round(x), x.round()),
                ("even", math::round_ties_even(x), x.round_ties_even()),
                ("trunc", math::trunc(x), x.trunc()),
            ] {
                let is_same = found.to_bits() == wanted.to_bits();
                assert!(is_same, "{name}({x:e}): {found:e}, not {wanted:e}");
            }
        }
    }
}

#[test]
fn remainders_are_exact() {
    let numbers = || (-149..128).step_by(12).map(|n| power(n) * 1.75);
    for (x, y) in numbers().flat_map(|x| numbers().map(move |y| (x.next_up(), y.next_down()))) {
        let (found, wanted) = (math::rem(-x, y), -x % y);
        let is_same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
        assert!(is_same, "{x:e} % {y:e}: {found:e}, not {wanted:e}");
    }
}

#[test]
fn lengths_of_all_sizes() {
    for exponent in -149..127 {
        let (x, y) = (power(exponent) * 1.5, power(exponent) * 1.25);
        let (found, wanted) = (math::hypot(x, y), f64::from(x).hypot(y.into()));
        assert!(
            close(found, wanted),
            "2^{exponent}: {found:e}, not {wanted:e}"
        );
    }
}
