#[vortex::kernel]
fn kernel_0(x: [usize; 4]) {}

#[vortex::kernel]
fn kernel_1(x: &[f32; 4]) {}

#[vortex::kernel]
fn kernel_2(x: &mut [[f32; 4]]) {}

#[vortex::kernel]
fn kernel_3(x: [f32; 4], y: &mut [f32]) {
    x[0] = 1.0;
    y[0] = x[1];
}

fn main() {}

// Mistakes: 3
