#[derive(vortex::DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
}

fn main() {}
