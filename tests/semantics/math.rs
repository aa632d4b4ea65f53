//! The functions of floats: against Rust where they are exact, otherwise against the host's run of the same algorithm.
//! How far that one is from the truth is measured by `cargo run --release -p vortex-kernel --example ulp`.

use vortex::math;
use vortex::prelude::*;

use crate::harness::same;

same! {
    floor_and_ceil(a: f32, b: f32) -> f32 { if b < 0.0 { a.floor() } else { a.ceil() } }
    round_and_trunc(a: f32, b: f32) -> f32 { if b < 0.0 { a.round() } else { a.trunc() } }
    halves_to_even(a: f32, b: f32) -> f32 { if b < 0.0 { a.round_ties_even() } else { (a + 0.5).floor() } }
    floor_as_index(a: f32, b: f32) -> u32 { if b < 0.0 { a.floor() as u32 } else { (a.trunc() as u8) as u32 } }
    floor_as_integer(a: f32, b: f32) -> i32 { if b < 0.0 { a.floor() as i32 } else { (a.trunc() as i32) ^ (a.ceil() as i16 as i32) } }
    fract_and_signum(a: f32, b: f32) -> f32 { if b < 0.0 { a.fract() } else { a.signum() } }
    copysign_and_recip(a: f32, b: f32) -> f32 { if b < 3.0 { a.copysign(b) } else { a.recip() } }
    rsqrt(a: f32, b: f32) -> f32 { a.rsqrt() } => { 1.0 / a.sqrt() }
    is_nan(a: f32, b: f32) -> bool { a.is_nan() || (b.is_infinite() && a.is_sign_negative()) }
    is_finite(a: f32, b: f32) -> bool { a.is_finite() != b.is_sign_positive() }
    to_bits(a: f32, b: f32) -> u32 { if a.is_nan() { 0 } else { a.to_bits() } }
    from_bits(a: u32, b: u32) -> f32 { f32::from_bits(a) + f32::from_bits(0x3f80_0000) }
    rem(a: f32, b: f32) -> f32 { a % b }
    rem_assign(a: f32, b: f32) -> f32 { let mut x = a; x %= 1.5; x }
    exp(a: f32, b: f32) -> f32 { if b < 0.0 { a.exp() } else { a.exp2() } }
        => { if b < 0.0 { math::exp(a) } else { math::exp2(a) } }
    exp_m1_and_ln_1p(a: f32, b: f32) -> f32 { if b < 0.0 { a.exp_m1() } else { a.ln_1p() } }
        => { if b < 0.0 { math::exp_m1(a) } else { math::ln_1p(a) } }
    ln_and_log2(a: f32, b: f32) -> f32 { if b < 0.0 { a.ln() } else { a.log2() } }
        => { if b < 0.0 { math::ln(a) } else { math::log2(a) } }
    log10_and_erf(a: f32, b: f32) -> f32 { if b < 0.0 { a.log10() } else { a.erf() } }
        => { if b < 0.0 { math::log10(a) } else { math::erf(a) } }
    powf(a: f32, b: f32) -> f32 { a.powf(b) } => { math::pow(a, b) }
    powi(a: f32, b: i32) -> f32 { a.powi(b) } => { math::powi(a, std::num::Wrapping(b)) }
    powi_constant(a: f32, b: f32) -> f32 { a.powi(3) + b.powi(0) } => { a * a * a + 1.0 }
    sin_and_cos(a: f32, b: f32) -> f32 { if b < 0.0 { a.sin() } else { a.cos() } }
        => { if b < 0.0 { math::sin(a) } else { math::cos(a) } }
    sin_cos(a: f32, b: f32) -> f32 { let (s, c) = a.sin_cos(); s - c }
        => { math::sin(a) - math::cos(a) }
    tan_and_atan(a: f32, b: f32) -> f32 { if b < 0.0 { a.tan() } else { a.atan() } }
        => { if b < 0.0 { math::tan(a) } else { math::atan(a) } }
    asin_and_acos(a: f32, b: f32) -> f32 { if b < 0.0 { (1.0 / a).asin() } else { (1.0 / a).acos() } }
        => { if b < 0.0 { math::asin(1.0 / a) } else { math::acos(1.0 / a) } }
    atan2(a: f32, b: f32) -> f32 { a.atan2(b) } => { math::atan2(a, b) }
    hypot(a: f32, b: f32) -> f32 { a.hypot(b) } => { math::hypot(a, b) }
    sinh_and_cosh(a: f32, b: f32) -> f32 { if b < 0.0 { a.sinh() } else { a.cosh() } }
        => { if b < 0.0 { math::sinh(a) } else { math::cosh(a) } }
    tanh(a: f32, b: f32) -> f32 { a.tanh() * 1.0 } => { math::tanh(a) }
}
