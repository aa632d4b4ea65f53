#[vortex::kernel]
fn kernel_0(x: [f32]) {}

#[vortex::device]
fn first(x: [f32]) -> f32 {
    x[0]
}

#[vortex::kernel]
fn kernel_1(x: &[f32], y: &mut [f32]) {
    y[0] = first(x);
}

fn main() {}

// Mistakes: 2
