//! A dot product in as many parts as there are items, which stride through the vectors together.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn dot(a: &[f32], b: &[f32], sums: &mut [f32]) {
        let first = global_id();
        let mut sum = 0.0;
        for k in (first..a.len()).step_by(sums.len()) {
            sum += a[k] * b[k];
        }
        sums[first] = sum;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, parts) = (8192, 64);
    let (left, right) = (numbers(n, 8), numbers(n, 9));
    let product = |k: usize| left[k] * right[k];
    let part = |first: usize| (first..n).step_by(parts).map(product).sum();
    let expected = (0..parts).map(part).collect();
    let a = suite.device.upload(&left)?;
    let b = suite.device.upload(&right)?;
    let mut sums = suite.device.upload(&vec![0.0f32; parts])?;
    let ours = launched!(dot(&a, &b, &mut sums).over(parts), &suite.device);
    // For each element of its part two loads, a product and a sum.
    let work = Work {
        items: parts,
        loads: 2.0 * (n / parts) as f64,
        stores: 1.0,
        sums: 2.0 * (n / parts) as f64,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "dot",
        grid: [parts as u32, 1, 1],
        block: None,
        words: &[
            a.as_ptr().addr(),
            b.as_ptr().addr(),
            sums.as_ptr().addr(),
            n as u32,
        ],
    };
    suite.compare::<dot>(
        "dot 8192 in 64 parts",
        &ours,
        &cpp,
        &work,
        &mut [(&mut sums, expected)],
    )
}
