#[vortex::kernel]
fn copy(n: u32, x: &mut [u32]) {
    x[0] = *n;
    x[1] = *x;
}

fn main() {}

// Mistakes: 2
