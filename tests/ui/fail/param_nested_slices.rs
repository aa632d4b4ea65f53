#[vortex::kernel]
fn kernel_0(x: &[&[f32]]) {}

#[vortex::kernel]
fn kernel_1(x: *const &[f32]) {}

fn main() {}

// Mistakes: 2
