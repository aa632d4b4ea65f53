use vortex::prelude::*;

#[vortex::kernel]
fn choose(n: u32, x: &mut [f32]) {
    let i = global_id();
    if n {
        x[i] = 1.0;
    }
    while x[i] {
        x[i] = 0.0;
    }
    let both = n > 1 && i;
    if both {}
}

#[vortex::kernel]
fn inverted(x: &mut [f32]) {
    let not = !x[0];
    if not {
        x[1] = 1.0;
    }
}

fn main() {}

// Mistakes: 4
