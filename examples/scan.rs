//! The balance of an account after each of its bookings: prefix sums of more numbers than a group has work items.
//!
//! Each work item adds up a few numbers, and its group what the items before it have, with `group::exclusive_add`. The
//! sums of groups are scanned in the same way, by as many launches as it takes, and added to what comes after them.
//!
//! ```sh
//! cargo run --release --example scan              # 20,000 bookings
//! cargo run --release --example scan -- 1000000
//! ```

mod shared;

use vortex::prelude::*;

/// Numbers that each work item adds up on its own.
const EACH: usize = 4;

/// Sums up to each place within its group's part, and the sum of all of it.
#[vortex::kernel]
fn scan_groups(x: &[i32], sums: &mut [i32], totals: &mut [i32]) {
    let first = global_id() * EACH;
    let own = first..(first + EACH).min(x.len());
    let mut sum = 0;
    for i in own.clone() {
        sum += x[i];
        sums[i] = sum;
    }
    let before = group::exclusive_add(sum);
    for i in own {
        sums[i] += before;
    }
    if local_id() + 1 == local_size() {
        totals[group_id()] = before + sum;
    }
}

/// Adds to each part what all parts before it came to.
#[vortex::kernel]
fn add_before(part: usize, totals: &[i32], sums: &mut [i32]) {
    let i = global_id();
    if i >= part {
        sums[i] += totals[i / part - 1];
    }
}

/// Sums up to each place, that place included.
fn prefix_sums(device: &Device, group: usize, x: &Buffer<i32>) -> vortex::Result<Buffer<i32>> {
    let part = EACH * group;
    let groups = x.len().div_ceil(part);
    let mut sums = device.alloc(x.len())?;
    let mut totals = device.alloc(groups)?;
    let scan = scan_groups(x, &mut sums, &mut totals);
    scan.grid(groups).block(group).launch(device)?;
    if groups > 1 {
        let totals = prefix_sums(device, group, &totals)?;
        let add = add_before(part, &totals, &mut sums);
        add.over_each().launch(device)?;
    }
    Ok(sums)
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(20_000, 1 << 24);
    let mut random = shared::Random::new();
    let bookings: Vec<i32> = (0..n).map(|_| random.below(201) as i32 - 100).collect();

    let device = Device::open()?;
    let group = shared::group_size(&device, 64);
    let bookings_device = device.upload(&bookings)?;
    let balances = prefix_sums(&device, group, &bookings_device)?.download()?;

    let mut balance = 0;
    for (i, (booking, got)) in bookings.iter().zip(&balances).enumerate() {
        balance += booking;
        assert_eq!(*got, balance, "after booking {i}");
    }
    let least = balances.iter().copied().min().unwrap_or(0);
    let most = balances.iter().copied().max().unwrap_or(0);
    let heights: Vec<f32> = balances.iter().map(|&balance| balance as f32).collect();
    println!("{}", shared::line(&heights));
    println!("{n} bookings: the balance went from {least} to {most}, and ends at {balance}");
    Ok(())
}
