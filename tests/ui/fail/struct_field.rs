#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::kernel]
fn unknown_field(points: &[Point], out: &mut [f32]) {
    let p = points[0];
    out[0] = p.z;
}

#[vortex::kernel]
fn wrong_type(points: &mut [Point], n: u32) {
    points[0].x = n;
}

fn main() {}

// Mistakes: 2
