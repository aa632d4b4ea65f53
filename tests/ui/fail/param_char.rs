#[vortex::kernel]
fn kernel_0(c: char) {}

fn main() {}
