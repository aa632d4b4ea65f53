// Mistakes: 3
use vortex::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Edge {
    from: u32,
    to: u32,
}

#[vortex::kernel]
fn fill(points: &mut [Vec2<f32>], edges: &mut [Edge], numbers: &mut [u32]) {
    let i = global_id();
    points[i] = (1.0, 2.0);
    edges[i] = (0, 1);
    numbers[i] = (3, 4);
}

fn main() {}
