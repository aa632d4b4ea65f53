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

#[vortex::kernel]
fn early(x: &mut [f32]) -> f32 {
    if x[0] > 1.0 {
        return x[0];
    }
    x[0] = 1.0;
    2.0
}

fn main() {}

// Mistakes: 3
