//! Each item turns a row into probabilities.

use super::bound::{EXP, Work};
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn softmax(x: &[f32], y: &mut [f32], n: usize) {
        let row = global_id();
        let mut most = f32::MIN;
        for k in 0..n {
            most = most.max(x[row * n + k]);
        }
        let mut sum = 0.0;
        for k in 0..n {
            let part = (x[row * n + k] - most).exp();
            y[row * n + k] = part;
            sum += part;
        }
        let scale = 1.0 / sum;
        for k in 0..n {
            y[row * n + k] *= scale;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (rows, n) = (128, 32);
    let matrix = numbers(rows * n, 51);
    let probabilities = |row: &[f32]| -> Vec<f32> {
        let most = row.iter().copied().fold(f32::MIN, f32::max);
        let parts: Vec<f32> = row.iter().map(|x| (x - most).exp()).collect();
        let sum: f32 = parts.iter().sum();
        parts.iter().map(|part| part / sum).collect()
    };
    let expected = matrix.chunks(n).flat_map(probabilities).collect();
    let x = suite.device.upload(&matrix)?;
    let mut y = suite.device.upload(&vec![0.0f32; rows * n])?;
    let ours = launched!(softmax(&x, &mut y, n).over(rows), &suite.device);
    // A maximum; a difference, an exponential and a sum; a load of what was stored and a product.
    let work = Work {
        items: rows,
        loads: 3.0 * n as f64,
        stores: 2.0 * n as f64,
        comparisons: n as f64,
        sums: 3.0 * n as f64,
        quotients: 1.0,
        words: 2 * rows * n,
        ..Work::default()
    };
    let work = work.and(n as f64, &EXP);
    let cpp = Cpp {
        file: "softmax",
        grid: [rows as u32, 1, 1],
        block: None,
        words: &[x.as_ptr().addr(), y.as_ptr().addr(), n as u32],
    };
    suite.compare::<softmax>(
        "softmax 128x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
