//! Types that say themselves what an index leads to.

use std::ops::{Index, IndexMut};

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Row {
    cells: [f32; 4],
}

#[vortex::device]
impl Index<(usize, usize)> for Row {
    type Output = f32;

    fn index(&self, (a, b): (usize, usize)) -> &f32 {
        &self.cells[a + b]
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::device]
impl Index<usize> for Point {
    type Output = f32;

    fn index(&self, i: usize) -> &f32 {
        if i == 0 { &self.x } else { &self.y }
    }
}

#[vortex::device]
impl IndexMut<usize> for Point {
    fn index_mut(&mut self, i: usize) -> &mut f32 {
        if i == 0 { &mut self.x } else { &mut self.y }
    }
}

#[vortex::device]
impl IndexMut<(usize, usize)> for Point {
    fn index_mut(&mut self, (a, b): (usize, usize)) -> &mut f32 {
        if a == b {
            return &mut self.x;
        }
        &mut self.y
    }
}

#[vortex::device]
impl Index<(usize, usize)> for Point {
    type Output = f32;

    fn index(&self, (a, b): (usize, usize)) -> &f32 {
        if a == b { &self.x } else { &self.y }
    }
}

#[vortex::kernel]
fn assigned(rows: &mut [Row]) {
    rows[0][(1, 2)] = 1.0;
}

#[vortex::kernel]
fn by_one_number(rows: &[Row], y: &mut [f32]) {
    let row = rows[0];
    y[0] = row[0];
}

#[vortex::kernel]
fn of_a_slice(y: &mut [f32]) {
    y[(1, 2)] = 1.0;
}

#[vortex::kernel]
fn of_an_array(y: &mut [f32]) {
    let mut tile = [0.0; 4];
    tile[(1, 2)] = y[0];
    y[0] = tile[(0, 1)];
}

fn main() {}

// Mistakes: 7
