//! Looks keys up in a table with open addresses, as a join of two tables does: each item has a key.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Slot {
    key: u32,
    row: u32,
}

/// The key of slots without one.
const EMPTY: u32 = u32::MAX;

#[vortex::device(host)]
fn first_slot(key: u32, mask: u32) -> u32 {
    let hash = (key ^ (key >> 15)).wrapping_mul(0x2c1b_3c6d);
    (hash ^ (hash >> 13)) & mask
}

#[vortex::device]
fn find(slots: &[Slot], key: u32) -> Option<u32> {
    let mask = slots.len() as u32 - 1;
    let mut at = first_slot(key, mask);
    loop {
        let slot = slots[at as usize];
        if slot.key == key {
            return Some(slot.row);
        }
        if slot.key == EMPTY {
            return None;
        }
        at = (at + 1) & mask;
    }
}

variants! {
    fn hash_join(slots: &[Slot], keys: &[u32], prices: &[u32], counts: &[u32], sums: &mut [u32]) {
        let i = global_id();
        if let Some(row) = find(slots, keys[i]) {
            sums[i] = prices[row as usize] * counts[i];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, rows, size) = (1024, 192, 256usize);
    let table_keys: Vec<u32> = (0..rows as u32).map(|row| row * 37 % 1009 + 5).collect();
    let mut table = vec![Slot { key: EMPTY, row: 0 }; size];
    for (row, key) in table_keys.iter().enumerate() {
        let mut at = first_slot(*key, size as u32 - 1) as usize;
        while table[at].key != EMPTY {
            at = (at + 1) % size;
        }
        table[at] = Slot {
            key: *key,
            row: row as u32,
        };
    }
    let words = |count: usize, seed: u32, most: f32| -> Vec<u32> {
        numbers(count, seed)
            .into_iter()
            .map(|x| (x.abs() * most) as u32)
            .collect()
    };
    let (each, amounts) = (words(rows, 145, 1000.0), words(n, 146, 50.0));
    let wanted: Vec<u32> = words(n, 147, 3e5)
        .into_iter()
        .map(|x| {
            if x % 4 == 0 {
                x
            } else {
                table_keys[x as usize % rows]
            }
        })
        .collect();
    let result = |i: usize| {
        let row = table_keys.iter().position(|key| *key == wanted[i]);
        row.map_or(0, |row| each[row] * amounts[i])
    };
    let expected = (0..n).map(result).collect();
    let slots = suite.device.upload(&table)?;
    let keys = suite.device.upload(&wanted)?;
    let prices = suite.device.upload(&each)?;
    let counts = suite.device.upload(&amounts)?;
    let mut sums = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(
        hash_join(&slots, &keys, &prices, &counts, &mut sums).over(n),
        &suite.device
    );
    // Its key, 6 operations for its slot, that slot's key and whether it is the one; for three of four what it gives.
    let work = Work {
        items: n,
        loads: 2.0 + 3.0 * 0.74,
        stores: 0.74,
        others: 7.0 + 0.74,
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/hash_join",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            slots.as_ptr().addr(),
            size as u32,
            keys.as_ptr().addr(),
            prices.as_ptr().addr(),
            counts.as_ptr().addr(),
            sums.as_ptr().addr(),
        ],
    };
    suite.compare::<hash_join>(
        "hash join 1024",
        &ours,
        &cpp,
        &work,
        &mut [(&mut sums, expected)],
    )
}
