#[vortex::kernel]
fn kernel_0(x: Buffer<f32>) {}

#[vortex::kernel]
fn kernel_1(x: &vortex::DeviceSlice<f32>) {}

fn main() {}

// Mistakes: 2
