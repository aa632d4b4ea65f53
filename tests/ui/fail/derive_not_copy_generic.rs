#[derive(vortex::DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

fn main() {}
