//! What the eleventh trial found of bodies: memory, functions and numbers that are something else elsewhere.

use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum State {
    Idle,
    Busy,
}

#[vortex::kernel]
fn length_by_parameter(#[comptime] taps: usize, weights: [f32; taps], y: &mut [f32]) {
    y[0] = weights[0];
}

#[vortex::kernel(block = 64)]
fn memory_by_attribute(y: &mut [f32]) {
    #[shared]
    let mut tile = [0.0f32; 64];
    tile[local_id()] = y[0];
}

#[vortex::kernel(block = 64)]
fn memory_by_name(y: &mut [f32]) {
    let tile = local::<[f32; 64]>;
    tile[local_id()] = y[0];
}

#[vortex::kernel(block = 64)]
fn memory_with_length(y: &mut [f32]) {
    let tile = local::<[f32; 64]>(local_size());
    tile[local_id()] = y[0];
}

#[vortex::kernel(block = 64)]
fn memory_without_length(y: &mut [f32]) {
    let tile = local::<[f32]>(local_size());
    tile[local_id()] = y[0];
}

#[vortex::kernel]
fn chunks_from_the_end(x: &[f32], y: &mut [f32]) {
    for pair in x.rchunks(2) {
        y[0] += pair[0] * pair[1];
    }
}

#[vortex::kernel]
fn parts(x: &[f32], y: &mut [f32]) {
    for part in x.split(|v| *v == 0.0) {
        y[0] += part[0];
    }
}

#[vortex::kernel]
fn unfinished_line(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let scale = 2.0 *
    y[i] = x[i] * scale;
}

#[vortex::kernel]
fn method_as_field(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[i].sqrt;
}

#[vortex::kernel]
fn choice_of_closures(cosine: bool, y: &mut [f32]) {
    let f = if cosine { |v: f32| v.cos() } else { |v: f32| v.sin() };
    y[0] = f(y[1]);
}

#[vortex::kernel]
fn table_of_functions(which: usize, y: &mut [f32]) {
    let waves = [f32::sin, f32::cos, f32::tan];
    y[0] = waves[which](y[1]);
}

#[vortex::kernel]
fn transmuted(codes: &[u32], states: &mut [State]) {
    states[0] = unsafe { std::mem::transmute::<u32, State>(codes[0]) };
}

#[vortex::kernel]
fn into_a_size(at: &[u32], y: &mut [u32]) {
    let k: usize = at[0].into();
    y[k] = 1;
}

fn main() {}

// Mistakes: 13
