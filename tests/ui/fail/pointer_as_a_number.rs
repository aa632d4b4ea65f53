use vortex::prelude::*;

#[vortex::kernel]
fn address(x: *const f32, y: &mut [u32]) {
    y[global_id()] = x as usize as u32;
}

fn main() {}
