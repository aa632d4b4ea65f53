use vortex::prelude::*;

#[vortex::kernel]
fn unaligned(
    a: &Tensor<f32, 240, 240>,
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]))] b: &Tensor<f32, 240, 240>,
) {
    let _ = a.rows() + b.rows();
}

#[vortex::kernel]
fn haloed(#[layout(halo = [1, 1])] a: &mut Tensor<f32, 64, 64>) {
    a.write(0, 0, 1.0);
}

fn main() {}

// Mistakes: 2
