//! Adds two vectors, one element per work item.
//!
//! ```sh
//! cargo run --release --example vecadd            # 1,048,576 elements
//! cargo run --release --example vecadd -- 1000
//! ```

mod shared;

use vortex::prelude::*;

/// `c = a + b`.
#[vortex::kernel]
pub fn vecadd(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_id();
    c[i] = a[i] + b[i];
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(1 << 20, 1 << 26);
    let a: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
    let b: Vec<f32> = (0..n).map(|i| (n - i) as f32).collect();

    let device = Device::open()?;
    let a_device = device.upload(&a)?;
    let b_device = device.upload(&b)?;
    let mut c_device = device.alloc(n)?;
    let report = vecadd(&a_device, &b_device, &mut c_device)
        .over(n)
        .launch(&device)?;

    let c = c_device.download()?;
    for i in 0..n {
        assert_eq!(c[i], a[i] + b[i], "element {i}");
    }
    println!("{report}");
    println!("all {n} sums are right");
    Ok(())
}
