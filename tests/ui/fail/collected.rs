use vortex::prelude::*;

#[vortex::kernel]
fn lists(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut near: Vec<f32> = x[i..i + 3].iter().cloned().collect();
    let large: Vec<_> = x.iter().filter(|v| **v > 0.0).collect();
    let even = (0..4).map(|v| v * 2).collect::<Vec<u32>>();
    y[0] = x.iter().map(|v| v * 2.0).collect::<Vec<_>>()[0];
    let nothing = vec![];
    near.sort_by(|a, b| a.total_cmp(b));
}

fn main() {}

// Mistakes: 5
