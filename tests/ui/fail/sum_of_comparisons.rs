use vortex::prelude::*;

#[vortex::kernel]
fn count(x: &[f32], out: &mut [u32]) {
    out[0] = x.iter().map(|v| *v > 0.5).sum::<u32>();
}

fn main() {}
