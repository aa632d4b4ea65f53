#[vortex::kernel]
fn kernel_0(x: &f32) {}

#[vortex::kernel]
fn kernel_1(x: &mut u32) {}

fn main() {}

// Mistakes: 2
