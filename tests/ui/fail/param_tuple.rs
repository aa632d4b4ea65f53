#[vortex::kernel]
fn kernel_0(x: (f32, f32)) {}

#[vortex::kernel]
fn kernel_1(x: &[(f32, f32)]) {}

#[vortex::kernel]
fn kernel_2(x: ()) {}

fn main() {}

// Mistakes: 3
