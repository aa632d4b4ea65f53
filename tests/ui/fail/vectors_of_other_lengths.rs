use vortex::prelude::*;

#[vortex::kernel]
fn vectors(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let v = Vec3::new(x[i], 1.0);
    let w = Vec2::new(x[i], 1.0, 2.0);
    y[i] = v.x + w.x;
}

fn main() {
    let _ = Vec4::new(1.0f32, 2.0);
}

// Mistakes: 3
