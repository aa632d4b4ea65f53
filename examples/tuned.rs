//! What tuning gains: four kernels in which something is left open, tuned for devices of three shapes and both
//! generations, against the one choice that is best over all of them.
//!
//! ```sh
//! cargo run --release --example tuned        # the tables of docs/autotuning.md
//! cargo run --release --example tuned -- 1   # for the smallest size of each
//! ```

mod shared;

use vortex::prelude::*;
use vortex::sim::Grouped;
use vortex::{Choices, Generation, TuneReport};

/// Side of the largest tile, and the most rows of it that an item computes.
const LARGEST: usize = 8;
const MOST_ROWS: usize = 8;

/// `c = a * b`, each `n` x `n`, row by row. A group has `TILE` x `TILE` items, for `ROWS` times as many elements of `c`.
#[vortex::kernel(block = (TILE, TILE))]
#[tune(TILE in [4, 2, 8], ROWS in [4, 1, 2, 8])]
fn sgemm<const TILE: usize, const ROWS: usize>(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let right = local::<[f32; LARGEST * LARGEST]>();
    let left = local::<[f32; LARGEST * LARGEST * MOST_ROWS]>();
    let (x, y) = local_id_2d();
    let (group_x, group_y) = group_id_2d();
    let column = group_x * TILE + x;
    let first = group_y * TILE * ROWS + y;
    let mut sums = [0.0; ROWS];
    for start in (0..n).step_by(TILE) {
        for r in comptime!(0..ROWS) {
            let row = first + r * TILE;
            left[(r * TILE + y) * TILE + x] = if row < n && start + x < n {
                a[row * n + start + x]
            } else {
                0.0
            };
        }
        right[y * TILE + x] = if start + y < n && column < n {
            b[(start + y) * n + column]
        } else {
            0.0
        };
        barrier();
        for k in 0..TILE {
            let factor = right[k * TILE + x];
            for r in comptime!(0..ROWS) {
                sums[r] += left[(r * TILE + y) * TILE + k] * factor;
            }
        }
        barrier();
    }
    for r in comptime!(0..ROWS) {
        let row = first + r * TILE;
        if row < n && column < n {
            c[row * n + column] = sums[r];
        }
    }
}

/// Rows become columns, in tiles of `WIDE` x `HIGH`, of which each group has one. With `staged` it copies its tile to
/// local memory, so that neighbours read neighbours and write neighbours.
#[vortex::kernel(block = (WIDE, HIGH))]
#[tune(WIDE in [4, 8, 16], HIGH in [4, 1, 2, 8, 16], staged in [true, false], where WIDE * HIGH <= 64)]
fn transpose<const WIDE: usize, const HIGH: usize>(
    #[comptime] staged: bool,
    width: usize,
    height: usize,
    from: &[u32],
    to: &mut [u32],
) {
    let (column, row) = global_id_2d();
    if comptime!(staged) {
        // A column more, so that those of a tile are in different banks.
        let tile = local::<[u32; 17 * 16]>();
        let (x, y) = local_id_2d();
        if column < width && row < height {
            tile[y * (WIDE + 1) + x] = from[row * width + column];
        }
        barrier();
        let (group_x, group_y) = group_id_2d();
        let (x, y) = (local_id() / HIGH, local_id() % HIGH);
        let (column, row) = (group_x * WIDE + x, group_y * HIGH + y);
        if column < width && row < height {
            to[column * height + row] = tile[y * (WIDE + 1) + x];
        }
    } else if column < width && row < height {
        to[column * height + row] = from[row * width + column];
    }
}

/// Adds all of `x` to `sum[0]`: each item `each` of them, then all of a group together.
#[vortex::kernel]
#[tune(each in [4, 1, 2, 16], block in [16, 4, 32, 64])]
fn reduce(#[comptime] each: usize, x: &[u32], sum: &mut [u32]) {
    let first = group_id() * local_size() * each + local_id();
    let mut own = 0;
    for k in comptime!(0..each) {
        let i = first + k * local_size();
        if i < x.len() {
            own += x[i];
        }
    }
    let all = group::reduce_add(own);
    if local_id() == 0 {
        sum.atomic(0).fetch_add(all, Relaxed);
    }
}

/// Elements to either side that count.
const RADIUS: usize = 4;

