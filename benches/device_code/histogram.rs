//! How often each value occurs, counted by atomic additions.

use super::bound::Work;
use super::suite::{Cpp, Launched, Suite, numbers, variants};
use vortex::prelude::*;

variants! {
    fn histogram(x: &[u32], bins: &mut [u32]) {
        let i = global_id();
        if i < x.len() {
            bins.atomic(x[i] as usize % bins.len()).fetch_add(1, Relaxed);
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, count) = (4096, 64);
    let values: Vec<u32> = numbers(n, 44).into_iter().map(f32::to_bits).collect();
    let mut expected = vec![0; count];
    for value in &values {
        expected[*value as usize % count] += 1;
    }
    let x = suite.device.upload(&values)?;
    let mut bins = suite.device.upload(&vec![0u32; count])?;
    let contracted = contracted::histogram(&x, &mut bins);
    let contracted = contracted.over(n).launch(&suite.device)?;
    bins.write(&vec![0; count])?;
    // SAFETY: the same launch has passed all checks.
    let unchecked = unsafe { unchecked::histogram(&x, &mut bins) };
    let unchecked = unchecked.over(n).launch(&suite.device)?;
    bins.write(&vec![0; count])?;
    let ours = Launched {
        kernel: histogram(&x, &mut bins).over(n).launch(&suite.device)?,
        unchecked,
        contracted,
    };
    // A remainder and an atomic addition.
    let work = Work {
        items: n,
        loads: 1.0,
        atomics: 1.0,
        others: 1.0,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "histogram",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[x.as_ptr().addr(), bins.as_ptr().addr(), count as u32],
    };
    suite.compare::<histogram>(
        "histogram 4096 in 64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut bins, expected)],
    )
}
