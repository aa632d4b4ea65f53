//! Multiplies two matrices of `bf16` that lie in device memory tile by tile. The tiles go through circular buffers in
//! local memory: while a group computes with one page of each, the next tiles are on their way to the other.
//!
//! ```sh
//! cargo run --release --example tensor_matmul
//! ```

use vortex::prelude::*;

/// Rows and columns of the matrices.
const SIZE: usize = 256;

/// Rows and columns of a tile: three pages of 16 x 16, twice each, fit 4 KiB of local memory.
const TILE: usize = 16;

/// `c = a * b`: a group computes a tile of `c`, each of its 16 work items 4 x 4 elements.
#[vortex::kernel(block = 16, grid = (SIZE / TILE, SIZE / TILE))]
pub fn matmul(
    #[layout(memory = dram, layout = interleaved, tile_shape = [TILE, TILE])] a: &Tensor<
        bf16,
        SIZE,
        SIZE,
    >,
    #[layout(memory = dram, layout = interleaved, tile_shape = [TILE, TILE])] b: &Tensor<
        bf16,
        SIZE,
        SIZE,
    >,
    #[layout(memory = dram, layout = interleaved, tile_shape = [TILE, TILE])] c: &mut Tensor<
        f32,
        SIZE,
        SIZE,
    >,
) {
    let (column, row) = group_id_2d();
    let (left, right, out) = (a.buffer(), b.buffer(), c.buffer());
    let sums = c.accumulator();
    left.reserve();
    left.load_tile(a.tile(row, 0));
    left.push();
    right.reserve();
    right.load_tile(b.tile(0, column));
    right.push();
    for k in 1..=a.tile_cols() {
        left.wait();
        right.wait();
        // The next tiles, while these are multiplied.
        if k < a.tile_cols() {
            left.reserve();
            left.load_tile(a.tile(row, k));
            left.push();
            right.reserve();
            right.load_tile(b.tile(k, column));
            right.push();
        }
        sums.mma(left, right);
        left.pop();
        right.pop();
    }
    out.reserve();
    sums.store_to(out);
    out.push();
    out.wait();
    out.store_tile(c.tile(row, column));
    out.pop();
}

fn main() -> vortex::Result<()> {
    // Numbers of many magnitudes, so that sums have to be rounded.
    let number = |seed: usize| bf16::from_f32(((seed * 7919 % 1009) as f32 - 504.0).powi(3) / 1e6);
    let a: Vec<bf16> = (0..SIZE * SIZE).map(number).collect();
    let b: Vec<bf16> = (0..SIZE * SIZE).map(|i| number(3 * i + 1)).collect();

    let device = Device::open()?;
    let layout = TensorLayout::INTERLEAVED.tile_shape(TILE, TILE);
    let a_device = device.upload_tensor(&a, layout)?;
    let b_device = device.upload_tensor(&b, layout)?;
    let mut c_device = device.alloc_tensor(layout)?;
    let report = matmul(&a_device, &b_device, &mut c_device).launch(&device)?;

    // Products of two `bf16` are exact in an `f32`, whose sums are rounded: each by half a unit in the last place at
    // most.
    let c = c_device.download()?;
    let mut worst: f64 = 0.0;
    for row in 0..SIZE {
        for column in 0..SIZE {
            let products =
                (0..SIZE).map(|k| a[row * SIZE + k].to_f64() * b[k * SIZE + column].to_f64());
            let (sum, magnitude) =
                products.fold((0.0, 0.0), |(sum, all), p| (sum + p, all + p.abs()));
            let error = (f64::from(c[row * SIZE + column]) - sum).abs();
            let bound = magnitude * SIZE as f64 * f64::from(f32::EPSILON) / 2.0;
            assert!(
                error <= bound,
                "row {row}, column {column}: {error} is more than {bound}"
            );
            worst = worst.max(error);
        }
    }
    println!("{report}");
    println!(
        "all {} elements are right, the worst by {worst:.1e}",
        SIZE * SIZE
    );
    Ok(())
}
