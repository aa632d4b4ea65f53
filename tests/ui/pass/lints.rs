//! Strict surroundings: nothing that the macro generates sets off a lint.
#![deny(
    missing_docs,
    unused,
    unreachable_pub,
    missing_debug_implementations,
    nonstandard_style,
    rust_2018_idioms,
    unused_qualifications,
    clippy::all,
    clippy::pedantic
)]
#![forbid(unsafe_code)]

use vortex::prelude::*;

/// Scales and adds.
#[vortex::kernel]
pub(crate) fn documented(alpha: f32, x: &[f32], y: &mut [f32], flag: bool, small: u8) {
    let i = global_id();
    let mut sum = 0.0;
    for k in 0..x.len() {
        if flag && k > 3 {
            sum += alpha * x[k];
        } else if small == 3 {
            continue;
        }
    }
    y[i] = sum;
}

/// Scales, with what is tuned.
#[vortex::kernel]
#[tune(EACH in [1, 2], more in [true, false], block in [4, 8], where EACH <= block.0)]
pub(crate) fn tuned<const EACH: usize>(
    #[comptime] more: bool,
    alpha: f32,
    x: &[f32],
    y: &mut [f32],
    tile: &mut Local<[f32]>,
) {
    let first = global_id() * EACH;
    for i in first..first + EACH {
        tile[local_id()] = alpha * x[i];
        y[i] = tile[local_id()];
        if comptime!(more) {
            y[i] += 1.0;
        }
    }
}

#[vortex::kernel]
#[allow(unused_variables, unused_mut)]
fn allowed(x: &mut [f32], unused: u32) {
    let mut first = x[0];
}

#[vortex::kernel]
#[expect(unused_variables, reason = "to be used by the next version")]
fn expected(x: &mut [f32], unused: u32) {
    let first = x[0];
}

#[vortex::kernel(host)]
fn allowed_of_one(
    #[allow(unused_variables)] x: &[f32],
    #[expect(unused_variables)] unused: u32,
    #[allow(unused_mut)] mut n: u32,
    y: &mut [f32],
) {
    y[0] = allowed_of_numbers(n as f32, 1.0) + allowed_on_both_sides((1.0, 2.0));
}

#[vortex::device(host)]
fn allowed_of_numbers(#[allow(unused_mut)] mut x: f32, #[allow(unused_variables)] n: f32) -> f32 {
    x
}

#[vortex::device(host)]
fn allowed_on_both_sides(#[allow(unused_variables)] (x, y): (f32, f32)) -> f32 {
    x
}

#[vortex::kernel]
fn nothing() {}

#[vortex::kernel]
#[allow(dead_code)]
fn never_launched(x: &mut [f32]) {
    x[0] = 1.0;
}

#[test]
fn the_kernels_are_in_use() {
    assert_eq!(documented::META.args.len(), 5);
    let _ = |x: &mut DeviceSlice<f32>| drop(expected(x, 1));
    assert_eq!(allowed::META.args.len(), 2);
    assert_eq!(allowed_of_one::META.args.len(), 4);
    let _ = nothing().over(0);
    let _ = |x: &mut DeviceSlice<f32>| drop(allowed(x, 1));
    let _ = |x: &mut DeviceSlice<f32>, y: &DeviceSlice<f32>| drop(allowed_of_one(y, 1, 2, x));
    let _ = |x: &DeviceSlice<f32>, y: &mut DeviceSlice<f32>| drop(documented(1.0, x, y, true, 3));
}
