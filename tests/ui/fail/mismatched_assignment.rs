use vortex::prelude::*;

#[vortex::kernel]
fn write(x: &mut [f32]) {
    let i = global_id();
    let mut count = 0u32;
    count = i;
    x[i] = count;
    let y: f32 = i;
    let mut z: f32 = count;
    z += y;
    x[i] = z;
}

fn main() {}

// Mistakes: 4
