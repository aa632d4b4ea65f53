use vortex::prelude::*;

#[vortex::kernel]
fn differences(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x.iter().windows(2).map(|w| w[1] - w[0]).sum();
    for part in x.iter().chunks(4) {
        y[i] += part[0];
    }
}

fn main() {}

// Mistakes: 2
