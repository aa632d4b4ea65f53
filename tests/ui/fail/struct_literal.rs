#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vortex::kernel]
fn missing_field(out: &mut [Point]) {
    out[0] = Point { x: 1.0 };
}

#[vortex::kernel]
fn wrong_type(out: &mut [Point], n: u32) {
    out[0] = Point { x: 1.0, y: n };
}

#[vortex::kernel]
fn unknown_field(out: &mut [Point]) {
    out[0] = Point { x: 1.0, y: 2.0, z: 3.0 };
}

#[vortex::kernel]
fn tuple_for_a_number(out: &mut [Point], n: f32) {
    out[0] = Point { x: (1.0, n), y: 2.0 };
}

fn main() {}

// Mistakes: 4
