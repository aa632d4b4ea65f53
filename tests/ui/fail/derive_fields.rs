use vortex::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Double {
    x: f64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Sized {
    count: usize,
}

#[derive(Clone, Copy)]
struct Plain(f32);

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Outer {
    plain: Plain,
}

fn main() {}

// Mistakes: 3
