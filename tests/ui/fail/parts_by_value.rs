//! Parts of slices without a `&`, a value that is dereferenced, and a part that may be of either of two slices.

use vortex::prelude::*;

#[vortex::device]
fn clear(part: &mut [u32]) {
    part.fill(0);
}

#[vortex::device]
fn longer(a: &[u32], b: &[u32]) -> &[u32] {
    if a.len() > b.len() { a } else { b }
}

#[vortex::kernel]
fn parts(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    clear(out[i..i + 4]);
    let part = x[1..3];
    let v = x[i];
    out[i] = *v + part[0];
}

fn main() {}

// Mistakes: 4
