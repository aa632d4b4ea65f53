use vortex::DeviceType;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Borrowing<'a> {
    a: &'a f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Choice<const N: usize> {
    One,
}

#[vortex::kernel]
fn kernel(pairs: &[Pair<usize>], out: &mut [f32]) {
    let pair = Pair { a: 1.0, b: 2u32 };
    out[0] = pair.a;
}

#[vortex::device]
fn sum<T>(pair: Pair<T>) -> T {
    pair.a + pair.b
}

fn main() {}

// Mistakes: 5
