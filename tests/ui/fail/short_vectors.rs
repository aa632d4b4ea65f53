use vortex::prelude::*;

#[vortex::kernel]
fn mistakes(v: Vec2<f32>, w: Vec3<f32>, out: &mut [f32]) {
    out[0] = v.z;
    out[1] = v.xz().x;
    let sum = v + w;
    let scaled = 2.0 + v;
    let ints = v * 2u32;
    out[2] = w.dot(v);
    out[3] = v.cross(v).x;
    let mixed = vec2(1.0f32, 2u32);
}

fn main() {}

// Mistakes: 8
