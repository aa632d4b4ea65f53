//! What cannot be compared, or not like that.

use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(u32)]
enum State {
    Idle,
    Busy,
}

#[vortex::kernel]
fn structs(points: &[Point], out: &mut [bool]) {
    let i = global_id();
    out[i] = points[i] == points[0];
}

#[vortex::kernel]
fn enums(states: &[State], out: &mut [bool]) {
    let i = global_id();
    out[i] = states[i] < State::Busy;
}

#[vortex::kernel]
fn tuples(points: &[Point], out: &mut [bool]) {
    let i = global_id();
    out[i] = (i, points[i]) != (0, points[0]);
}

#[vortex::device]
fn generic<T: Copy>(a: T, b: T) -> bool {
    a == b
}

#[vortex::kernel]
fn slices(a: &[Point], out: &mut [bool]) {
    out[0] = a == a;
    out[2] = a < a;
}

#[vortex::kernel]
fn slice_and_number(b: &[f32], out: &mut [bool]) {
    out[1] = b == 1.0;
}

#[vortex::kernel]
fn option(a: &[f32], out: &mut [bool]) {
    out[0] = a.first() == 1.0;
}

fn main() {}

// Mistakes: 8
