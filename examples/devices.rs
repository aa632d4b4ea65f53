//! Work divided among 1, 2 and 4 embedded devices: the elements of a saxpy, the rows of a matrix product, and the rows
//! of a plate on which heat spreads, whose neighbours exchange a row after each step.
//!
//! Each embedded device runs on a host thread of its own, so two of them can take half the time on two cores. The
//! results of all are the same, bit for bit.
//!
//! ```sh
//! cargo run --release --example devices           # sides of 512 and 256
//! cargo run --release --example devices -- 128    # sides of 128 and 64
//! ```

mod shared;

use std::time::{Duration, Instant};

use vortex::prelude::*;
use vortex::{DeviceBuilder, Result};

/// How many devices there are, in turn.
const COUNTS: [usize; 3] = [1, 2, 4];
/// How often each of them does everything; the fastest counts.
const ROUNDS: usize = 3;
const STEPS: usize = 20;
/// Side of the largest tile.
const LARGEST: usize = 16;

#[vortex::kernel]
fn saxpy(alpha: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += alpha * x[i];
}

/// Some rows of `c = a * b`: `rows` of `a` and `c`, and all `n` of `b`. It need not know which rows they are.
#[vortex::kernel]
fn tiled_sgemm(n: usize, rows: usize, tile: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = local::<[f32; LARGEST * LARGEST]>();
    let right = local::<[f32; LARGEST * LARGEST]>();
    let (x, y) = local_id_2d();
    let (column, row) = global_id_2d();
    let own = y * tile + x;
    let mut sum = 0.0;
    for start in (0..n).step_by(tile) {
        left[own] = if row < rows && start + x < n {
            a[row * n + start + x]
        } else {
            0.0
        };
        right[own] = if start + y < n && column < n {
            b[(start + y) * n + column]
        } else {
            0.0
        };
        barrier();
        for k in 0..tile {
            sum += left[y * tile + k] * right[k * tile + x];
        }
        barrier();
    }
    if row < rows && column < n {
        c[row * n + column] = sum;
    }
}

/// A step of time for the rows from `start` on of a plate with `side` of them, whose edge is kept as it is. The slices
/// begin with `above` rows that are another device's.
#[vortex::kernel]
fn heat(side: usize, start: usize, above: usize, old: &[f32], new: &mut [f32]) {
    let (x, y) = global_id_2d();
    let row = start + y;
    let at = (above + y) * side + x;
    new[at] = if x == 0 || x + 1 == side || row == 0 || row + 1 == side {
        old[at]
    } else {
        old[at]
            + 0.2 * (old[at - side] + old[at - 1] + old[at + 1] + old[at + side] - 4.0 * old[at])
    };
}

/// What came out, and how long that took on the devices, without the copies from and to the host.
type Outcome = Result<(Vec<f32>, Duration)>;

fn saxpy_on(devices: &Devices, side: usize) -> Outcome {
    let len = 4 * side * side;
    let x: Vec<f32> = (0..len).map(|i| (i % 1000) as f32).collect();
    let y: Vec<f32> = (0..len).map(|i| (i % 77) as f32).collect();

    let split = devices.split(len).build()?;
    let x = SplitBuffer::scatter(&split, &x)?;
    let mut y = SplitBuffer::scatter(&split, &y)?;
    let start = Instant::now();
    devices.run((&x, &mut y), |device, (x, mut y)| {
        saxpy(3.0, &x, &mut y).over_each().launch(device)
    })?;
    let took = start.elapsed();
    Ok((y.gather()?, took))
}

fn saxpy_on_host(side: usize) -> Vec<f32> {
    let place = |i| (i % 77) as f32 + 3.0 * (i % 1000) as f32;
    (0..4 * side * side).map(place).collect()
}

/// The factors, whose products and sums are exact.
fn factors(n: usize) -> (Vec<f32>, Vec<f32>) {
    let a = (0..n * n).map(|i| (i % 19) as f32 - 9.0);
    let b = (0..n * n).map(|i| (i % 23) as f32 * 0.125);
    (a.collect(), b.collect())
}

fn sgemm_on(devices: &Devices, side: usize) -> Outcome {
    let n = side.div_ceil(2);
    let (a, b) = factors(n);
    // The largest tile whose items fit a core of each device.
    let fits = |tile: &usize| {
        let mut most = devices.iter().map(|device| device.caps().max_group());
        most.all(|most| tile * tile <= most as usize)
    };
    let tile = [LARGEST, 8, 4, 2].into_iter().find(fits).unwrap_or(1);

    // Whole tiles, so that no two devices have a part of one.
    let rows = devices.split(n).unit(n).granularity(tile).build()?;
    let a = SplitBuffer::scatter(&rows, &a)?;
    let b = Replicas::broadcast(devices, &b)?;
    let mut c = SplitBuffer::alloc(&rows)?;
    let start = Instant::now();
    devices.run((&a, &b, &mut c), |device, (a, b, mut c)| {
        let rows = c.portion().len();
        tiled_sgemm(n, rows, tile, &a, b, &mut c)
            .grid((n.div_ceil(tile), rows.div_ceil(tile)))
            .block((tile, tile))
            .launch(device)
    })?;
    let took = start.elapsed();
    Ok((c.gather()?, took))
}

