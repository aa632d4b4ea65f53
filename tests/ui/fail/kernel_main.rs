use vortex::prelude::*;

#[vortex::kernel]
fn main(x: &mut [f32]) {
    x[global_id()] = 1.0;
}
