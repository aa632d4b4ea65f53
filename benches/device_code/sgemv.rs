//! A matrix times a vector: each item has a row.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn sgemv(a: &[f32], x: &[f32], y: &mut [f32], n: usize) {
        let row = global_id();
        if row < y.len() {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[row * n + k] * x[k];
            }
            y[row] = sum;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (m, n) = (128, 64);
    let (matrix, vector) = (numbers(m * n, 6), numbers(n, 7));
    let row = |row: &[f32]| row.iter().zip(&vector).map(|(a, x)| a * x).sum();
    let expected = matrix.chunks(n).map(row).collect();
    let a = suite.device.upload(&matrix)?;
    let x = suite.device.upload(&vector)?;
    let mut y = suite.device.upload(&vec![0.0f32; m])?;
    let ours = launched!(sgemv(&a, &x, &mut y, n).over(m), &suite.device);
    // In each of `n` steps two loads (the vector is too long for registers), a product and a sum.
    let work = Work {
        items: m,
        loads: 2.0 * n as f64,
        stores: 1.0,
        sums: 2.0 * n as f64,
        words: m * n + n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "sgemv",
        grid: [m as u32, 1, 1],
        block: None,
        words: &[
            a.as_ptr().addr(),
            x.as_ptr().addr(),
            y.as_ptr().addr(),
            n as u32,
        ],
    };
    suite.compare::<sgemv>(
        "sgemv 128x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
