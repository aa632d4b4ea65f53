// Mistakes: 10
use vortex::prelude::*;

#[vortex::kernel]
fn shadowed(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let x = x[i];
    out[i] = x[i + 1] - x;
}

#[vortex::kernel]
fn divided(out: &mut [u32]) {
    let i = global_id();
    out[i] = out[i] / 0;
    out[i] %= 0;
}

#[vortex::kernel]
fn halves(x: &[f32], out: &mut [f16]) {
    let i = global_id();
    out[0] = 1.0;
    out[i] = x[i] * 2.0;
}

#[vortex::kernel]
fn total<T: Num>(x: &[T], out: &mut [T]) {
    let mut sum = T::zero();
    for v in x {
        sum += *v;
    }
    out[0] = sum;
}

#[vortex::kernel]
fn ramp<T: Num>(out: &mut [T]) {
    let i = global_id();
    out[i] = i as T;
}

#[vortex::kernel]
fn clipped(u: f32, x: &mut [f32]) {
    let i = global_id();
    let clip = |v: f32| if v > 1.0 { 1 } else { v };
    x[i] = clip(x[i]) + x[u * 8.0];
}

#[vortex::kernel]
fn search(x: &[u32], key: u32, out: &mut [u32]) {
    let i = global_id();
    out[i] = x[i].cmp(key).is_lt() as u32;
}

fn main() {}
