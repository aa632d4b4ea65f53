#[vortex::kernel]
fn kernel_0(x: [f32]) {}

fn main() {}
