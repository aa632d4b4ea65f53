use vortex::prelude::*;

#[vortex::device]
async fn waits(a: f32) -> f32 {
    a
}

#[vortex::device]
extern "C" fn foreign(a: f32) -> f32 {
    a
}

#[vortex::device]
fn wide(a: f64, names: String) -> f64 {
    a
}

#[vortex::device(fast)]
fn arguments(a: f32) -> f32 {
    a
}

#[vortex::device]
const TABLE: u32 = 3;

#[vortex::kernel]
fn kernel(x: &mut [f32]) {
    let i = global_id();
    x[i] = waits(x[i]);
    x[i] = foreign(x[i]);
    x[i] = wide(x[i], 3);
    x[i] = arguments(x[i]);
}

fn main() {}

// Mistakes: 7
