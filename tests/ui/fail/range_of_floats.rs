use vortex::prelude::*;

#[vortex::kernel]
fn integral(out: &mut [f32]) {
    let mut sum = 0.0;
    for x in 0.0..1.0 {
        sum += x;
    }
    out[global_id()] = sum;
}

fn main() {}

// Mistakes: 1
