//! An `if` without `else` as the value of a function.

use vortex::prelude::*;

#[vortex::device]
fn at_least(x: i32, low: i32) -> i32 {
    if x < low {
        low
    }
}

#[vortex::kernel]
fn clamped(x: &mut [i32]) {
    let i = global_id();
    x[i] = at_least(x[i], 0);
}

fn main() {}
