// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn compared(x: &[f32], k: i32, y: &mut [f32]) {
    for (j, v) in x.iter().enumerate() {
        if j == k {
            y[0] = *v;
        }
    }
}

#[vortex::kernel]
fn without_else(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = if let Some(v) = x.get(i + 1) { *v };
}

fn main() {}
