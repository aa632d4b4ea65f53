use vortex::prelude::*;

#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    let i = global_id();
    let value = if n > 3 { 1.0 } else { n };
    x[i] = value;
    let missing = if n > 4 { 1.0 };
    if n > 5 {
        2.0
    } else {
        3.0
    }
    x[i] = missing;
}

fn main() {}

// Mistakes: 3
// One more error: what an `if` without `else` gives is no value where it is used, either.
