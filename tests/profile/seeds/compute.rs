//! Kernels that computing holds up.

use vortex::prelude::*;
use vortex::profile::{Cause, Profile};
use vortex::sim::Model;
use vortex::sim::timing::{Divider, TimingConfig};

use super::{Seed, builder};

pub(super) const SEEDS: [Seed; 8] = [
    Seed::new("float throughput", Cause::FloatThroughput, float_throughput).on(8, 4),
    Seed::new("float latency", Cause::FloatLatency, float_latency),
    Seed::new("float division", Cause::FloatDivision, float_division),
    Seed::new("square root", Cause::FloatDivision, square_root),
    Seed::new("integer division", Cause::IntegerDivision, integer_division),
    Seed::new("integer latency", Cause::IntegerLatency, integer_latency),
    Seed::new("instructions", Cause::Instructions, instructions)
        .on(16, 4)
        .anywhere(),
    Seed::new(
        "instruction cache",
        Cause::InstructionCache,
        instruction_cache,
    )
    .anywhere(),
];

#[vortex::kernel]
fn polynomials(rounds: usize, y: &mut [f32]) {
    let i = global_id();
    let x = i as f32 * 0.01;
    let (mut a, mut b, mut c, mut d) = (x, x + 1.0, x + 2.0, x + 3.0);
    for _ in 0..rounds {
        a = a.mul_add(x, 0.5); // <- here
        b = b.mul_add(x, 0.5); // <- here
        c = c.mul_add(x, 0.5); // <- here
        d = d.mul_add(x, 0.5); // <- here
    }
    y[i] = a + b + c + d;
}

fn float_throughput(device: &Device) -> Profile {
    let mut y = device.alloc(32).unwrap();
    polynomials(200, &mut y).over(32).profile(device).unwrap()
}

#[vortex::kernel]
fn chain(rounds: usize, y: &mut [f32]) {
    let i = global_id();
    let x = i as f32 * 0.01;
    let mut a = x;
    for _ in 0..rounds {
        for _ in comptime!(0..8) {
            a = a.mul_add(x, 0.5); // <- here
        }
    }
    y[i] = a;
}

fn float_latency(device: &Device) -> Profile {
    // Of four warps, as many as the float unit has room for.
    let device = super::builder(device.caps().generation)
        .warps(2)
        .threads(4)
        .open()
        .unwrap();
    let mut y = device.alloc(8).unwrap();
    chain(60, &mut y).over(8).profile(&device).unwrap()
}

#[vortex::kernel]
fn quotients(rounds: usize, y: &mut [f32]) {
    let i = global_id();
    let mut a = i as f32 + 2.0;
    for _ in 0..rounds {
        a = 3.0 / a + 1.0; // <- here
    }
    y[i] = a;
}

fn float_division(device: &Device) -> Profile {
    let mut y = device.alloc(16).unwrap();
    quotients(100, &mut y).over(16).profile(device).unwrap()
}

#[vortex::kernel]
fn roots(rounds: usize, y: &mut [f32]) {
    let i = global_id();
    let mut a = i as f32 + 2.0;
    for _ in 0..rounds {
        a = (a.sqrt().sqrt().sqrt() + 9.0).sqrt(); // <- here
    }
    y[i] = a;
}

fn square_root(device: &Device) -> Profile {
    let mut y = device.alloc(16).unwrap();
    roots(100, &mut y).over(16).profile(device).unwrap()
}

#[vortex::kernel]
fn remainders(by: u32, rounds: u32, y: &mut [u32]) {
    let i = global_id();
    let mut a = i as u32;
    for k in 0..rounds {
        a = (a * 77 + k) % by; // <- here
    }
    y[i] = a;
}

fn integer_division(device: &Device) -> Profile {
    // As on an FPGA: bit by bit.
    let generation = device.caps().generation;
    let timing = TimingConfig {
        divider: Divider::serial(),
        ..TimingConfig::of(generation)
    };
    let model = Model::Cycle(Box::new(timing));
    let device = builder(generation)
        .warps(4)
        .threads(4)
        .model(model)
        .open()
        .unwrap();
    let mut y = device.alloc(16).unwrap();
    remainders(1009, 100, &mut y)
        .over(16)
        .profile(&device)
        .unwrap()
}

#[vortex::kernel]
fn products(rounds: usize, y: &mut [u32]) {
    let i = global_id();
    let mut a = i as u32;
    for _ in 0..rounds {
        for _ in comptime!(0..8) {
            a = a.wrapping_mul(a + 3); // <- here
        }
    }
    y[i] = a;
}

fn integer_latency(device: &Device) -> Profile {
    let device = builder(device.caps().generation)
        .warps(1)
        .threads(4)
        .open()
        .unwrap();
    let mut y = device.alloc(4).unwrap();
    products(60, &mut y).over(4).profile(&device).unwrap()
}

#[vortex::kernel]
fn mix(rounds: u32, y: &mut [u32]) {
    let i = global_id();
    let (mut a, mut b, mut c, mut d) = (i as u32, 1, 2, 3);
    for _ in 0..rounds {
        for _ in comptime!(0..4) {
            a ^= b << 3;
            b += c ^ 5;
            c ^= d >> 2;
            d += a & 77;
        }
    }
    y[i] = a + b + c + d;
}

fn instructions(device: &Device) -> Profile {
    let mut y = device.alloc(64).unwrap();
    mix(60, &mut y).over(64).profile(device).unwrap()
}

#[vortex::kernel]
fn written_out(rounds: u32, which: u32, y: &mut [u32]) {
    let i = global_id();
    let mut a = i as u32;
    for _ in 0..rounds {
        // Each condition is in other lines of code, and none holds.
        for k in comptime!(0..600u32) {
            if which == k {
                a = (a ^ 0x1234_5678) * 77;
                a = (a ^ 0x2345_6789) * 78 + a / 3;
                a = (a ^ 0x3456_789a) * 79 + a / 5;
                a = (a ^ 0x4567_89ab) * 80 + a / 7;
            }
        }
    }
    y[i] = a;
}

fn instruction_cache(device: &Device) -> Profile {
    let mut y = device.alloc(16).unwrap();
    written_out(4, 9999, &mut y)
        .over(16)
        .profile(device)
        .unwrap()
}
