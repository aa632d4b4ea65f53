#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Row {
    values: vortex::DevicePtr<f32>,
    first: u32,
}

#[vortex::kernel]
fn rows(rows: &[vortex::Buffer<f32>], out: &mut [f32]) {
    out[0] = 1.0;
}

#[vortex::kernel]
fn local(out: &mut [f32]) {
    let all: vortex::DeviceSlice<f32> = out;
    out[0] = 1.0;
}

fn main() {}

// Mistakes: 3
