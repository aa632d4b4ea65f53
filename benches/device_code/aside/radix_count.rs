//! How often each digit occurs in each group's part of the keys, the first step of a radix sort.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Values of a digit.
const DIGITS: usize = 16;
/// Keys of an item.
const KEYS: usize = 8;

variants! {
    fn radix_count(keys: &[u32], shift: u32, counts: &mut [u32]) {
        let own = local::<[u32; DIGITS]>();
        let i = local_id();
        if i < DIGITS {
            own[i] = 0;
        }
        barrier();
        let first = group_id() * local_size() * KEYS;
        for k in 0..KEYS {
            let key = keys[first + k * local_size() + i];
            let digit = (key >> shift) as usize % DIGITS;
            own.atomic(digit).fetch_add(1, Relaxed);
        }
        barrier();
        if i < DIGITS {
            counts[i * group_count() + group_id()] = own[i];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let caps = suite.device.caps();
    let block = caps.max_group().min(64) as usize;
    let (n, shift) = (4096, 8);
    let all: Vec<u32> = numbers(n, 142).into_iter().map(f32::to_bits).collect();
    let groups = n / (block * KEYS);
    let mut expected = vec![0; groups * DIGITS];
    for (group, part) in all.chunks(block * KEYS).enumerate() {
        for key in part {
            expected[(key >> shift) as usize % DIGITS * groups + group] += 1;
        }
    }
    let keys = suite.device.upload(&all)?;
    let mut counts = suite.device.upload(&vec![0u32; groups * DIGITS])?;
    let ours = launched!(
        radix_count(&keys, shift, &mut counts)
            .grid(groups)
            .block(block),
        &suite.device
    );
    // A load, a shift, a mask and an atomic addition for each key; two barriers.
    let each = KEYS as f64;
    let some = DIGITS as f64 / block as f64;
    let work = Work {
        items: n / KEYS,
        loads: each,
        stores: some,
        local_loads: some,
        local_stores: some,
        atomics: each / caps.threads as f64,
        others: 2.0 * each + 2.0,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/radix_count",
        grid: [groups as u32, 1, 1],
        block: Some([block as u32, 1, 1]),
        words: &[keys.as_ptr().addr(), shift, counts.as_ptr().addr()],
    };
    suite.compare::<radix_count>(
        "radix count 4096",
        &ours,
        &cpp,
        &work,
        &mut [(&mut counts, expected)],
    )
}
