use vortex::prelude::*;

#[vortex::kernel]
fn present(x: &[u32], y: &mut [u32]) {
    for Some(v) in x.iter().map(|v| v.checked_add(1)) {
        y[0] += v;
    }
    for 3 in 0..4 {
        y[1] = 1;
    }
    y[2] = x.iter().map(|4| 1).sum();
}

fn main() {}

// Mistakes: 3
