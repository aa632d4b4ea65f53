//! The dot product of two vectors: the device multiplies, the host adds up.
//!
//! ```sh
//! cargo run --release --example dotproduct        # 262,144 elements
//! cargo run --release --example dotproduct -- 1000
//! ```

mod shared;

use vortex::prelude::*;

/// How many products each work item adds up.
const CHUNK: usize = 16;

/// `partial[i]` becomes the sum of the products of chunk `i`.
#[vortex::kernel]
pub fn dotproduct(a: &[i32], b: &[i32], partial: &mut [i32]) {
    let i = global_id();
    let start = i * CHUNK;
    let end = (start + CHUNK).min(a.len());
    let mut sum = 0;
    for k in start..end {
        sum += a[k] * b[k];
    }
    partial[i] = sum;
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(1 << 18, 1 << 26);
    let a: Vec<i32> = (0..n).map(|i| (i % 100) as i32 - 50).collect();
    let b: Vec<i32> = (0..n).map(|i| (i % 37) as i32).collect();
    let items = n.div_ceil(CHUNK);

    let device = Device::open()?;
    let a_device = device.upload(&a)?;
    let b_device = device.upload(&b)?;
    let mut partial = device.alloc(items)?;
    let report = dotproduct(&a_device, &b_device, &mut partial)
        .over(items)
        .launch(&device)?;

    let result: i64 = partial.download()?.into_iter().map(i64::from).sum();
    let expected: i64 = a
        .iter()
        .zip(&b)
        .map(|(&a, &b)| i64::from(a) * i64::from(b))
        .sum();
    assert_eq!(result, expected);
    println!("{report}");
    println!("the dot product of {n} elements is {result}");
    Ok(())
}
