use vortex::prelude::*;

#[vortex::kernel]
fn declared_mut(x: &mut [f32]) {
    let mut tile = local::<[f32; 16]>();
    tile[0] = 1.0;
    x[0] = tile[0];
}

#[vortex::kernel]
fn assigned_itself(x: &mut [u32]) {
    let total = local::<u32>();
    total = 1;
    x[0] = *total;
}

fn main() {}

// Mistakes: 2
