use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Shape {
    Circle { r: f32 },
    Rect { w: f32, h: f32 },
}

#[vortex::kernel]
fn areas(shapes: &[Shape], one: Shape, out: &mut [f32]) {
    let i = global_id();
    out[i] = match shapes[i] {
        Shape::Circle { r } => r * r,
        Shape::Rect { w, h } => w * h,
    };
    out[0] = match one {
        Shape::Circle { r } => r,
        _ => 0.0,
    };
}

fn main() {}
