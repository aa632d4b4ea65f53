use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Grid {
    cells: &[f32],
    width: u32,
}

#[vortex::kernel]
fn first(grid: Grid, y: &mut [f32]) {
    y[global_id()] = grid.cells[grid.width];
}

fn main() {}

// Two errors at one place: rustc misses a lifetime, and the struct with one is a mistake, too.
