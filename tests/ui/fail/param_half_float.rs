#[vortex::kernel]
fn kernel_0(x: &[f16]) {}

fn main() {}

// Two errors at one place: rustc says that its own `f16` is unstable.
