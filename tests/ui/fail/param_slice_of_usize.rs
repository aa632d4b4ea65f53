#[vortex::kernel]
fn kernel_0(x: &[usize]) {}

#[vortex::kernel]
fn kernel_1(x: *mut isize) {}

fn main() {}

// Mistakes: 2
