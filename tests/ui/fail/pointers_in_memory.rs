use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Row {
    first: *const f32,
    last: *mut f32,
}

#[vortex::kernel]
fn safely(table: &[*const f32], out: &mut [f32]) {
    out[0] = *table[0];
}

#[vortex::kernel]
fn through_const(table: &[*const f32]) {
    unsafe { *table[0] = 1.0 };
}

#[vortex::kernel]
fn of_another_type(table: &[*const f32], out: &mut [u32]) {
    let p: *const u32 = table[0];
    out[0] = unsafe { *p };
}

fn main() {}

// Mistakes: 5
