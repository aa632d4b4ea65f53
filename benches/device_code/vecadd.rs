//! `c[i] = a[i] + b[i]`.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn vecadd(a: &[f32], b: &[f32], c: &mut [f32]) {
        let i = global_id();
        if i < c.len() {
            c[i] = a[i] + b[i];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 4096;
    let (left, right) = (numbers(n, 1), numbers(n, 2));
    let expected = left.iter().zip(&right).map(|(a, b)| a + b).collect();
    let a = suite.device.upload(&left)?;
    let b = suite.device.upload(&right)?;
    let mut c = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(vecadd(&a, &b, &mut c).over(n), &suite.device);
    // One sum.
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        sums: 1.0,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "vecadd",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[a.as_ptr().addr(), b.as_ptr().addr(), c.as_ptr().addr()],
    };
    suite.compare::<vecadd>("vecadd 4096", &ours, &cpp, &work, &mut [(&mut c, expected)])
}
