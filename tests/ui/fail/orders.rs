use vortex::prelude::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, DeviceType)]
#[repr(C)]
struct Span {
    from: u32,
    to: u32,
}

#[vortex::kernel]
fn sorted(x: &mut [f32], spans: &[Span], out: &mut [u32]) {
    x.sort_by(|a, b| a.cmp(b));
    out[0] = spans.iter().min_by(|a, b| a.cmp(b)).unwrap().from;
    out[1] = spans.iter().min_by(|a, b| a.total_cmp(b)).unwrap().to;
}

fn main() {}

// Mistakes: 3
