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
    let _ = nothing().over(0);
    let _ = |x: &mut DeviceSlice<f32>| drop(allowed(x, 1));
    let _ = |x: &DeviceSlice<f32>, y: &mut DeviceSlice<f32>| drop(documented(1.0, x, y, true, 3));
}
