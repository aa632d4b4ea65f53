//! A struct that borrows, of the host's memory, and its uses.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Grid<'a> {
    cells: &'a [f32],
    width: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Marked<'a> {
    grid: Grid<'a>,
}

#[vortex::kernel]
fn sum(grid: Grid, marked: Marked, y: &mut [f32]) {
    let i = global_id();
    y[i] = grid.cells[i] + grid.cells[grid.width] + marked.grid.cells[i];
}

fn main() -> vortex::Result<()> {
    let device = Device::open()?;
    let cells = vec![1.0f32; 8];
    let grid = Grid { cells: &cells, width: 8 };
    let _ = device.upload(&[grid; 8])?;
    let mut y = device.upload(&[0.0f32; 8])?;
    sum(grid, Marked { grid }, &mut y).over_each().launch(&device)?;
    Ok(())
}

// Mistakes: 2
