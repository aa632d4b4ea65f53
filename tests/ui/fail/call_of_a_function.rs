use vortex::prelude::*;

#[vortex::kernel]
fn squares(x: &mut [f32]) {
    let i = global_id();
    x[i] = f32::sqrt(x[i]);
    x[i] = f32::from(1u8);
    x[i] = std::mem::size_of::<f32>() as f32;
}

fn main() {}
