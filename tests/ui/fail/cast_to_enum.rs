use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
enum Sign {
    Minus,
    Plus,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair(u32, u32);

#[vortex::kernel]
fn to_an_enum(x: &[u8], y: &mut [Sign]) {
    let i = global_id();
    y[i] = x[i] as Sign;
}

#[vortex::kernel]
fn to_a_struct(x: u32, y: &mut [Pair]) {
    y[0] = x as Pair;
}

#[vortex::kernel]
fn of_a_literal(y: &mut [Sign]) {
    y[0] = 1 as Sign;
}

fn main() {}

// Mistakes: 3
