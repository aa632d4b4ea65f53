//! Multiplies two square matrices, tile by tile: the work items of a group copy a tile of each factor to local memory,
//! wait for each other, and then all read it from there.
//!
//! ```sh
//! cargo run --release --example tiled_sgemm             # 128 x 128
//! cargo run --release --example tiled_sgemm -- 256
//! ```

mod shared;

use vortex::prelude::*;

/// Side of the largest tile.
const LARGEST: usize = 16;

/// `c = a * b`, each `n` x `n`, row by row. A group has `tile` x `tile` items, for as many elements of `c`.
#[vortex::kernel]
pub fn tiled_sgemm(n: usize, tile: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = local::<[f32; LARGEST * LARGEST]>();
    let right = local::<[f32; LARGEST * LARGEST]>();
    let (x, y) = local_id_2d();
    let (column, row) = global_id_2d();
    let own = y * tile + x;
    let mut sum = 0.0;
    for start in (0..n).step_by(tile) {
        // Where a tile sticks out of its matrix it is filled up with zeros.
        left[own] = if row < n && start + x < n {
            a[row * n + start + x]
        } else {
            0.0
        };
        right[own] = if start + y < n && column < n {
            b[(start + y) * n + column]
        } else {
            0.0
        };
        barrier();
        for k in 0..tile {
            sum += left[y * tile + k] * right[k * tile + x];
        }
        barrier();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(128, 2048);
    let a: Vec<f32> = (0..n * n).map(|i| (i % 19) as f32 - 9.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 23) as f32 * 0.125).collect();

    let device = Device::open()?;
    // The largest tile whose items fit a core.
    let fits = |tile: &usize| tile * tile <= device.caps().max_group() as usize;
    let tile = [LARGEST, 8, 4, 2].into_iter().find(fits).unwrap_or(1);
    let groups = n.div_ceil(tile);

    let a_device = device.upload(&a)?;
    let b_device = device.upload(&b)?;
    let mut c_device = device.alloc(n * n)?;
    let report = tiled_sgemm(n, tile, &a_device, &b_device, &mut c_device)
        .grid((groups, groups))
        .block((tile, tile))
        .launch(&device)?;

    let c = c_device.download()?;
    for row in 0..n {
        for column in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[row * n + k] * b[k * n + column];
            }
            assert_eq!(c[row * n + column], sum, "row {row}, column {column}");
        }
    }
    println!("{report}");
    println!(
        "all {} elements are right, in tiles of {tile} x {tile}",
        n * n
    );
    Ok(())
}
