#[vortex::kernel]
unsafe fn copy(from: *const f32, to: *mut f32) {
    *to = *from;
}

fn main() {}

// Mistakes: 2
