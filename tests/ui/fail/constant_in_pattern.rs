const LIMIT: u32 = 4;

#[vortex::kernel]
fn limits(x: &mut [u32]) {
    let LIMIT = x[0];
    let std::u32::MAX = x[1];
    for N in 0..4 {}
}

fn main() {}

// Mistakes: 3
