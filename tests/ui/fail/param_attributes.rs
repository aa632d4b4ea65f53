#[vortex::kernel]
fn kernel_0(/// The input.
    x: &[f32]) {}

#[vortex::kernel]
fn kernel_1(#[cfg(debug_assertions)] x: &[f32]) {}

#[vortex::kernel]
fn kernel_2(#[inline] x: f32) {}

fn main() {}

// Mistakes: 3
