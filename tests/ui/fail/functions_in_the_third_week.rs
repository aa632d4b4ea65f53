//! What the eleventh trial found of functions: results, numbers of any type, and blocks that kernels cannot have.

use std::cmp::Ordering;

use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Hit {
    object: u32,
    distance: f32,
}

#[vortex::device]
fn cell<'a>(y: &'a mut [f32], row: usize) -> &'a mut f32 {
    &mut y[row * 8]
}

#[vortex::kernel]
fn place_of_a_function(y: &mut [f32]) {
    *cell(y, 1) = 1.0;
}

#[vortex::device]
fn pointer(p: *mut f32) -> *mut f32 {
    p
}

#[vortex::kernel]
fn pointer_of_a_function(p: *mut f32) {
    *pointer(p) = 1.0;
}

#[vortex::device]
fn mean<T: Num>(a: T, b: T) -> T {
    (a + b) / 2
}

#[vortex::device]
fn scaled<T: Num>(a: T) -> T {
    1.5 * a
}

#[vortex::device]
fn length<T: Num>(a: T, b: T) -> T {
    (a * a + b * b).sqrt()
}

#[vortex::device]
impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Hit) -> Option<Ordering> {
        self.distance.partial_cmp(&other.distance)
    }
}

#[vortex::device]
impl Iterator for Hit {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.object += 1;
        Some(self.object)
    }
}

#[vortex::device]
trait Stats {
    fn mean(&self) -> f32;
}

#[vortex::device]
impl Stats for [f32] {
    fn mean(&self) -> f32 {
        self.iter().sum::<f32>() / self.len() as f32
    }
}

#[vortex::device]
mod easing {
    pub fn quad(t: f32) -> f32 {
        t * t
    }
}

#[vortex::device]
static TABLE: [f32; 4] = [0.1, 0.2, 0.3, 0.4];

#[vortex::kernel]
fn uses(hits: &[Hit], x: &[f32], y: &mut [f32]) {
    let mut hit = hits[0];
    if hit < hits[1] {
        y[0] = mean(1.0, scaled(2.0)) + length(3.0, 4.0) + x.mean();
        y[1] = easing::quad(y[0]) * TABLE[hit.next().unwrap() as usize];
    }
}

fn main() {}

// Mistakes: 10
