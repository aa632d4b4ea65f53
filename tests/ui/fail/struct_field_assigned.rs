#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::kernel]
fn immutable_local(points: &mut [Point]) {
    let p = points[0];
    p.x = 1.0;
    points[0] = p;
}

#[vortex::kernel]
fn shared_slice(points: &[Point]) {
    points[0].x = 1.0;
}

fn main() {}

// Mistakes: 2
