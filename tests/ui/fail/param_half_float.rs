#[vortex::kernel]
fn kernel_0(x: &[f16]) {}

fn main() {}
