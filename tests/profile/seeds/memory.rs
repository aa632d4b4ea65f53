//! Kernels that memory holds up.

use vortex::prelude::*;
use vortex::profile::{Cause, Profile};

use super::Seed;

pub(super) const SEEDS: [Seed; 9] = [
    Seed::new("uncoalesced loads", Cause::Uncoalesced, uncoalesced_loads).on(8, 4),
    Seed::new("uncoalesced stores", Cause::Uncoalesced, uncoalesced_stores).on(16, 4),
    Seed::new("bank conflicts", Cause::BankConflicts, bank_conflicts).on(4, 16),
    Seed::new("cache thrash", Cause::CacheThrash, cache_thrash).on(4, 32),
    Seed::new("bandwidth", Cause::MemoryBandwidth, bandwidth),
    Seed::new("latency", Cause::MemoryLatency, latency),
    Seed::new("atomics", Cause::Atomics, atomics).on(4, 16),
    Seed::new("fences", Cause::Fences, fences),
    Seed::new("registers", Cause::PrivateMemory, registers).anywhere(),
];

#[vortex::kernel]
fn columns(rounds: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let mut sum = 0;
    for k in 0..rounds {
        sum += x[(k * 32 + i) * 16]; // <- here
    }
    y[i] = sum;
}

fn uncoalesced_loads(device: &Device) -> Profile {
    let x = device.upload(&vec![1u32; 32 * 32 * 16]).unwrap();
    let mut y = device.alloc(32).unwrap();
    columns(32, &x, &mut y).over(32).profile(device).unwrap()
}

#[vortex::kernel]
fn scatter(rounds: usize, y: &mut [u32]) {
    let i = global_id();
    for k in 0..rounds {
        y[(k * 64 + i) * 16] = 1; // <- here
    }
}

fn uncoalesced_stores(device: &Device) -> Profile {
    let mut y = device.alloc(64 * 16 * 40).unwrap();
    scatter(40, &mut y).over(64).profile(device).unwrap()
}

#[vortex::kernel]
fn banks(rounds: usize, y: &mut [u32]) {
    let tile = local::<[u32; 1024]>();
    let i = local_id();
    let mut sum = 0;
    for k in 0..16 {
        tile[k * 64 + i] = 1;
    }
    barrier();
    for _ in 0..rounds {
        for k in comptime!(0..16) {
            sum += tile[i * 16 + k]; // <- here
        }
    }
    y[global_id()] = sum;
}

fn bank_conflicts(device: &Device) -> Profile {
    let mut y = device.alloc(64).unwrap();
    banks(20, &mut y).grid(1).block(64).profile(device).unwrap()
}

#[vortex::kernel]
fn again(rounds: usize, count: usize, x: *const u32, y: &mut [u32]) {
    let i = global_id();
    let mut sum = 0;
    for _ in 0..rounds {
        let mut at = i;
        while at < count {
            // SAFETY: the launch passes as many elements as `count` says.
            sum += unsafe { *x.add(at) }; // <- here
            at += global_size();
        }
    }
    y[i] = sum;
}

fn cache_thrash(device: &Device) -> Profile {
    // 48 KiB, in order, six times; the cache has 16.
    let x = device.upload(&vec![1u32; 12 << 10]).unwrap();
    let mut y = device.alloc(128).unwrap();
    again(6, 12 << 10, x.as_ptr(), &mut y)
        .over(128)
        .profile(device)
        .unwrap()
}

#[vortex::kernel]
fn copy(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    y[i] = x[i]; // <- here
}

fn bandwidth(device: &Device) -> Profile {
    let generation = device.caps().generation;
    let device = Device::builder()
        .cores(8)
        .warps(8)
        .threads(32)
        .generation(generation)
        .open()
        .unwrap();
    let x = device.upload(&vec![1u32; 64 << 10]).unwrap();
    let mut y = device.alloc(64 << 10).unwrap();
    copy(&x, &mut y).over(64 << 10).profile(&device).unwrap()
}

#[vortex::kernel]
fn chase(steps: usize, next: *const u32, y: &mut [u32]) {
    let i = global_id();
    let mut at = i / 4 * 16_000;
    for _ in 0..steps {
        // SAFETY: each element is the index of another.
        at = unsafe { *next.add(at) } as usize; // <- here
    }
    y[i] = at as u32;
}

fn latency(device: &Device) -> Profile {
    // Each line once, far apart.
    let count = 1 << 16;
    let next: Vec<u32> = (0..count).map(|n| (n + 16 * 37) % count).collect();
    let next = device.upload(&next).unwrap();
    let mut y = device.alloc(16).unwrap();
    chase(200, next.as_ptr(), &mut y)
        .over(16)
        .profile(device)
        .unwrap()
}

#[vortex::kernel]
fn count(rounds: u32, y: &mut [u32]) {
    for k in 0..rounds {
        y.atomic(0).fetch_add(k, Relaxed); // <- here
    }
}

fn atomics(device: &Device) -> Profile {
    let mut y = device.upload(&[0u32]).unwrap();
    count(400, &mut y).over(64).profile(device).unwrap()
}

#[vortex::kernel]
fn own_counts(rounds: u32, y: &mut [u32]) {
    let i = global_id();
    for k in 0..rounds {
        y.atomic(i).fetch_add(k, Relaxed);
    }
}

/// Where lanes do not meet at a word, nothing is said of their meeting.
#[test]
fn the_sentence_says_whether_lanes_meet_at_a_word() {
    let device = Device::builder().cores(1).warps(4).threads(16);
    let device = device.open().unwrap();
    let mut y = device.upload(&[0u32; 64]).unwrap();
    let apart = own_counts(400, &mut y).over(64).profile(&device).unwrap();
    let sentence = |profile: &Profile| {
        let found = profile.findings.iter();
        let mut found = found.filter(|finding| finding.cause == Cause::Atomics);
        found.next().unwrap().sentence.clone()
    };
    let (together, apart) = (sentence(&atomics(&device)), sentence(&apart));
    assert!(
        together.contains("access the word of another"),
        "{together}"
    );
    assert!(apart.ends_with("cycles each"), "{apart}");
}

#[vortex::kernel]
fn fenced(rounds: u32, y: &mut [u32]) {
    let i = global_id();
    for k in 0..rounds {
        y[i] = k;
        fence(); // <- here
    }
}

fn fences(device: &Device) -> Profile {
    let mut y = device.alloc(16).unwrap();
    fenced(30, &mut y).over(16).profile(device).unwrap()
}

#[vortex::kernel]
fn many(rounds: usize, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut all = [0.0; 48];
    for k in comptime!(0..48) {
        all[k] = x[k] + i as f32;
    }
    for _ in 0..rounds {
        let first = all[0];
        for k in comptime!(0..47) {
            all[k] = all[k + 1];
        }
        all[47] = first * 0.5;
    }
    let mut sum = 0.0;
    for k in comptime!(0..48) {
        sum += all[k] * (k as f32);
    }
    y[i] = sum;
}

fn registers(device: &Device) -> Profile {
    let x = device.upload(&[1.0f32; 48]).unwrap();
    let mut y = device.alloc(32).unwrap();
    many(20, &x, &mut y).over(32).profile(device).unwrap()
}
