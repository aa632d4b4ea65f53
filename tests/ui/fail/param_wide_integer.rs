#[vortex::kernel]
fn kernel_0(n: u128) {}

#[vortex::kernel]
fn kernel_1(n: &mut [i128]) {}

#[vortex::kernel]
fn kernel_2(n: i64) {
    let m = 5u128;
}

fn main() {}

// Mistakes: 3
