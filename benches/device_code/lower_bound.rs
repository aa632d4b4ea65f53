//! Where keys belong in sorted numbers, by halving.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn lower_bound(sorted: &[u32], keys: &[u32], at: &mut [u32]) {
        let i = global_id();
        let key = keys[i];
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = (low + high) / 2;
            if sorted[middle] < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        at[i] = low as u32;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 1024;
    let words = |seed| -> Vec<u32> {
        let random = numbers(n, seed).into_iter();
        random.map(|x| ((x + 1.0) * 50_000.0) as u32).collect()
    };
    let (mut values, wanted) = (words(74), words(75));
    values.sort_unstable();
    let place = |key: &u32| values.partition_point(|value| value < key) as u32;
    let expected = wanted.iter().map(place).collect();
    let sorted = suite.device.upload(&values)?;
    let keys = suite.device.upload(&wanted)?;
    let mut at = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(lower_bound(&sorted, &keys, &mut at).over(n), &suite.device);
    // A key; for each step the middle, what is there, a comparison, and the two ends.
    let steps = f64::from(n.ilog2());
    let work = Work {
        items: n,
        loads: 1.0 + steps,
        stores: 1.0,
        others: 5.0 * steps,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "lower_bound",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            sorted.as_ptr().addr(),
            keys.as_ptr().addr(),
            at.as_ptr().addr(),
            n as u32,
        ],
    };
    suite.compare::<lower_bound>(
        "lower bound 1024",
        &ours,
        &cpp,
        &work,
        &mut [(&mut at, expected)],
    )
}
