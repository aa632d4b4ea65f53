use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Op {
    Add,
    Subtract,
    Multiply,
}

use Op::Multiply;

#[vortex::kernel]
fn apply(op: Op, a: &[f32], b: &mut [f32]) {
    let i = global_id();
    b[i] = match op {
        Multiply => a[i] * b[i],
        Add => a[i] + b[i],
        Subtract => a[i] - b[i],
    };
    if let Add = op {
        b[i] += 1.0;
    }
    match (op, a[i] > 0.0) {
        (Subtract, true) => b[i] = 0.0,
        _ => {}
    }
}

fn main() {}

// Mistakes: 3
