//! How often the value at a place is repeated behind it, up to a limit: each item has a place.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn run_length(values: &[u32], limit: usize, lengths: &mut [u32]) {
        let i = global_id();
        if let Some(&first) = values.get(i) {
            lengths[i] = values[i..]
                .iter()
                .take(limit)
                .take_while(|&&value| value == first)
                .count() as u32;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, limit) = (1024, 24);
    let mut all = Vec::new();
    for (k, number) in numbers(n, 109).into_iter().enumerate() {
        let length = 1 + (number * number * 40.0) as usize;
        all.extend(vec![k as u32 % 5; length]);
    }
    all.truncate(n);
    let run = |i: usize| {
        let end = (i..n.min(i + limit)).find(|k| all[*k] != all[i]);
        (end.unwrap_or(n.min(i + limit)) - i) as u32
    };
    let expected: Vec<u32> = (0..n).map(run).collect();
    let steps: u32 = expected.iter().sum();
    let values = suite.device.upload(&all)?;
    let mut lengths = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(
        run_length(&values, limit, &mut lengths).over(n),
        &suite.device
    );
    // Of each element of a run a load and a comparison.
    let each = f64::from(steps) / n as f64;
    let work = Work {
        items: n,
        loads: each,
        stores: 1.0,
        others: each,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/run_length",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            values.as_ptr().addr(),
            n as u32,
            limit as u32,
            lengths.as_ptr().addr(),
        ],
    };
    suite.compare::<run_length>(
        "run length 1024",
        &ours,
        &cpp,
        &work,
        &mut [(&mut lengths, expected)],
    )
}
