#[vortex::kernel]
fn kernel_0(x: Vec<f32>) {}

#[vortex::kernel]
fn kernel_1(x: &Vec<f32>) {}

#[vortex::kernel]
fn kernel_2(x: Box<[f32]>) {}

fn main() {}

// Mistakes: 3
