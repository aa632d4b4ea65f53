use vortex::prelude::*;

const LIMIT: f32 = 1.0;

#[vortex::kernel]
fn pick(n: u32, p: *const f32, x: &mut [f32]) {
    let i = global_id();
    x[i] = n[i];
    x[i] = p[i];
    x[i] = LIMIT[i];
}

fn main() {}

// Mistakes: 2
