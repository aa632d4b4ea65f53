// Mistakes: 3
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Part {
    mass: f32,
    kind: u32,
}

#[vortex::kernel]
fn of_structs(parts: &[Part], y: &mut [f32]) {
    y[0] = parts.iter().sum();
}

#[vortex::kernel]
fn of_what_is_made(x: &[f32], y: &mut [f32]) {
    let total: f32 = x.iter().map(|v| Part { mass: *v, kind: 1 }).sum();
    y[0] = total;
}

#[vortex::kernel]
fn of_truths(x: &[f32], y: &mut [u32]) {
    y[0] = x.iter().map(|v| *v > 2.0).sum();
}

fn main() {}
