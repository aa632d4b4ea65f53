use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, vortex::DeviceType)]
#[repr(u32)]
enum Op {
    Plus,
    Times,
}

#[vortex::kernel]
fn applied(op: Op, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = match op {
        Op::Plus => x[i] + 1.0,
        Op::Sub => x[i] - 1.0,
        _ => x[i],
    };
    if op == Op::Set || op == Op::First {
        y[i] = 0.0;
    }
}

fn main() {}

// Mistakes: 3
