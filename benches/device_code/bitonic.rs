//! A step of a bitonic sort: each item takes the smaller or the larger of two numbers.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn bitonic(from: &[f32], to: &mut [f32], run: usize, apart: usize) {
        let i = global_id();
        if i < to.len() {
            let other = i ^ apart;
            let ascending = i & run == 0;
            let first = i < other;
            to[i] = if ascending == first { from[i].min(from[other]) } else { from[i].max(from[other]) };
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, run, apart) = (4096, 64, 8);
    let row = numbers(n, 38);
    let element = |i: usize| {
        let other = i ^ apart;
        let (a, b) = (row[i], row[other]);
        if (i & run == 0) == (i < other) {
            a.min(b)
        } else {
            a.max(b)
        }
    };
    let expected = (0..n).map(element).collect();
    let from = suite.device.upload(&row)?;
    let mut to = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(bitonic(&from, &mut to, run, apart).over(n), &suite.device);
    // A minimum and a maximum, and 3 operations that choose one.
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        comparisons: 2.0,
        others: 3.0,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "bitonic",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            from.as_ptr().addr(),
            to.as_ptr().addr(),
            run as u32,
            apart as u32,
        ],
    };
    suite.compare::<bitonic>(
        "bitonic step 4096",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
