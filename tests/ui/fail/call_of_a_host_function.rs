use vortex::prelude::*;

fn square(x: f32) -> f32 {
    x * x
}

fn answer() -> u32 {
    42
}

#[vortex::kernel]
fn squares(x: &mut [f32]) {
    let i = global_id();
    x[i] = square(x[i]);
    let v = x[i];
    x[i] = square(v);
    x[i] = answer() as f32;
}

fn main() {}

// Mistakes: 3
