use vortex::prelude::*;

#[vortex::kernel]
fn pairs(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let pair = (x[i], 2.0f32);
    y[i] = pair.0 * pair.2;
    let typed: (f32, u32, u32) = (x[i], 1, 2);
    y[i] = typed.y as f32 + typed.3 as f32;
    let mut changed = (1.0, 2.0);
    changed.2 = 3.0;
    y[i] += changed.first;
}

fn main() {}

// Mistakes: 5
