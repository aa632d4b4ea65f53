use vortex::DeviceType;

#[derive(Clone, Copy, DeviceType)]
struct NoRepr {
    x: f32,
}

#[derive(Clone, Copy, DeviceType)]
enum NoSize {
    A,
    B,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum WithFields {
    A,
    B(f32),
}

fn main() {}

// Mistakes: 3
