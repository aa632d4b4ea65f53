//! Of a function that is one of the host, too, rustc checks borrows and moves.

#[vortex::device(host)]
fn add(a: &mut f32, b: &mut f32) {
    *a += *b;
}

#[vortex::device(host)]
fn used_after_it_was_moved(y: &mut [f32]) {
    let a = y;
    a[0] = 1.0;
    y[1] = 2.0;
}

#[vortex::device(host)]
fn two_of_one(y: &mut [f32], i: usize, k: usize) {
    let a = &mut y[i];
    let b = &mut y[k];
    add(a, b);
}

fn main() {}

// Mistakes: 2
