//! `z[i] = alpha * x[i] + y[i]`.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn saxpy(alpha: f32, x: &[f32], y: &[f32], z: &mut [f32]) {
        let i = global_id();
        if i < z.len() {
            z[i] = alpha * x[i] + y[i];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 4096;
    let (factors, rest) = (numbers(n, 21), numbers(n, 22));
    let expected = factors
        .iter()
        .zip(&rest)
        .map(|(x, y)| 2.5 * x + y)
        .collect();
    let x = suite.device.upload(&factors)?;
    let y = suite.device.upload(&rest)?;
    let mut z = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(saxpy(2.5, &x, &y, &mut z).over(n), &suite.device);
    // A product and a sum.
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        sums: 2.0,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "saxpy",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            2.5f32.to_bits(),
            x.as_ptr().addr(),
            y.as_ptr().addr(),
            z.as_ptr().addr(),
        ],
    };
    suite.compare::<saxpy>("saxpy 4096", &ours, &cpp, &work, &mut [(&mut z, expected)])
}
