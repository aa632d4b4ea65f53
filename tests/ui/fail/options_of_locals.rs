//! Options that have a name, and options of iterators, where values are wanted: once of each name.

use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::device]
fn at(x: &[f32], i: usize) -> f32 {
    x.get(i)
}

#[vortex::device]
fn first_or_zero(x: &[f32], is_wanted: bool) -> f32 {
    let first = x.first();
    if is_wanted {
        return first;
    }
    0.0
}

#[vortex::kernel]
fn assigned(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let v = x.get(i);
    y[i] = v;
    y[i] = v * 2.0;
}

#[vortex::kernel]
fn of_iterators(n: &[u32], y: &mut [u32]) {
    let i = global_id();
    let largest = n.iter().max();
    y[i] += largest;
    let three = n.iter().position(|&v| v == 3);
    y[three] = 1;
    y[i] = n.iter().skip(1).min();
}

#[vortex::kernel]
fn of_numbers(n: &[u32], y: &mut [u32]) {
    let i = global_id();
    let next = n[i].checked_add(1);
    let after = next + 1;
    let before = n[i].checked_sub(1).map(|v| v / 2);
    y[after as usize] = before as u32;
}

#[vortex::kernel]
fn used_as_numbers(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let first = x.first();
    let root = first.sqrt();
    let last = x.last();
    let typed: f32 = last;
    let third = x.get(3);
    let mut sum = 0.0;
    sum = third;
    let half = Some(0.5);
    y[i] = -half + root + typed + sum;
}

#[vortex::kernel]
fn fields(points: &[Point], y: &mut [f32]) {
    let i = global_id();
    let point = points.get(i);
    y[i] = point.x;
}

fn main() {}

// Mistakes: 13
