#[vortex::kernel]
fn kernel_0(x: [f32; 4]) {}

#[vortex::kernel]
fn kernel_1(x: &[f32; 4]) {}

#[vortex::kernel]
fn kernel_2(x: &mut [[f32; 4]]) {}

fn main() {}
