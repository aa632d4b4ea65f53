// Mistakes: 6
use vortex::prelude::*;

#[vortex::kernel]
fn vignette(width: usize, height: usize, image: &mut [f32]) {
    let (x, y) = global_id_2d();
    let r = (x as f32 / width as f32).hypot(y as f32 / height as f32);
    image[y * width + x] *= 1.0 - smoothstep(0.3, 0.7, r);
    image[0] = lerp(r, 1.0, 0.5) + step(0.5, r) + distance(r, 2.0);
    image[1] = select(r, 1.0, true) + reflect(r, 1.0);
}

mod own {
    #[vortex::device]
    pub fn mix(a: f32, b: f32) -> f32 {
        a + b
    }
}
use own::mix;

#[vortex::device]
fn fract(x: u32) -> u32 {
    x % 5
}

#[vortex::kernel]
fn k(x: &[u32], out: &mut [f32]) {
    let i = global_id();
    out[i] = mix(fract(x[i]) as f32, 1.0);
}

fn main() {}
