use vortex::prelude::*;

struct Pair {
    a: f32,
    b: f32,
}

struct Both(f32, f32);

#[derive(Clone, Copy)]
enum Mode {
    Fast,
    Exact,
}

#[vortex::kernel]
fn values(y: &mut [f32]) {
    let pair = Pair { a: 1.0, b: 2.0 };
    y[0] = pair.a + pair.b;
    let both = Both(1.0, 2.0);
    y[1] = both.0 + both.1;
    let mode = Mode::Fast;
    y[2] = mode as u32 as f32;
}

#[vortex::kernel]
fn declared(y: &mut [f32]) {
    let best: Option<Pair> = None;
    y[0] = best.map_or(0.0, |pair| pair.a);
}

#[vortex::kernel]
fn by_value(mode: Mode, y: &mut [f32]) {
    y[0] = mode as u32 as f32;
}

#[vortex::device]
fn made(a: f32) -> Pair {
    loop {}
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Settings {
    mode: Mode,
    scale: f32,
}

fn main() {}

// Mistakes: 7
