//! Prefix sums within groups, in as many steps as the group's size has binary digits.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn scan(part: &mut Local<[f32]>, x: &[f32], sums: &mut [f32], totals: &mut [f32]) {
        let (i, at) = (local_id(), global_id());
        part[i] = x[at];
        barrier();
        let mut apart = 1;
        while apart < local_size() {
            let before = if i >= apart { part[i - apart] } else { 0.0 };
            barrier();
            part[i] += before;
            barrier();
            apart *= 2;
        }
        sums[at] = part[i];
        if i + 1 == local_size() {
            totals[group_id()] = part[i];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let caps = suite.device.caps();
    // As many as a core has room for, at most 64.
    let (n, block) = (4096, caps.max_group().min(64) as usize);
    let row = numbers(n, 43);
    let mut sums = row.clone();
    for group in sums.chunks_mut(block) {
        for i in 1..block {
            group[i] += group[i - 1];
        }
    }
    let totals = sums.chunks(block).map(|group| group[block - 1]).collect();
    let x = suite.device.upload(&row)?;
    let mut to = suite.device.upload(&vec![0.0f32; n])?;
    let mut ends = suite.device.upload(&vec![0.0f32; n / block])?;
    let ours = launched!(
        scan(LocalLen(block), &x, &mut to, &mut ends)
            .grid(n / block)
            .block(block),
        &suite.device
    );
    // In each step a store, a sum and two barriers, and for those far enough in the group a load.
    let steps = block.ilog2();
    let loads = (0..steps)
        .map(|step| 1.0 - f64::from(1 << step) / block as f64)
        .sum();
    let steps = f64::from(steps);
    let work = Work {
        items: n,
        loads: 1.0,
        stores: 1.0,
        local_loads: loads,
        local_stores: 1.0 + steps,
        others: 1.0 + 2.0 * steps,
        sums: steps,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "scan",
        grid: [(n / block) as u32, 1, 1],
        block: Some([block as u32, 1, 1]),
        words: &[x.as_ptr().addr(), to.as_ptr().addr(), ends.as_ptr().addr()],
    };
    let mut outputs = [(&mut to, sums), (&mut ends, totals)];
    suite.compare::<scan>("prefix sums 4096", &ours, &cpp, &work, &mut outputs)
}
