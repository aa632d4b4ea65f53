// Mistakes: 4
use vortex::prelude::*;

#[vortex::device]
fn length(x: &[u8]) -> usize {
    x.len()
}

#[vortex::kernel]
fn called_with_two_types(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let squared = |v| v * v;
    y[i] = squared(x[i]) + squared(i) as f32;
}

#[vortex::kernel]
fn an_array_for_a_slice(x: &[u8], y: &mut [u32]) {
    let of = |part: &[u8]| length(part);
    let array = [1u8, 2, 3];
    y[0] = (of(&array) + of(b"abc") + of(x)) as u32;
    y[1] = of(array) as u32;
}

#[vortex::kernel]
fn elements_of_another_type(x: &[f32], y: &mut [u32]) {
    let of = |part: &[u8]| length(part);
    y[0] = of(x) as u32;
}

#[vortex::kernel]
fn an_element(x: &[u8], y: &mut [u32]) {
    let of = |part: &[u8]| length(part);
    y[0] = of(x[0]) as u32;
}

fn main() {}
