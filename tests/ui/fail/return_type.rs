use vortex::prelude::*;

#[vortex::kernel]
fn double(x: f32) -> f32 {
    2.0 * x
}

#[vortex::kernel]
fn fallible(x: &mut [f32]) -> Result<(), String> {
    x[global_id()] = 1.0;
    Ok(())
}

fn main() {}

// Mistakes: 3
