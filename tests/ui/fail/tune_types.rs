//! What rustc says of the values of `#[tune(..)]`, of conditions, and of calls.

// Mistakes: 6

use vortex::prelude::*;

#[vortex::kernel]
#[tune(tile in ["four", "eight"])]
fn another_type(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(TILE in [4, -8])]
fn another_type_of_a_const_generic<const TILE: usize>(y: &mut [f32]) {
    y[TILE] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [4, 8], where tile + 1)]
fn no_condition(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

#[vortex::kernel]
#[tune(tile in [4, 8])]
fn fine(#[comptime] tile: usize, y: &mut [f32]) {
    y[tile] = 1.0;
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut y = device.alloc(16)?;
    fine::tuned(4, &mut y).over(1).launch(&device)?;
    fine::tuned(&mut y).over_by(|choice| choice.size).launch(&device)?;
    fine::tuned(&mut y).grid_by(|choice| choice.tile as u32).launch(&device)?;
    Ok(())
}
