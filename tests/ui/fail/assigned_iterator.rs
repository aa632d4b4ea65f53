// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn cumulative(columns: usize, x: &[f32], out: &mut [f32]) {
    let row = global_id() * columns;
    let xs = &x[row..row + columns];
    let mut sum = 0.0;
    out[row..row + columns] = xs.iter().map(|v| {
        sum += v;
        sum
    });
    out[..columns] = (0..columns).map(|i| i as f32).collect();
}

fn main() {}
