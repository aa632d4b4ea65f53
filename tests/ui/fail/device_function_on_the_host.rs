use vortex::prelude::*;

#[vortex::device]
fn sq(x: f32) -> f32 {
    x * x
}

#[vortex::device]
fn at(x: &[f32], i: usize) -> f32 {
    x[i]
}

#[vortex::kernel]
fn squares(x: &mut [f32]) {
    let i = global_id();
    x[i] = sq(at(x, i));
}

fn main() {
    assert_eq!(sq(2.0), 4.0);
    let area = sq(3.0f32) + 1.0;
    println!("{area}");
}

// Mistakes: 2
