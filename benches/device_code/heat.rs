//! A step of heat along a rod whose ends keep theirs.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn heat(from: &[f32], to: &mut [f32], rate: f32) {
        let i = global_id();
        let n = from.len();
        to[i] = if i == 0 || i == n - 1 {
            from[i]
        } else {
            from[i] + rate * (from[i - 1] - 2.0 * from[i] + from[i + 1])
        };
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, rate) = (4096, 0.1);
    let rod = numbers(n, 71);
    let point = |i: usize| match i == 0 || i == n - 1 {
        true => rod[i],
        false => rod[i] + rate * (rod[i - 1] - 2.0 * rod[i] + rod[i + 1]),
    };
    let expected = (0..n).map(point).collect();
    let from = suite.device.upload(&rod)?;
    let mut to = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(heat(&from, &mut to, rate).over(n), &suite.device);
    // 2 products and 3 sums.
    let work = Work {
        items: n,
        loads: 3.0,
        stores: 1.0,
        sums: 5.0,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "heat",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            from.as_ptr().addr(),
            to.as_ptr().addr(),
            rate.to_bits(),
            n as u32,
        ],
    };
    suite.compare::<heat>("heat 4096", &ours, &cpp, &work, &mut [(&mut to, expected)])
}
