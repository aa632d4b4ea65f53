//! Adds two matrices that are cut into shards, one for each group: a group loads its shards into local memory, adds
//! there, and brings the sum back.
//!
//! ```sh
//! cargo run --release --example tensor_add
//! ```

use vortex::prelude::*;

/// Rows and columns of the matrices.
const SIZE: usize = 128;

/// Work items of a group.
const ITEMS: usize = 32;

/// `c = a + b`. Shards of 16 x 16 elements: three of them fit 4 KiB of local memory.
#[vortex::kernel(block = ITEMS, grid = (8, 8))]
pub fn add(
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]), tile_shape = [16, 16])]
    a: &Tensor<f32, SIZE, SIZE>,
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]), tile_shape = [16, 16])]
    b: &Tensor<f32, SIZE, SIZE>,
    #[layout(memory = l1, layout = sharded, shard(axes = [M, N], grid = [8, 8]), tile_shape = [16, 16])]
    c: &mut Tensor<f32, SIZE, SIZE>,
) {
    let (left, right, sum) = (a.shard(), b.shard(), c.shard());
    for n in (local_id()..sum.rows() * sum.cols()).step_by(ITEMS) {
        let (row, col) = (n / sum.cols(), n % sum.cols());
        sum.write(row, col, left.read(row, col) + right.read(row, col));
    }
    sum.flush();
}

fn main() -> vortex::Result<()> {
    let a: Vec<f32> = (0..SIZE * SIZE).map(|n| (n % 1009) as f32 * 0.5).collect();
    let b: Vec<f32> = (0..SIZE * SIZE).map(|n| (n % 757) as f32 - 300.0).collect();

    let device = Device::open()?;
    let layout = TensorLayout::sharded(&[Axis::M, Axis::N], &[8, 8]).tile_shape(16, 16);
    let a_device = device.upload_tensor(&a, layout)?;
    let b_device = device.upload_tensor(&b, layout)?;
    let mut c_device = device.alloc_tensor(layout)?;
    let report = add(&a_device, &b_device, &mut c_device).launch(&device)?;

    let sums = a.iter().zip(&b).map(|(a, b)| a + b);
    assert!(sums.eq(c_device.download()?));
    println!("{report}");
    println!("all {} elements are right, in 8 x 8 shards", SIZE * SIZE);
    Ok(())
}
