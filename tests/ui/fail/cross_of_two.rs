// Mistakes: 2
use vortex::prelude::*;

#[vortex::kernel]
fn turn(a: &[Vec2<f32>], b: &[Vec4<f32>], out: &mut [f32], normals: &mut [Vec3<f32>]) {
    let i = global_id();
    out[i] = a[i].cross(a[i + 1]);
    normals[i] = b[i].cross(b[i + 1]);
}

fn main() {}
