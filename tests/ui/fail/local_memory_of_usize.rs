use vortex::prelude::*;

#[vortex::kernel]
fn largest(x: &mut [u32]) {
    let count = local::<usize>();
    let ends = local::<[[isize; 2]; 4]>();
    ends[0][local_id()] = 3;
    x[0] = *count as u32;
}

fn main() {}

// Mistakes: 2
