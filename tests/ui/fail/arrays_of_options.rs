// Mistakes: 3
use vortex::prelude::*;

#[vortex::kernel]
fn with_a_type(x: &[i32], out: &mut [i32]) {
    let mut slots: [Option<i32>; 4] = [None; 4];
    slots[1] = Some(x[0]);
    out[0] = slots[1].unwrap_or(0);
}

#[vortex::kernel]
fn without_a_type(x: &[i32], out: &mut [i32]) {
    let mut slots = [None; 4];
    slots[1] = Some(x[0]);
    out[0] = slots[1].unwrap_or(0);
}

#[vortex::kernel]
fn written(x: &[i32], out: &mut [i32]) {
    let slots = [Some(x[0]), None];
    if let Some(v) = slots[0] {
        out[0] = v;
    }
}

fn main() {}
