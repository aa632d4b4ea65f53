use vortex::prelude::*;

#[vortex::kernel]
fn reverse(x: &[u32], y: &mut [u32]) {
    let mut tile = [0; 64];
    tile[local_id()] = x[global_id()];
    barrier();
    y[global_id()] = tile[63 - local_id()];
}

#[vortex::kernel]
fn sum(x: &[f32], y: &mut [f32]) {
    let mut tile = [0.0; 64];
    let (i, g) = (global_id(), group_id());
    let l = local_id();
    if i < x.len() {
        tile[l] = x[i];
    }
    barrier();
    if l + 1 < 64 {
        y[i] = tile[l] + tile[l + 1];
    }
    if l == 0 {
        y[g] += 1.0;
    }
}

fn main() {}

// Mistakes: 2
