use vortex::prelude::*;

#[vortex::kernel]
fn scale(n: u32, x: &mut [f32]) {
    let i = global_id();
    if i < n {
        x[i] = 0.0;
    }
    if x[i] == 0 {
        x[i] = 1.0;
    }
}

fn main() {}

// Mistakes: 2
