#[vortex::kernel]
fn lengths(n: u32, x: &mut [u32]) {
    x[0] = n.len();
    x[1] = x.abs();
}

fn main() {}

// Mistakes: 2
