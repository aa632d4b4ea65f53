// Mistakes: 8
use vortex::prelude::*;

#[vortex::device(host)]
fn wrapped(v: i32, size: u32) -> usize {
    if v < 0 { (v + size as i32) as usize } else if v >= size { 0 } else { v as usize }
}

#[vortex::device(host)]
fn thrown(mut sum: f32, n: usize, all: &mut [f32]) {
    sum += n;
    all[n as u32] = sum;
    unheard_of(sum);
}

#[vortex::kernel(host)]
fn scaled(x: &[f32], mut factor: f32, out: &mut [f32]) {
    let i = global_id();
    factor += 1;
    if i {
        out[i] = x[i] * i;
    }
    out[i] = helper(x[i]);
}

fn main() {}
