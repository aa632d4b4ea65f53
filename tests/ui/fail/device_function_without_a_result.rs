use vortex::prelude::*;

#[vortex::device]
fn squared(x: f32) {
    x * x
}

#[vortex::device]
fn is_large(x: f32) {
    x > 100.0
}

#[vortex::device]
fn of_each(x: f32, n: u32) {
    x / n as f32
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Weight {
    by: f32,
}

#[vortex::device]
impl Weight {
    fn twice(&self) {
        self.by * 2.0
    }
}

#[vortex::kernel]
fn square(weight: Weight, x: &mut [f32]) {
    let i = global_id();
    let a = squared(x[i]);
    let b = squared(x[i]) + of_each(x[i], 3);
    if is_large(a) {
        x[i] = a + b;
    }
    x[i] = weight.twice();
}

fn main() {}

// Mistakes: 4
