#[vortex::kernel]
#[workgroup_size(64)]
fn wgsl(x: &mut [f32]) {
    x[0] = 1.0;
}

#[vortex::kernel]
#[numthreads(8, 8, 1)]
fn hlsl(x: &mut [f32]) {
    x[0] = 1.0;
}

#[vortex::kernel(threads = 256)]
fn cuda(x: &mut [f32]) {
    x[0] = 1.0;
}

#[vortex::kernel(local_size(16, 16))]
fn open_cl(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {}

// Mistakes: 4
