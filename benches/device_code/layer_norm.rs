//! Each item brings a row to the mean 0 and the variance 1, and scales it.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn layer_norm(x: &[f32], gain: &[f32], bias: &[f32], y: &mut [f32], n: usize) {
        let row = global_id();
        let mut sum = 0.0;
        for k in 0..n {
            sum += x[row * n + k];
        }
        let mean = sum / n as f32;
        let mut squares = 0.0;
        for k in 0..n {
            let apart = x[row * n + k] - mean;
            squares += apart * apart;
        }
        let scale = 1.0 / (squares / n as f32 + 1e-5).sqrt();
        for k in 0..n {
            y[row * n + k] = (x[row * n + k] - mean) * scale * gain[k] + bias[k];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (rows, n) = (128, 32);
    let (matrix, factors, offsets) = (numbers(rows * n, 26), numbers(n, 27), numbers(n, 28));
    let normal = |row: &[f32]| -> Vec<f32> {
        let mean = row.iter().sum::<f32>() / n as f32;
        let squares: f32 = row.iter().map(|x| (x - mean) * (x - mean)).sum();
        let scale = 1.0 / (squares / n as f32 + 1e-5).sqrt();
        let scaled = row.iter().zip(factors.iter().zip(&offsets));
        scaled
            .map(|(x, (gain, bias))| (x - mean) * scale * gain + bias)
            .collect()
    };
    let expected = matrix.chunks(n).flat_map(normal).collect();
    let x = suite.device.upload(&matrix)?;
    let gain = suite.device.upload(&factors)?;
    let bias = suite.device.upload(&offsets)?;
    let mut y = suite.device.upload(&vec![0.0f32; rows * n])?;
    let ours = launched!(
        layer_norm(&x, &gain, &bias, &mut y, n).over(rows),
        &suite.device
    );
    // The row is loaded three times, `gain` and `bias` once: all are too long for registers. A sum; a difference, a
    // product and a sum; a difference, two products and a sum. For the row two means and a scale.
    let work = Work {
        items: rows,
        loads: 5.0 * n as f64,
        stores: n as f64,
        sums: 8.0 * n as f64 + 1.0,
        quotients: 3.0,
        roots: 1.0,
        words: rows * n + 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "layer_norm",
        grid: [rows as u32, 1, 1],
        block: None,
        words: &[
            x.as_ptr().addr(),
            gain.as_ptr().addr(),
            bias.as_ptr().addr(),
            y.as_ptr().addr(),
            n as u32,
        ],
    };
    suite.compare::<layer_norm>(
        "layer norm 128x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
