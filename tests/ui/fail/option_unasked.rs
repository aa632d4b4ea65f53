use vortex::prelude::*;

#[vortex::kernel]
fn after(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    if let v = x.get(i + 1) {
        out[i] = *v;
    }
}

#[vortex::kernel]
fn following(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let mut k = i;
    while let v = x.get(k) {
        out[i] += *v;
        k += 1;
    }
}

fn main() {}

// Mistakes: 2
