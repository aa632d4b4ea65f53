// What closures result in, and numbers of elements, of another type; values for what is changed, and for constants.

use vortex::prelude::*;

#[vortex::kernel]
fn arms(x: &mut [f32]) {
    let i = global_id();
    let y = if x[i] > 1.0 { 1 } else { x[i] };
    x[i] = y;
}

#[vortex::kernel]
fn sum(x: &[f32], out: &mut [f32]) {
    out[0] = x.iter().map(|v| *v as u32).sum::<f32>();
}

#[vortex::kernel]
fn sorted(x: &mut [f32]) {
    x.sort_by(|a, b| a < b);
}

#[vortex::kernel]
fn next(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    out[i] = x.get(i + 1).and_then(|v| v + 1).unwrap_or(0);
}

#[vortex::device]
fn first<const N: usize>(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for k in 0..N {
        sum += x[k];
    }
    sum
}

#[vortex::kernel]
fn sums(n: usize, x: &[f32], out: &mut [f32]) {
    out[0] = first::<n>(x);
}

#[vortex::kernel]
fn rows(n: u32, x: &[f32], out: &mut [f32]) {
    for row in x.chunks(n) {
        out[0] += row[0];
    }
}

#[vortex::kernel]
fn places(n: i32, x: &[u32], out: &mut [bool]) {
    out[0] = x.binary_search(&n).is_ok();
}

#[vortex::kernel]
fn swapped(x: &mut [f32]) {
    let mut a = x[0];
    let mut b = x[1];
    std::mem::swap(a, b);
    x[0] = a;
    x[1] = b;
}

fn main() {}

// Mistakes: 8
