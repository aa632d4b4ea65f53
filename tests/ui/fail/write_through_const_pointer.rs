use vortex::prelude::*;

#[vortex::kernel]
unsafe fn copy(from: *const f32, to: *const f32) {
    unsafe { *to = *from };
    let target = to;
    unsafe { *target.add(global_id()) = *from };
}

fn main() {}
