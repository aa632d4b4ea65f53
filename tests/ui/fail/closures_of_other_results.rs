//! Closures that give something else than the function wants that calls them.

use vortex::prelude::*;

#[vortex::device]
fn count_if(x: &[i32], is_one: impl Fn(i32) -> bool) -> u32 {
    let mut n = 0;
    for &v in x {
        if is_one(v) {
            n += 1;
        }
    }
    n
}

#[vortex::device]
fn applied<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 {
    f(x)
}

#[vortex::kernel]
fn closures(x: &[i32], counts: &mut [u32], out: &mut [f32]) {
    let i = global_id();
    counts[i] = count_if(x, |v| v * 2);
    out[i] = applied(|v| v > 1.0, out[i]);
}

fn main() {}

// Mistakes: 2
