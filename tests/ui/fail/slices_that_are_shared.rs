use vortex::prelude::*;

#[vortex::kernel]
fn changed(x: &[u32], y: &mut [u32]) {
    x.swap(0, 1);
    x.fill(2);
    x.reverse();
    x.copy_from_slice(y);
    x.sort_by(|a, b| a.cmp(b));
    for part in x.chunks_mut(2) {
        part[0] = 1;
    }
}

#[vortex::kernel]
fn changed_in_parts(x: &[u32], y: &mut [u32]) {
    for part in y.chunks(2) {
        part[0] = 1;
    }
    let half = &x[..2];
    half.reverse();
}

#[vortex::kernel]
fn assigned_in_parts(x: &[u32]) {
    let half = &x[..2];
    half[0] = 1;
}

fn main() {}

// Mistakes: 9
