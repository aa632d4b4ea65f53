// Mistakes: 7

use vortex::prelude::*;

#[vortex::kernel]
fn typed_first(float k, x: &mut [f32]) {
    x[0] *= k;
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(u32)]
enum Shape {
    Circle(f32),
    Square(f32),
}

#[vortex::kernel]
fn areas(shapes: &[Shape], out: &mut [f32]) {
    let i = global_id();
    out[i] = match shapes[i] {
        Shape::Circle(r) => 3.14 * r * r,
        Shape::Square(side) => side * side,
    };
}

#[vortex::device]
fn sign(x: f32) -> i32 {
    if x > 0.0 {
        1
    } else if x < 0.0 {
        -1
    }
}

#[vortex::kernel]
fn signs(x: &[f32], out: &mut [i32]) {
    let i = global_id();
    out[i] = sign(x[i]);
}

#[vortex::kernel]
fn without_let(out: &mut [u32]) {
    i = global_id();
    out[i] = 1;
}

#[vortex::kernel]
fn nothing(out: &mut [f32]) {
    let i = global_id();
    out[i] = None;
}

#[vortex::kernel]
fn drained(x: &mut [u32], out: &mut [u32]) {
    while let Some(v) = x.pop() {
        out[0] += v;
    }
}

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(u32)]
enum Op {
    Add,
    Mul,
}

#[vortex::kernel]
fn misspelt(op: Op, out: &mut [u32]) {
    if op == Op::Mult {
        out[0] = 1;
    }
}

fn main() {}
