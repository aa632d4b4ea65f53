//! Kernels that lanes, warps and cores hold up.

use vortex::prelude::*;
use vortex::profile::{Cause, Profile};

use super::{Seed, builder};

pub(super) const SEEDS: [Seed; 7] = [
    Seed::new("two ways", Cause::Divergence, two_ways).on(4, 8),
    Seed::new("loops of different lengths", Cause::Divergence, lengths)
        .on(4, 8)
        .at("while steps"),
    Seed::new("barriers", Cause::Barriers, barriers),
    Seed::new("occupancy", Cause::Occupancy, occupancy)
        .on(16, 4)
        .anywhere(),
    Seed::new("too little work", Cause::TooLittleWork, too_little)
        .on(16, 4)
        .anywhere(),
    Seed::new("imbalance", Cause::Imbalance, imbalance).anywhere(),
    Seed::new("partial warps", Cause::PartialWarps, partial)
        .on(4, 8)
        .anywhere(),
];

#[vortex::kernel]
fn ways(rounds: u32, y: &mut [u32]) {
    let i = global_id();
    let mut a = i as u32;
    match i % 4 {
        0 => {
            for k in 0..rounds {
                a = a * 3 + k; // <- here
            }
        }
        1 => {
            for k in 0..rounds {
                a = (a ^ k) + 5; // <- here
            }
        }
        2 => {
            for k in 0..rounds {
                a = (a | k) - 7; // <- here
            }
        }
        _ => {
            for k in 0..rounds {
                a = (a & 0xffff) + k; // <- here
            }
        }
    }
    y[i] = a;
}

fn two_ways(device: &Device) -> Profile {
    let mut y = device.alloc(32).unwrap();
    ways(100, &mut y).over(32).profile(device).unwrap()
}

#[vortex::kernel]
fn collatz(y: &mut [u32]) {
    let i = global_id();
    let mut steps = 0;
    let lane = (i % 8) as u32;
    while steps < lane * lane * 12 {
        steps += 1;
    }
    y[i] = steps;
}

fn lengths(device: &Device) -> Profile {
    let mut y = device.alloc(32).unwrap();
    collatz(&mut y).over(32).profile(device).unwrap()
}

#[vortex::kernel]
fn one_works(rounds: usize, y: &mut [f32]) {
    let tile = local::<[f32; 16]>();
    let i = local_id();
    let mut sum = 0.0;
    for _ in 0..rounds {
        if i < 4 {
            let mut a = i as f32;
            for _ in 0..40 {
                a = a.mul_add(0.5, 1.0);
            }
            tile[i] = a;
        }
        barrier(); // <- here
        sum += tile[i % 4];
        barrier(); // <- here
    }
    y[global_id()] = sum;
}

fn barriers(device: &Device) -> Profile {
    let mut y = device.alloc(16).unwrap();
    one_works(20, &mut y)
        .grid(1)
        .block(16)
        .profile(device)
        .unwrap()
}

#[vortex::kernel]
fn large_tile(rounds: usize, x: &[f32], y: &mut [f32]) {
    let tile = local::<[f32; 3000]>();
    let i = local_id();
    tile[i] = x[global_id()];
    barrier();
    let mut a = tile[7 - i];
    for _ in 0..rounds {
        a = a.mul_add(0.5, 1.0);
    }
    y[global_id()] = a;
}

fn occupancy(device: &Device) -> Profile {
    let x = device.upload(&[1.0f32; 256]).unwrap();
    let mut y = device.alloc(256).unwrap();
    large_tile(60, &x, &mut y)
        .grid(32)
        .block(8)
        .profile(device)
        .unwrap()
}

#[vortex::kernel]
fn few(rounds: usize, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    for k in 0..rounds {
        sum += x[(i + k * 16) % x.len()];
    }
    y[i] = sum;
}

fn too_little(device: &Device) -> Profile {
    let x = device.upload(&vec![1.0f32; 1024]).unwrap();
    let mut y = device.alloc(4).unwrap();
    few(100, &x, &mut y).over(4).profile(device).unwrap()
}

#[vortex::kernel]
fn uneven(y: &mut [f32]) {
    let i = global_id();
    // The first warp has most to do.
    let rounds = if i / 4 == 0 { 600 } else { 10 };
    let mut a = i as f32;
    for _ in 0..rounds {
        a = a.mul_add(0.5, 1.0);
    }
    y[i] = a;
}

fn imbalance(device: &Device) -> Profile {
    let mut y = device.alloc(16).unwrap();
    uneven(&mut y).over(16).profile(device).unwrap()
}

#[vortex::kernel]
fn three(rounds: u32, y: &mut [u32]) {
    let tile = local::<[u32; 3]>();
    let i = local_id();
    tile[i] = i as u32;
    barrier();
    let mut a = tile[2 - i];
    for k in 0..rounds {
        a = (a ^ k) * 3 + 1;
    }
    y[global_id()] = a;
}

fn partial(device: &Device) -> Profile {
    let device = builder(device.caps().generation)
        .warps(4)
        .threads(8)
        .open()
        .unwrap();
    let mut y = device.alloc(96).unwrap();
    three(60, &mut y)
        .grid(32)
        .block(3)
        .profile(&device)
        .unwrap()
}
