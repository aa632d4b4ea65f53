use vortex::prelude::*;

#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    let i = global_id();
    let value = if n > 3 { 1.0 } else { n };
    x[i] = value;
    if n > 5 {
        2.0
    } else {
        3.0
    }
}

fn main() {}

// Mistakes: 2
