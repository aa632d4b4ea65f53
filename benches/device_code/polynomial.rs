//! A polynomial of degree 8, by Horner's rule.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn polynomial(x: &[f32], c: &[f32], y: &mut [f32]) {
        let i = global_id();
        if i < y.len() {
            let at = x[i];
            let mut sum = c[8];
            for k in 0..8 {
                sum = sum * at + c[7 - k];
            }
            y[i] = sum;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 4096;
    let (points, factors) = (numbers(n, 3), numbers(9, 4));
    let horner = |x: &f32| factors.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let expected = points.iter().map(horner).collect();
    let x = suite.device.upload(&points)?;
    let c = suite.device.upload(&factors)?;
    let mut y = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(polynomial(&x, &c, &mut y).over(n), &suite.device);
    // Nine coefficients fit registers. Eight steps of a product and a sum.
    let work = Work {
        items: n,
        loads: 1.0,
        stores: 1.0,
        sums: 16.0,
        words: n + 9,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "polynomial",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[x.as_ptr().addr(), c.as_ptr().addr(), y.as_ptr().addr()],
    };
    suite.compare::<polynomial>(
        "polynomial 4096",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
