#[vortex::kernel]
fn kernel_0(s: &str) {}

#[vortex::kernel]
fn kernel_1(s: String) {}

fn main() {}

// Mistakes: 2
