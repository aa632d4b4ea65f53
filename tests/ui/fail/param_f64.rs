#[vortex::kernel]
fn kernel_0(x: f64) {}

#[vortex::kernel]
fn kernel_1(x: &[f64]) {}

fn main() {}

// Mistakes: 2