/// `to[i]` is the sum of `2 * RADIUS + 1` elements around `from[i + RADIUS]`, weighted. Each item computes `each`
/// elements, and with `staged` a group copies what it needs to local memory.
#[vortex::kernel]
#[tune(staged in [true, false], each in [1, 2, 4], block in [16, 4, 32, 64])]
fn convolve(
    #[comptime] staged: bool,
    #[comptime] each: usize,
    weights: &[f32],
    from: &[f32],
    to: &mut [f32],
) {
    let first = group_id() * local_size() * each;
    let own = local_id() * each;
    let mut sums = [0.0; 4];
    if comptime!(staged) {
        let piece = local::<[f32; 64 * 4 + 2 * RADIUS]>();
        for i in (local_id()..local_size() * each + 2 * RADIUS).step_by(local_size()) {
            piece[i] = if first + i < from.len() {
                from[first + i]
            } else {
                0.0
            };
        }
        barrier();
        for k in 0..2 * RADIUS + 1 {
            let weight = weights[k];
            for e in comptime!(0..each) {
                sums[e] += weight * piece[own + e + k];
            }
        }
    } else {
        for k in 0..2 * RADIUS + 1 {
            let weight = weights[k];
            for e in comptime!(0..each) {
                if first + own + e < to.len() {
                    sums[e] += weight * from[first + own + e + k];
                }
            }
        }
    }
    for e in comptime!(0..each) {
        if first + own + e < to.len() {
            to[first + own + e] = sums[e];
        }
    }
}

/// What was measured of a kernel on a device, for a size.
struct Case {
    device: String,
    size: String,
    /// Each candidate, with its cycles if it fits.
    tried: Vec<(String, Option<u64>)>,
}

impl Case {
    fn of<C: Choices>(size: String, found: &TuneReport<C>) -> Self {
        let tried = found.tried().iter();
        Self {
            device: found.device().to_owned(),
            size,
            tried: tried
                .map(|tried| (tried.choice.text(), tried.outcome.cycles()))
                .collect(),
        }
    }

    /// The best candidate, and its cycles.
    fn best(&self) -> (&str, u64) {
        let measured = self
            .tried
            .iter()
            .filter_map(|(text, cycles)| Some((&**text, (*cycles)?)));
        let best = measured.min_by_key(|(_, cycles)| *cycles);
        best.unwrap_or_else(|| shared::fail("no candidate runs"))
    }
}

fn of_sgemm(device: &Device, n: usize) -> vortex::Result<Case> {
    let a: Vec<f32> = (0..n * n).map(|i| (i % 19) as f32 - 9.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 23) as f32 * 0.125).collect();
    let (a_device, b_device) = (device.upload(&a)?, device.upload(&b)?);
    let mut c_device = device.alloc(n * n)?;
    let mut call = sgemm::tuned(n, &a_device, &b_device, &mut c_device)
        .grid_by(|choice| {
            (
                n.div_ceil(choice.TILE),
                n.div_ceil(choice.TILE * choice.ROWS),
            )
        })
        .exhaustive();
    let found = call.measure(device)?;
    let best = found.best();
    call.only(|choice| *choice == best).launch(device)?;
    for (i, c) in c_device.download()?.into_iter().enumerate() {
        let (row, column) = (i / n, i % n);
        let expected: f32 = (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum();
        assert_eq!(c, expected, "row {row}, column {column}");
    }
    Ok(Case::of(format!("{n} x {n}"), &found))
}

fn of_transpose(device: &Device, n: usize) -> vortex::Result<Case> {
    let (width, height) = (n, n / 2);
    let from: Vec<u32> = (0..(width * height) as u32).collect();
    let from_device = device.upload(&from)?;
    let mut to_device = device.alloc(width * height)?;
    let mut call = transpose::tuned(width, height, &from_device, &mut to_device)
        .grid_by(|choice| (width.div_ceil(choice.WIDE), height.div_ceil(choice.HIGH)))
        .exhaustive();
    let found = call.measure(device)?;
    let best = found.best();
    call.only(|choice| *choice == best).launch(device)?;
    for (i, to) in to_device.download()?.into_iter().enumerate() {
        assert_eq!(to, from[i % height * width + i / height], "element {i}");
    }
    Ok(Case::of(format!("{width} x {height}"), &found))
}

fn of_reduce(device: &Device, n: usize) -> vortex::Result<Case> {
    let x: Vec<u32> = (0..n as u32).map(|i| i * i % 1009).collect();
    let x_device = device.upload(&x)?;
    let mut sum = device.alloc(1)?;
    let mut call = reduce::tuned(&x_device, &mut sum)
        .grid_by(|choice| n.div_ceil(choice.block.0 * choice.each))
        .exhaustive();
    let found = call.measure(device)?;
    let best = found.best();
    call.only(|choice| *choice == best).launch(device)?;
    assert_eq!(sum.download()?, [x.iter().sum::<u32>()]);
    Ok(Case::of(Grouped(n as u64).to_string(), &found))
}

