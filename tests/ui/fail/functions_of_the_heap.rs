use vortex::prelude::*;

#[vortex::kernel]
fn lists(x: &[u32], out: &mut [u32]) {
    let mut list = Vec::new();
    let one = Box::new(x[0]);
    let name = String::from("a");
    out[0] = std::collections::HashMap::new().len();
    let copy = x.to_vec();
}

fn main() {}

// Mistakes: 5
