//! Multiplies two square matrices, one element of the product per work item.
//!
//! ```sh
//! cargo run --release --example sgemm             # 128 x 128
//! cargo run --release --example sgemm -- 256
//! ```

mod shared;

use vortex::prelude::*;

/// `c = a * b`, each `n` x `n`, row by row.
#[vortex::kernel]
pub fn sgemm(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(128, 2048);
    let a: Vec<f32> = (0..n * n).map(|i| (i % 19) as f32 - 9.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 23) as f32 * 0.125).collect();

    let device = Device::open()?;
    let a_device = device.upload(&a)?;
    let b_device = device.upload(&b)?;
    let mut c_device = device.alloc(n * n)?;
    let report = sgemm(n, &a_device, &b_device, &mut c_device)
        .over((n, n))
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
    println!("all {} elements are right", n * n);
    Ok(())
}
