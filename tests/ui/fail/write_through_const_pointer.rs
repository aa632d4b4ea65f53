#[vortex::kernel]
unsafe fn copy(from: *const f32, to: *const f32) {
    unsafe { *to = *from };
    unsafe { *to += 1.0 };
}

fn main() {}

// Mistakes: 2