fn sgemm_on_host(side: usize) -> Vec<f32> {
    let n = side.div_ceil(2);
    let (a, b) = factors(n);
    let place = |i: usize| (0..n).fold(0.0, |sum, k| sum + a[i / n * n + k] * b[k * n + i % n]);
    (0..n * n).map(place).collect()
}

fn plate(side: usize) -> Vec<f32> {
    let warmth = |i: usize| {
        if (i / side + i % side).is_multiple_of(7) {
            90.0
        } else {
            15.0
        }
    };
    (0..side * side).map(warmth).collect()
}

fn heat_on(devices: &Devices, side: usize) -> Outcome {
    let rows = devices.split(side).unit(side).halo(1).build()?;
    let mut old = SplitBuffer::scatter(&rows, &plate(side))?;
    let mut new = SplitBuffer::alloc(&rows)?;
    let start = Instant::now();
    for _ in 0..STEPS {
        devices.run((&old, &mut new), |device, (old, mut new)| {
            let portion = new.portion();
            heat(side, portion.start(), portion.halo_before(), &old, &mut new)
                .over((side, portion.len()))
                .launch(device)
        })?;
        new.exchange_halos()?;
        std::mem::swap(&mut old, &mut new);
    }
    let took = start.elapsed();
    Ok((old.gather()?, took))
}

fn heat_on_host(side: usize) -> Vec<f32> {
    let mut old = plate(side);
    for _ in 0..STEPS {
        let place = |at: usize| {
            let (x, row) = (at % side, at / side);
            if x == 0 || x + 1 == side || row == 0 || row + 1 == side {
                return old[at];
            }
            let around = old[at - side] + old[at - 1] + old[at + 1] + old[at + side];
            old[at] + 0.2 * (around - 4.0 * old[at])
        };
        old = (0..side * side).map(place).collect();
    }
    old
}

/// What is done, on devices of all numbers; the expected result, and how messages call it.
fn measure(
    name: &str,
    expected: &[f32],
    on_all: &[Devices],
    on: impl Fn(&Devices) -> Outcome,
) -> Result<()> {
    let bits = |values: &[f32]| -> Vec<u32> { values.iter().map(|v| v.to_bits()).collect() };
    let expected = bits(expected);
    // Compiles the kernel, which is not what is measured.
    on(&on_all[0])?;
    let mut fastest = [Duration::MAX; COUNTS.len()];
    // Taking turns, so that what else the host does is spread over all.
    for _ in 0..ROUNDS {
        for (devices, fastest) in on_all.iter().zip(&mut fastest) {
            let (result, took) = on(devices)?;
            assert!(
                bits(&result) == expected,
                "{name} on {} devices",
                devices.len()
            );
            *fastest = took.min(*fastest);
        }
    }
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let row: String = COUNTS
        .iter()
        .zip(fastest)
        .map(|(count, took)| {
            let ratio = fastest[0].as_secs_f64() / took.as_secs_f64();
            format!("  {count}: {:8.2} ms {ratio:4.2} x", ms(took))
        })
        .collect();
    println!("{name:22}{row}");
    Ok(())
}

fn main() -> Result<()> {
    let side = shared::size_argument(512, 2048);
    let config = DeviceBuilder::from_environment()?;
    let on_all = COUNTS.map(|count| Devices::embedded(count, config.clone()));
    let on_all = on_all.into_iter().collect::<Result<Vec<_>>>()?;

    println!("on so many devices: the time it took, and how many times as fast as on one");
    let name = format!("saxpy {}", 4 * side * side);
    measure(&name, &saxpy_on_host(side), &on_all, |on| {
        saxpy_on(on, side)
    })?;
    let name = format!("tiled sgemm {}", side.div_ceil(2));
    measure(&name, &sgemm_on_host(side), &on_all, |on| {
        sgemm_on(on, side)
    })?;
    let name = format!("heat {side}, {STEPS} steps");
    measure(&name, &heat_on_host(side), &on_all, |on| heat_on(on, side))?;
    println!("the results of all are the same, bit for bit, as those of plain Rust");
    Ok(())
}
