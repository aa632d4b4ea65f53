use vortex::prelude::*;

#[vortex::kernel]
fn walk(x: &mut [i32]) {
    let steps = [(0, 1), (1, 0)];
    let mut stack = [(0usize, 0usize); 8];
    for (dx, dy) in [(0, 1), (1, 0)] {
        x[0] += dx * dy;
    }
}

fn main() {}

// Mistakes: 2
