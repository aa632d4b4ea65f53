// Mistakes: 2

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::kernel]
fn not_all_of_them(pairs: &[[u32; 2]], out: &mut [u32]) {
    for &[0, y] in pairs {
        out[0] += y;
    }
}

#[vortex::kernel]
fn places(points: &mut [Point]) {
    for Point { x, .. } in points.iter_mut() {
        *x += 1.0;
    }
}

fn main() {}
