// Names that were declared in a block which has ended.
// Mistakes: 3

use vortex::prelude::*;

#[vortex::kernel]
fn in_a_loop(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    for k in 0..4 {
        let best = x[i + k].max(0.0);
    }
    out[i] = best;
}

#[vortex::kernel]
fn in_a_branch(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    if x[i] > 1.0 {
        let low = 0.0;
        out[0] = low;
    } else {
        let high = x[i] + 1.0;
        out[1] = high;
    }
    out[i] = high;
}

#[vortex::kernel]
fn in_a_while(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let mut k = 0;
    while k < 4 {
        let mut sum = x[i];
        sum += 1.0;
        k += 1;
    }
    out[i] = sum;
}

fn main() {}
