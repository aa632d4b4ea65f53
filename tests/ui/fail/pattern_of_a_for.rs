use vortex::prelude::*;

#[vortex::kernel]
fn present(x: &[u32], y: &mut [u32]) {
    for Some(v) in x.iter().map(|v| v.checked_add(1)) {
        y[0] += v;
    }
    for 3 in 0..4 {
        y[1] = 1;
    }
    y[2] = x.iter().map(|4| 1).sum();
}

#[vortex::kernel]
fn zipped(a: &[f32], b: &[f32], w: &[f32], out: &mut [f32]) {
    for (x, y, z) in a.iter().zip(b).zip(w) {
        out[0] += x * y * z;
    }
    for (i, pair) in a.iter().zip(b).enumerate() {
        out[i] = pair.0;
    }
}

fn main() {}

// Mistakes: 5
