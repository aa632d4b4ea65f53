//! Sorts records by their keys, and keeps those with equal keys in their order: a merge sort.
//!
//! A group sorts as many records as it has work items: each item counts the keys that go before its own. Then runs of
//! twice, four times .. that length are merged, a launch for each length. There every record is a work item, too: its
//! place is where it is in its own run, plus how many of the other run go before it, which a binary search says.
//!
//! ```sh
//! cargo run --release --example sort             # 6,000 records
//! cargo run --release --example sort -- 100000
//! ```

mod shared;

use vortex::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Record {
    key: u32,
    /// Where it was in the beginning.
    place: u32,
}

/// Each group's records, sorted.
#[vortex::kernel]
fn sort_groups(keys: &mut Local<[u32]>, from: &[Record], to: &mut [Record]) {
    let (i, own) = (global_id(), local_id());
    keys[own] = if i < from.len() {
        from[i].key
    } else {
        u32::MAX
    };
    barrier();
    if i < from.len() {
        let key = keys[own];
        let before = keys[..own].iter().filter(|&&other| other <= key).count();
        let after = keys[own..].iter().filter(|&&other| other < key).count();
        to[group_id() * local_size() + before + after] = from[i];
    }
}

/// Each two neighbouring runs of `run` records become one.
#[vortex::kernel]
fn merge(run: usize, from: &[Record], to: &mut [Record]) {
    let i = global_id();
    let start = i - i % (2 * run);
    let middle = (start + run).min(from.len());
    let end = (middle + run).min(from.len());
    let record = from[i];
    let others = if i < middle {
        from[middle..end].partition_point(|other| other.key < record.key)
    } else {
        // Of equal keys, those on the left go first.
        from[start..middle].partition_point(|other| other.key <= record.key)
    };
    let own = if i < middle { i - start } else { i - middle };
    to[start + own + others] = record;
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(6_000, 1 << 24);
    let mut random = shared::Random::new();
    let records: Vec<Record> = (0..n)
        .map(|place| Record {
            // Small keys are more frequent than great ones.
            key: (random.unit() * random.unit() * 1e6) as u32,
            place: place as u32,
        })
        .collect();

    let device = Device::open()?;
    let group = shared::group_size(&device, 64);
    let mut from = device.upload(&records)?;
    let mut to = device.alloc(n)?;
    sort_groups(LocalLen(group), &from, &mut to)
        .grid(n.div_ceil(group))
        .block(group)
        .launch(&device)?;
    let mut run = group;
    let mut launches = 1;
    while run < n {
        std::mem::swap(&mut from, &mut to);
        merge(run, &from, &mut to).over(n).launch(&device)?;
        run *= 2;
        launches += 1;
    }

    let sorted = to.download()?;
    let mut expected = records.clone();
    // Stable, as ours is.
    expected.sort_by_key(|record| record.key);
    assert_eq!(sorted, expected);
    for (when, records) in [("before", &records), ("after ", &sorted)] {
        let keys: Vec<f32> = records.iter().map(|record| record.key as f32).collect();
        println!("{when} {}", shared::line(&keys));
    }
    let (first, last) = (sorted.first(), sorted.last());
    if let (Some(first), Some(last)) = (first, last) {
        println!("keys from {} to {}", first.key, last.key);
    }
    println!("{n} records are sorted after {launches} launches");
    Ok(())
}
