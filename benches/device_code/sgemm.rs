//! A product of matrices, one item for each element.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn sgemm(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
        let (col, row) = global_id_2d();
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    for n in [32, 64, 128] {
        let (left, right) = (numbers(n * n, 18), numbers(n * n, 19));
        let element = |i: usize| {
            (0..n)
                .map(|k| left[i / n * n + k] * right[k * n + i % n])
                .sum()
        };
        let expected = (0..n * n).map(element).collect();
        let a = suite.device.upload(&left)?;
        let b = suite.device.upload(&right)?;
        let mut c = suite.device.upload(&vec![0.0f32; n * n])?;
        let ours = launched!(sgemm(&a, &b, &mut c, n).over((n, n)), &suite.device);
        // In each of `n` steps a product and a sum; 16 items, 4 x 4, need 8 elements for it.
        let work = Work {
            items: n * n,
            loads: 0.5 * n as f64,
            stores: 1.0,
            sums: 2.0 * n as f64,
            words: 2 * n * n,
            ..Work::default()
        };
        let cpp = Cpp {
            file: "sgemm",
            grid: [n as u32, n as u32, 1],
            block: None,
            words: &[
                a.as_ptr().addr(),
                b.as_ptr().addr(),
                c.as_ptr().addr(),
                n as u32,
            ],
        };
        suite.compare::<sgemm>(
            &format!("sgemm {n}x{n}"),
            &ours,
            &cpp,
            &work,
            &mut [(&mut c, expected)],
        )?;
    }
    Ok(())
}
