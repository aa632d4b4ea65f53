use vortex::prelude::*;

#[vortex::device]
fn pair(x: &[f32], i: usize) -> &[f32] {
    let both = [x[i], x[i + 1]];
    &both[..]
}

#[vortex::device]
fn first(x: &[f32], i: usize) -> Option<&[f32]> {
    let mut some = [0.0; 4];
    if i > 4 {
        return None;
    }
    some[i] = x[i];
    Some(some.as_slice())
}

#[vortex::device]
fn rest(x: &[f32], i: usize) -> &[f32] {
    let of = &x[i..];
    if i > 8 {
        return &of[1..];
    }
    of
}

#[vortex::kernel]
fn sums(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = pair(x, i)[0] + rest(x, i)[0] + first(x, i).unwrap()[0];
}

fn main() {}

// Mistakes: 2
