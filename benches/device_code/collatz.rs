//! Steps until a number is 1: loops whose lengths differ from lane to lane.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, variants};
use vortex::prelude::*;

variants! {
    fn collatz(steps: &mut [u32]) {
        let i = global_id();
        let mut n = i as u32 + 1;
        let mut count = 0;
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            count += 1;
        }
        steps[i] = count;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 512;
    let count = |i: u32| {
        let next = |n: &u32| {
            (*n != 1).then(|| {
                if n.is_multiple_of(2) {
                    n / 2
                } else {
                    3 * n + 1
                }
            })
        };
        std::iter::successors(Some(i + 1), next).count() as u32 - 1
    };
    let expected: Vec<u32> = (0..n as u32).map(count).collect();
    let counted = expected.iter().sum::<u32>();
    let mut steps = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(collatz(&mut steps).over(n), &suite.device);
    // Whether it is even, the half, and two operations if not; counting and the comparison.
    let work = Work {
        items: n,
        stores: 1.0,
        others: 4.0 * f64::from(counted) / n as f64,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "collatz",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[steps.as_ptr().addr()],
    };
    suite.compare::<collatz>(
        "collatz 512",
        &ours,
        &cpp,
        &work,
        &mut [(&mut steps, expected)],
    )
}
