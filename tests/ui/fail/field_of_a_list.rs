use vortex::prelude::*;

#[derive(Clone, DeviceType)]
#[repr(C)]
struct Mesh {
    vertices: Vec<f32>,
    count: u32,
}

#[vortex::kernel]
fn hits(mesh: Mesh, out: &mut [f32]) {
    let i = global_id();
    out[i] = mesh.vertices[i] + mesh.vertices.len() as f32;
}

fn main() {}

// Mistakes: 1
