#[vortex::kernel]
fn kernel_0(n: u64) {}

#[vortex::kernel]
fn kernel_1(n: &mut [i64]) {}

#[vortex::kernel]
fn kernel_2(n: i128) {}

fn main() {}
