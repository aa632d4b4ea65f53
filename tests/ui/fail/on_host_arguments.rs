//! What is passed on the host is held against the signature, as for a device.

use vortex::prelude::*;

#[vortex::kernel(host)]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += alpha * x[i];
}

#[vortex::kernel]
fn of_the_device(y: &mut [f32]) {
    y[global_id()] = 1.0;
}

fn main() {
    let (x, mut y) = (vec![1.0f32; 4], vec![1.0f32; 4]);
    let _ = saxpy::on_host(1, &x, &mut y).over(4).launch();
    let _ = saxpy::on_host(1.0, &x, &y).over(4).launch();
    let _ = of_the_device::on_host(&mut y).over(4).launch();
}

// Mistakes: 3
