use vortex::prelude::*;

#[vortex::kernel]
fn keys(
    #[layout(memory = sram)] a: &Tensor<f32, 64, 64>,
    #[layout(tiles = [16, 16])] b: &Tensor<f32, 64, 64>,
    #[layout(tile_shape = 16)] c: &Tensor<f32, 64, 64>,
    #[layout(layout = sharded, shard(axes = [K], grid = [8]))] d: &Tensor<f32, 64, 64>,
    #[layout(depth = 2, depth = 4)] e: &Tensor<f32, 64, 64>,
    #[layout] f: &Tensor<f32, 64, 64>,
    #[layout(memory = dram)] g: &[f32],
) {
}

fn main() {}

// Mistakes: 7
