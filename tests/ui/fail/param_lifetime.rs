#[vortex::kernel]
fn kernel_0(x: &'static [f32]) {}

fn main() {}
