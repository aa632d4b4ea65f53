#[vortex::kernel]
fn kernel_0((a, b): (f32, f32)) {}

#[vortex::kernel]
fn kernel_1(_: f32) {}

#[vortex::kernel]
fn kernel_2(ref x: f32) {}

fn main() {}

// Mistakes: 3
