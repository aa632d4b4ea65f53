use vortex::prelude::*;

#[vortex::kernel]
unsafe fn copy(from: *const f32, to: *mut f32) {
    let i = global_id();
    let source = from.add(i);
    unsafe { *to.add(i) = *source };
}

fn main() {}
