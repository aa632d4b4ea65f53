#[vortex::kernel]
fn kernel_0(x: impl Copy) {}

#[vortex::kernel]
fn kernel_1(x: &dyn Fn()) {}

#[vortex::kernel]
fn kernel_2(x: fn(f32) -> f32) {}

fn main() {}

// Mistakes: 3
