use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Row {
    start: usize,
    value: f32,
}

#[vortex::kernel]
fn rows(rows: &[Row], first: Row, out: &mut [f32]) {
    let i = global_id();
    out[rows[i].start] = rows[i].value;
    out[first.start] = first.value;
}

fn main() {}
