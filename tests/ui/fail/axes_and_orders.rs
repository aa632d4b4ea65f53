// Mistakes: 6
use vortex::prelude::*;

#[vortex::kernel]
fn places(width: usize, y: &mut [f32]) {
    let id = global_id_2d();
    y[id.y * width + id.x] = 1.0;
}

#[vortex::kernel]
fn counts(bins: &mut [u32]) {
    let i = global_id();
    bins.atomic(i).fetch_add(1);
    let old = bins.atomic(i + 1).load();
    if bins.atomic(i + 2).compare_exchange(old, 1).is_ok() {
        bins.atomic(i + 3).store(2);
    }
}

fn main() {}