fn of_convolve(device: &Device, n: usize) -> vortex::Result<Case> {
    let weights: Vec<f32> = (0..2 * RADIUS + 1).map(|k| 0.25 / (1 + k) as f32).collect();
    let from: Vec<f32> = (0..n + 2 * RADIUS).map(|i| (i * i % 101) as f32).collect();
    let (weights_device, from_device) = (device.upload(&weights)?, device.upload(&from)?);
    let mut to_device = device.alloc(n)?;
    let mut call = convolve::tuned(&weights_device, &from_device, &mut to_device)
        .grid_by(|choice| n.div_ceil(choice.block.0 * choice.each))
        .exhaustive();
    let found = call.measure(device)?;
    let best = found.best();
    call.only(|choice| *choice == best).launch(device)?;
    for (i, to) in to_device.download()?.into_iter().enumerate() {
        let around = weights.iter().zip(&from[i..]);
        let expected = around.fold(0.0, |sum, (weight, x)| sum + weight * x);
        assert_eq!(to, expected, "element {i}");
    }
    Ok(Case::of(Grouped(n as u64).to_string(), &found))
}

/// The candidate that fits all cases and has the fewest cycles on geometric mean.
fn best_fixed(cases: &[Case]) -> usize {
    let count = cases.first().map_or(0, |case| case.tried.len());
    let logarithms = |number: usize| {
        let logarithm = |case: &Case| Some((case.tried[number].1? as f64).ln());
        let all: Option<Vec<f64>> = cases.iter().map(logarithm).collect();
        Some(all?.iter().sum::<f64>())
    };
    let fitting = (0..count).filter_map(|number| Some((number, logarithms(number)?)));
    let best = fitting.min_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or_else(
        || shared::fail("no candidate fits all devices"),
        |best| best.0,
    )
}

/// What tuning gains for a kernel: how many times as many cycles others take as the best of each case.
struct Gain {
    fixed: String,
    /// The best fixed choice, on geometric mean and at most.
    mean: f64,
    most: f64,
    /// The slowest choice of each case, on geometric mean.
    slowest: f64,
}

/// Prints a table of a kernel's cases.
fn table(kernel: &str, cases: &[Case]) -> Gain {
    let fixed = best_fixed(cases);
    let choice = &cases[0].tried[fixed].0;
    println!("### `{kernel}`, against `{choice}`\n");
    println!("| device | size | fixed | tuned | choice | gain |");
    println!("|---|---|---|---|---|---|");
    let (mut sum, mut most, mut slowest) = (0.0, 1.0_f64, 0.0);
    for case in cases {
        let of_fixed = case.tried[fixed].1.unwrap_or(0);
        let (best, cycles) = case.best();
        let gain = of_fixed as f64 / cycles as f64;
        sum += gain.ln();
        most = most.max(gain);
        let most_cycles = case.tried.iter().filter_map(|(_, cycles)| *cycles).max();
        slowest += (most_cycles.unwrap_or(0) as f64 / cycles as f64).ln();
        println!(
            "| {} | {} | {} | {} | `{best}` | {gain:.2} |",
            case.device,
            case.size,
            Grouped(of_fixed),
            Grouped(cycles),
        );
    }
    println!();
    let mean = |sum: f64| (sum / cases.len() as f64).exp();
    Gain {
        fixed: choice.clone(),
        mean: mean(sum),
        most,
        slowest: mean(slowest),
    }
}

type Measured = fn(&Device, usize) -> vortex::Result<Case>;

fn main() -> vortex::Result<()> {
    let sizes = shared::size_argument(3, 3);
    let kernels: [(&str, Measured, [usize; 3]); 4] = [
        ("sgemm", of_sgemm, [12, 32, 64]),
        ("transpose", of_transpose, [16, 64, 128]),
        ("reduce", of_reduce, [500, 8192, 65_536]),
        ("convolve", of_convolve, [300, 4096, 16_384]),
    ];
    let mut gains = Vec::new();
    for (kernel, measured, of_size) in kernels {
        let mut cases = Vec::new();
        for generation in [Generation::V2, Generation::V3] {
            for [cores, warps, threads] in [[1, 4, 4], [1, 8, 8], [2, 8, 8]] {
                let device = Device::builder()
                    .generation(generation)
                    .cores(cores)
                    .warps(warps)
                    .threads(threads)
                    .open()?;
                for n in of_size.into_iter().take(sizes.max(1)) {
                    cases.push(measured(&device, n)?);
                }
            }
        }
        gains.push((kernel, table(kernel, &cases)));
    }
    println!(
        "| kernel | best fixed choice | gain over it, geometric mean | at most | over the slowest choice |"
    );
    println!("|---|---|---|---|---|");
    for (kernel, gain) in gains {
        let Gain {
            fixed,
            mean,
            most,
            slowest,
        } = gain;
        println!("| `{kernel}` | `{fixed}` | {mean:.2} | {most:.2} | {slowest:.2} |");
    }
    println!("\nall results of the best choices are those of plain Rust");
    Ok(())
}
