use vortex::prelude::*;

fn square(x: f32) -> f32 {
    x * x
}

#[vortex::kernel]
fn squares(x: &mut [f32]) {
    let i = global_id();
    x[i] = square(x[i]);
    x[i] = f32::sqrt(x[i]);
    x[i] = f32::from(1u8);
    x[i] = std::mem::size_of::<f32>() as f32;
}

fn main() {}
