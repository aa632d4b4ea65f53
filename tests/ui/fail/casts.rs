use vortex::prelude::*;

#[vortex::kernel]
fn casts(b: bool, x: &mut [f32]) {
    let i = global_id();
    x[i] = b as f32;
    let b = x[i] as bool;
    let address = x as usize;
}

fn main() {}

// Mistakes: 3
