#[vortex::kernel]
fn kernel_0(x: Option<f32>) {}

fn main() {}
