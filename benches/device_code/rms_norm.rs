//! Rows divided by the root of their mean square, as parts of a slice.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn rms_norm(x: &[f32], weights: &[f32], y: &mut [f32], n: usize) {
        let row = global_id();
        let x = &x[row * n..(row + 1) * n];
        let mut sum = 0.0;
        for v in x {
            sum += v * v;
        }
        let scale = 1.0 / (sum / n as f32 + 1e-5).sqrt();
        for k in 0..n {
            y[row * n + k] = x[k] * scale * weights[k];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (rows, n) = (64, 64);
    let (values, factors) = (numbers(rows * n, 79), numbers(n, 80));
    let normed = |row: &[f32]| -> Vec<f32> {
        let mean = row.iter().map(|v| v * v).sum::<f32>() / n as f32;
        let scale = 1.0 / (mean + 1e-5).sqrt();
        row.iter()
            .zip(&factors)
            .map(|(v, factor)| v * scale * factor)
            .collect()
    };
    let expected = values.chunks(n).flat_map(normed).collect();
    let x = suite.device.upload(&values)?;
    let weights = suite.device.upload(&factors)?;
    let mut y = suite.device.upload(&vec![0.0f32; rows * n])?;
    let ours = launched!(rms_norm(&x, &weights, &mut y, n).over(rows), &suite.device);
    // A row is more than the registers hold: of each element, and of each weight, 2 loads and one; 4 products and sums.
    let each = n as f64;
    let work = Work {
        items: rows,
        loads: 3.0 * each,
        stores: each,
        sums: 4.0 * each + 1.0,
        quotients: 2.0,
        roots: 1.0,
        words: rows * n + n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "rms_norm",
        grid: [rows as u32, 1, 1],
        block: None,
        words: &[
            x.as_ptr().addr(),
            weights.as_ptr().addr(),
            y.as_ptr().addr(),
            n as u32,
        ],
    };
    suite.compare::<rms_norm>(
        "rms norm 64x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
