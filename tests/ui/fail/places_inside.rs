//! Names for places inside of a value.

use vortex::prelude::*;
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct P {
    a: u32,
    b: u32,
}
#[vortex::kernel]
fn k1(out: &mut [u32]) {
    let i = global_id();
    let mut o = Some(out[i]);
    if let Some(v) = &mut o {
        *v += 3;
    }
    out[i] = o.unwrap();
}
#[vortex::kernel]
fn k2(out: &mut [u32]) {
    let i = global_id();
    let mut o = Some(out[i]);
    if let Some(v) = o.as_mut() {
        *v += 3;
    }
    out[i] = o.unwrap();
}
#[vortex::kernel]
fn k3(out: &mut [u32]) {
    let i = global_id();
    let mut o = Some(out[i]);
    match &mut o {
        Some(v) => *v += 3,
        None => {}
    }
    out[i] = o.unwrap();
}
#[vortex::kernel]
fn k4(out: &mut [P]) {
    let i = global_id();
    let mut p = out[i];
    let P { a, b } = &mut p;
    *a += *b;
    out[i] = p;
}
#[vortex::kernel]
fn k5(out: &mut [u32]) {
    let i = global_id();
    let mut o = Some(out[i]);
    if let Some(ref mut v) = o {
        *v += 3;
    }
    out[i] = o.unwrap();
}
fn main() {}

// Mistakes: 5
