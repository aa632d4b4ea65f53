//! A condition of something that is not tuned.

#[vortex::kernel]
#[tune(tile in [4, 8], where size <= 64)]
fn a_condition_of_something_else(#[comptime] tile: usize, size: usize, y: &mut [f32]) {
    y[tile] = size as f32;
}

fn main() {}
