//! Takes the readings out of a series that are too high, in their order: a filter whose places are prefix sums.
//!
//! The first launch counts what each group keeps, the second says where each group begins, and the third writes. In a
//! group an item's place is how many items before it keep theirs, which `group::exclusive_add` says. So nothing is
//! left empty, and no item waits for another one's turn at a counter, which would leave the order to chance.
//!
//! ```sh
//! cargo run --release --example prefix_filter             # 20,000 readings
//! cargo run --release --example prefix_filter -- 1000000
//! ```

mod shared;

use vortex::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Reading {
    time: u32,
    level: f32,
}

/// How many readings of each group are above `limit`.
#[vortex::kernel]
fn count(limit: f32, readings: &[Reading], counts: &mut [u32]) {
    let is_high = readings
        .get(global_id())
        .is_some_and(|reading| reading.level > limit);
    let count = group::reduce_add(is_high as u32);
    if local_id() == 0 {
        counts[group_id()] = count;
    }
}

/// Where each group's begin, and at the end how many there are in all: one group goes over the counts piece by piece.
#[vortex::kernel]
fn starts(counts: &[u32], starts: &mut [u32]) {
    let mut before = 0;
    for piece in (0..counts.len()).step_by(local_size()) {
        let i = piece + local_id();
        let count = counts.get(i).copied().unwrap_or(0);
        let own = group::exclusive_add(count);
        if i < counts.len() {
            starts[i] = before + own;
        }
        before += group::reduce_add(count);
    }
    if local_id() == 0 {
        starts[counts.len()] = before;
    }
}

/// Writes what is above `limit`, without gaps.
#[vortex::kernel]
fn keep(limit: f32, readings: &[Reading], starts: &[u32], kept: &mut [Reading]) {
    let i = global_id();
    let is_high = i < readings.len() && readings[i].level > limit;
    let before = group::exclusive_add(is_high as u32);
    if is_high {
        kept[(starts[group_id()] + before) as usize] = readings[i];
    }
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(20_000, 1 << 24);
    let limit = 0.9;
    let mut random = shared::Random::new();
    let readings: Vec<Reading> = (0..n)
        .map(|i| {
            let wave = (i as f32 / n as f32 * 19.0).sin();
            let level = 0.4 + 0.3 * wave + 0.4 * random.unit() * random.unit();
            Reading {
                time: 10 * i as u32,
                level,
            }
        })
        .collect();

    let device = Device::open()?;
    let group = shared::group_size(&device, 64);
    let groups = n.div_ceil(group);
    let readings_device = device.upload(&readings)?;
    let mut counts = device.alloc(groups)?;
    count(limit, &readings_device, &mut counts)
        .grid(groups)
        .block(group)
        .launch(&device)?;
    let mut starts_device = device.alloc(groups + 1)?;
    starts(&counts, &mut starts_device)
        .grid(1)
        .block(group)
        .launch(&device)?;
    let total = starts_device.slice(groups..)?.download()?[0] as usize;
    let mut kept = device.alloc(total)?;
    keep(limit, &readings_device, &starts_device, &mut kept)
        .grid(groups)
        .block(group)
        .launch(&device)?;

    let kept = kept.download()?;
    let expected: Vec<Reading> = (readings.iter().copied())
        .filter(|reading| reading.level > limit)
        .collect();
    assert_eq!(kept, expected);
    let levels: Vec<f32> = readings.iter().map(|reading| reading.level).collect();
    println!("{}", shared::line(&levels));
    let mut high = vec![0.0; 64];
    for reading in &kept {
        high[reading.time as usize / 10 * 64 / n] += 1.0;
    }
    println!("{}", shared::line(&high));
    for reading in kept.iter().take(4) {
        println!("at {:6} s: {:.3}", reading.time, reading.level);
    }
    println!("{total} of {n} readings are above {limit}, the same as in plain Rust");
    Ok(())
}
