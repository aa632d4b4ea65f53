//! Sorts 16 numbers by inserting each among those before it: each item sorts its own.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const COUNT: usize = 16;

variants! {
    fn insertion_sort(from: &[u32], to: &mut [u32]) {
        let first = global_id() * COUNT;
        let own = &mut to[first..first + COUNT];
        own.copy_from_slice(&from[first..first + COUNT]);
        for k in 1..own.len() {
            let value = own[k];
            let mut at = k;
            while at > 0 && own[at - 1] > value {
                own[at] = own[at - 1];
                at -= 1;
            }
            own[at] = value;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 128;
    let random = numbers(n * COUNT, 124).into_iter();
    let values: Vec<u32> = random.map(|x| (x.abs() * 1e6) as u32).collect();
    let mut expected = values.clone();
    expected.chunks_mut(COUNT).for_each(<[u32]>::sort_unstable);
    let from = suite.device.upload(&values)?;
    let mut to = suite.device.upload(&vec![0u32; n * COUNT])?;
    let ours = launched!(insertion_sort(&from, &mut to).over(n), &suite.device);
    // Elements would fit registers; half of all pairs are compared on average.
    let all = COUNT as f64;
    let work = Work {
        items: n,
        loads: all,
        stores: all,
        others: all * all / 4.0,
        words: n * COUNT,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/insertion_sort",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr()],
    };
    suite.compare::<insertion_sort>(
        "insertion sort 128 of 16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
