//! An enum whose representation is no integer type, and what uses it.

use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
enum Mode {
    Add,
    Scale,
}

#[vortex::kernel]
fn by_mode(mode: Mode, modes: &[Mode], y: &mut [f32]) {
    let i = global_id();
    y[i] = match mode {
        Mode::Add => 1.0,
        Mode::Scale => 2.0,
    };
    if modes[i] == Mode::Add {
        y[i] += 1.0;
    }
}

fn main() {}
