use vortex::prelude::*;

#[vortex::kernel]
fn reverse(x: &[u32], y: &mut [u32]) {
    let tile = local::<[u32; 64]>();
    tile[local_id()] = x[global_id()];
    workgroup_barrier();
    sync_threads();
    group_barrier();
    thread_fence();
    y[global_id()] = tile[63 - local_id()];
}

fn main() {}

// Mistakes: 4
