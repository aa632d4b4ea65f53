//! A matrix of bytes, with a scale for each row, times a vector of bytes, as small neural networks have it.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn int8_mv(weights: &[i8], scales: &[f32], bias: &[f32], x: &[i8], x_scale: f32, y: &mut [f32]) {
        let row = global_id();
        if row >= y.len() {
            return;
        }
        let own = &weights[row * x.len()..(row + 1) * x.len()];
        let sum: i32 = own.iter().zip(x).map(|(&w, &x)| w as i32 * x as i32).sum();
        y[row] = (sum as f32 * (scales[row] * x_scale) + bias[row]).max(0.0);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (rows, n, x_scale) = (256, 48, 0.02f32);
    let bytes = |count: usize, seed: u32| -> Vec<i8> {
        numbers(count, seed)
            .into_iter()
            .map(|x| (x * 127.0) as i8)
            .collect()
    };
    let (matrix, vector) = (bytes(rows * n, 138), bytes(n, 139));
    let [factors, offsets] = [140, 141].map(|seed| numbers(rows, seed));
    let row = |i: usize| {
        let product = |k: usize| i32::from(matrix[i * n + k]) * i32::from(vector[k]);
        let sum: i32 = (0..n).map(product).sum();
        (sum as f32 * (factors[i] * x_scale) + offsets[i]).max(0.0)
    };
    let expected = (0..rows).map(row).collect();
    let weights = suite.device.upload(&matrix)?;
    let scales = suite.device.upload(&factors)?;
    let bias = suite.device.upload(&offsets)?;
    let x = suite.device.upload(&vector)?;
    let mut y = suite.device.upload(&vec![0.0f32; rows])?;
    let ours = launched!(
        int8_mv(&weights, &scales, &bias, &x, x_scale, &mut y).over(rows),
        &suite.device
    );
    // Of each pair two loads, a product and a sum; two products, a sum and a maximum at the end.
    let each = n as f64;
    let work = Work {
        items: rows,
        loads: 2.0 + 2.0 * each,
        stores: 1.0,
        others: 2.0 * each,
        sums: 3.0,
        comparisons: 1.0,
        conversions: 1.0,
        words: rows * n / 4 + n / 4 + 2 * rows,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/int8_mv",
        grid: [rows as u32, 1, 1],
        block: None,
        words: &[
            weights.as_ptr().addr(),
            scales.as_ptr().addr(),
            bias.as_ptr().addr(),
            x.as_ptr().addr(),
            n as u32,
            x_scale.to_bits(),
            y.as_ptr().addr(),
        ],
    };
    suite.compare::<int8_mv>(
        "int8 matrix-vector 256x48",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
