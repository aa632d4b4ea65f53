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

// As in templates of C++.
#[vortex::kernel]
fn of_two_arguments(x: &mut [f32]) {
    let tile = local::<f32, 25>();
    tile[local_id()] = x[global_id()];
    barrier();
    x[global_id()] = tile[24 - local_id()];
}

#[vortex::kernel]
fn of_one_number(x: &mut [f32]) {
    let tile = local::<f32>();
    tile[local_id()] = x[global_id()];
    barrier();
    x[global_id()] = tile[24 - local_id()];
}

fn main() {}

// Mistakes: 4
