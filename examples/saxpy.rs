//! `y += alpha * x`, one element per work item.
//!
//! ```sh
//! cargo run --release --example saxpy             # 1,048,576 elements
//! cargo run --release --example saxpy -- 1000
//! ```

mod shared;

use vortex::prelude::*;

/// `y += alpha * x`.
#[vortex::kernel]
pub fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] += alpha * x[i];
    }
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(1 << 20, 1 << 26);
    let alpha = 3.0;
    let x: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 0.25).collect();
    let y: Vec<f32> = (0..n).map(|i| (i % 77) as f32).collect();

    let device = Device::open()?;
    let x_device = device.upload(&x)?;
    let mut y_device = device.upload(&y)?;
    let report = saxpy(alpha, &x_device, &mut y_device)
        .over(n)
        .launch(&device)?;

    let result = y_device.download()?;
    for i in 0..n {
        assert_eq!(result[i], y[i] + alpha * x[i], "element {i}");
    }
    println!("{report}");
    println!("all {n} elements are right");
    Ok(())
}
