//! What the host cannot run.

use vortex::prelude::*;

#[vortex::kernel(host)]
fn texels(image: &Texture<f32>, out: &mut [f32]) {
    out[global_id()] = image.read(0, 0);
}

#[vortex::kernel(host)]
fn unnamed(out: &mut [f32]) {
    local::<[f32; 4]>()[local_id()] = 1.0;
    barrier();
    out[global_id()] = 2.0;
}

#[vortex::device]
fn staged(x: f32) -> f32 {
    x + 1.0
}

#[vortex::kernel(host)]
fn calls_what_has_no_twin(out: &mut [f32]) {
    out[global_id()] = staged(1.0);
}

fn main() {
    let mut out = [0.0f32; 4];
    calls_what_has_no_twin::on_host(&mut out).over(4).launch().unwrap();
}

// Mistakes: 3
