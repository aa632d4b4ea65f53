use vortex::prelude::*;

#[vortex::kernel]
unsafe fn copy(from: *const f32, to: *const f32) {
    let i = global_id();
    let target = to;
    unsafe { *target.add(i) = *from.add(i) };
}

fn main() {}
