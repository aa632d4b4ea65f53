// Mistakes: 3
use vortex::prelude::*;

#[vortex::kernel]
fn median(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let window = [x[i], x[i + 1], x[i + 2]];
    window.sort();
    window.swap(0, 2);
    let zeros = [0; 4];
    zeros.fill(1);
    out[i] = window[1] + zeros[0];
}

fn main() {}
