// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn largest(x: &[u32], out: &mut [u32]) {
    out[0] = *x.iter().max();
    out[1] = *x.iter().position(|v| *v == 7) as u32;
}

fn main() {}
