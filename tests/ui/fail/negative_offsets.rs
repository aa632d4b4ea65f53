use vortex::prelude::*;

#[vortex::kernel]
fn blurred(r: i32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    for d in -1..=1 {
        y[i] += x[i + d];
    }
    for d in -r..=r {
        let w = 1.0;
        y[i] += w * x[2 * i + 1 - d];
    }
    for d in -1i32..2 {
        y[0] += x[d + i];
    }
}

#[vortex::kernel]
fn as_they_are(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    for d in -1..=1 {
        y[i] += x[(i as isize + d) as usize];
    }
    for d in -1..=1 {
        let d = i.wrapping_add_signed(d);
        y[i] += x[d];
    }
}

fn main() {}

// Mistakes: 3
