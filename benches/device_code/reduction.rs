//! The sums of groups, as a tree in local memory.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn reduction(part: &mut Local<[f32]>, x: &[f32], sums: &mut [f32]) {
        let i = local_id();
        part[i] = x[global_id()];
        barrier();
        let mut half = local_size() / 2;
        while half > 0 {
            if i < half {
                part[i] += part[i + half];
            }
            barrier();
            half /= 2;
        }
        if i == 0 {
            sums[group_id()] = part[0];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 4096;
    // The most that all shapes run, and that the C++ has room for.
    let size = suite.device.caps().max_group().min(64) as usize;
    let values = numbers(n, 73);
    let expected = values.chunks(size).map(|part| part.iter().sum()).collect();
    let x = suite.device.upload(&values)?;
    let mut sums = suite.device.upload(&vec![0.0f32; n / size])?;
    let ours = launched!(
        reduction(LocalLen(size), &x, &mut sums)
            .grid(n / size)
            .block(size),
        &suite.device
    );
    // Into local memory and out of it, and a sum less than there are items: of each a load, and one that is kept; a
    // barrier after each of the levels of the tree.
    let levels = f64::from(size.ilog2());
    let work = Work {
        items: n,
        loads: 1.0,
        stores: 1.0 / size as f64,
        local_loads: 1.0,
        local_stores: 2.0,
        sums: 1.0,
        others: levels,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "reduction",
        grid: [(n / size) as u32, 1, 1],
        block: Some([size as u32, 1, 1]),
        words: &[x.as_ptr().addr(), sums.as_ptr().addr()],
    };
    suite.compare::<reduction>(
        "reduction 4096",
        &ours,
        &cpp,
        &work,
        &mut [(&mut sums, expected)],
    )
}
