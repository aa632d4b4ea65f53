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

#[vortex::kernel(host)]
fn on_both(op: Op, a: &[f32], b: &mut [f32]) {
    let i = global_id();
    b[i] = match op {
        Op::Add => a[i] + b[i],
        Subtract => a[i] - b[i],
        _ => a[i],
    };
}

#[vortex::device(host)]
fn applied(op: Op, a: i32, b: i32) -> i32 {
    match op {
        Subtract => a - b,
        _ => a * b,
    }
}

#[vortex::device(host)]
impl Op {
    fn called(self, a: i32) -> i32 {
        match self {
            Add => a,
            _ => 0,
        }
    }
}

fn main() {}

// Mistakes: 6
