//! What `#[tune(..)]` cannot be given.

// Mistakes: 20

use vortex::prelude::*;

#[vortex::kernel]
#[tune]
fn nothing(y: &mut [f32]) {
    y[global_id()] = 1.0;
}

#[vortex::kernel]
#[tune(where 1 < 2)]
fn a_condition_alone(y: &mut [f32]) {
    y[global_id()] = 1.0;
}

#[vortex::kernel]
#[tune(tile = [4, 8], block in [4, 8])]
fn no_list(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(tile in 4..8)]
fn a_range(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(TILE in 4..8)]
fn a_range_for_a_const<const TILE: usize>(y: &mut [f32]) {
    y[TILE] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [])]
fn an_empty_list(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [4, 8, 4])]
fn a_value_twice(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [4], tile in [8])]
fn a_name_twice(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(tiel in [4, 8])]
fn an_unknown_name(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [4, 8])]
fn nothing_to_tune(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [4, 8])]
fn an_argument_of_the_device(tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(y in [4, 8])]
fn memory(y: &mut [f32]) {
    y[0] = 1.0;
}

#[vortex::kernel]
#[tune(T in [f32, i32])]
fn a_type<T: Num>(y: &mut [T]) {
    y[0] = y[1];
}

#[vortex::kernel]
#[tune(block in [32, (8, 8, 8, 8), 0, (64, 64), "64"])]
fn no_groups(y: &mut [f32]) {
    y[global_id()] = 1.0;
}

#[vortex::kernel(block = 32)]
#[tune(block in [32, 64])]
fn groups_of_one_size(y: &mut [f32]) {
    y[global_id()] = 1.0;
}

#[vortex::kernel]
#[tune(
    a in [1, 2, 3, 4, 5, 6, 7],
    b in [1, 2, 3, 4, 5, 6, 7],
    c in [1, 2, 3, 4, 5, 6, 7],
)]
fn too_many(#[comptime] a: u32, #[comptime] b: u32, #[comptime] c: u32, y: &mut [u32]) {
    y[0] = comptime!(a + b + c);
}

#[vortex::tune(tile in [4, 8])]
fn no_kernel(tile: usize) -> usize {
    tile
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut y = device.alloc(16)?;
    // What is wrong above is said there alone.
    nothing::tuned(&mut y).over(16).launch(&device)?;
    a_condition_alone::tuned(&mut y).over(16).launch(&device)?;
    no_list::tuned(&mut y).over_by(|choice| choice.tile).block_by(|choice| choice.block.0).launch(&device)?;
    a_range::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    a_range_for_a_const::tuned(&mut y).over_by(|choice| choice.TILE).launch(&device)?;
    a_value_twice::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    an_unknown_name::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    nothing_to_tune::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    an_argument_of_the_device::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    memory::tuned(&mut y).over(16).launch(&device)?;
    a_type::tuned(&mut y).over(16).launch(&device)?;
    groups_of_one_size::tuned(&mut y).grid_by(|choice| 64 / choice.block.0).launch(&device)?;
    let mut numbers = device.alloc(16)?;
    too_many::tuned(&mut numbers).over_by(|choice| choice.a as usize).launch(&device)?;
    an_empty_list::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    a_name_twice::tuned(&mut y).over_by(|choice| choice.tile).launch(&device)?;
    no_groups::tuned(&mut y).grid_by(|choice| 64 / choice.block.0).launch(&device)?;
    Ok(())
}
