//! The kernels of docs/tuning.md, before and after each change: the page has their text and their cycles.

use crate::measure::{TUNING, held};
use vortex::Report;
use vortex::prelude::*;
use vortex::sim::{Grouped, Model};

/// Items of most of them.
const N: usize = 4096;

/// Rows of a matrix, and elements of each.
const ROWS: usize = 256;
const WIDTH: usize = 64;

#[vortex::kernel]
fn an_item_does_a_part(part: usize, a: f32, x: &[f32], y: &mut [f32]) {
    let start = global_id() * part;
    for i in start..start + part {
        y[i] += a * x[i];
    }
}

#[vortex::kernel]
fn an_item_does_an_element(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] += a * x[i];
}

#[vortex::kernel]
fn sums_of_rows(width: usize, x: &[f32], sums: &mut [f32]) {
    let row = global_id();
    let mut sum = 0.0;
    for k in 0..width {
        sum += x[row * width + k];
    }
    sums[row] = sum;
}

#[vortex::kernel]
fn sums_of_rows_side_by_side(rows: usize, width: usize, x: &[f32], sums: &mut [f32]) {
    let row = global_id();
    let mut sum = 0.0;
    for k in 0..width {
        sum += x[k * rows + row];
    }
    sums[row] = sum;
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    at: [f32; 3],
    mass: f32,
}

#[vortex::kernel]
fn masses_of_structs(particles: &[Particle], by: f32, out: &mut [f32]) {
    let i = global_id();
    out[i] = by * particles[i].mass;
}

#[vortex::kernel]
fn masses_alone(masses: &[f32], by: f32, out: &mut [f32]) {
    let i = global_id();
    out[i] = by * masses[i];
}

#[vortex::device]
fn wave(x: f32) -> f32 {
    (x * 0.5).sin() + (x * 0.25).sin()
}

#[vortex::device]
fn decay(x: f32) -> f32 {
    (-x).exp() + (x * -0.5).exp()
}

#[vortex::kernel]
fn neighbours_differ(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i.is_multiple_of(2) {
        y[i] = wave(x[i]);
    } else {
        y[i] = decay(x[i]);
    }
}

#[vortex::kernel]
fn halves_differ(x: &[f32], y: &mut [f32]) {
    let half = global_size() / 2;
    if global_id() < half {
        let i = 2 * global_id();
        y[i] = wave(x[i]);
    } else {
        let i = 2 * (global_id() - half) + 1;
        y[i] = decay(x[i]);
    }
}

#[vortex::kernel]
fn an_array_by_index(x: &[u32], most: &mut [u32]) {
    let i = global_id();
    let mut counts = [0u32; 4];
    for k in 0..16 {
        counts[(x[i * 16 + k] % 4) as usize] += 1;
    }
    most[i] = counts[0].max(counts[1]).max(counts[2]).max(counts[3]);
}

#[vortex::kernel]
fn an_array_of_locals(x: &[u32], most: &mut [u32]) {
    let i = global_id();
    let mut counts = [0u32; 4];
    for k in 0..16 {
        let class = x[i * 16 + k] % 4;
        #[unroll]
        for c in 0..4 {
            counts[c] += u32::from(class == c as u32);
        }
    }
    most[i] = counts[0].max(counts[1]).max(counts[2]).max(counts[3]);
}

#[vortex::kernel]
fn each_product_rounded(c: [f32; 6], x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let t = x[i];
    y[i] = ((((c[5] * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0];
}

#[vortex::kernel(contract)]
fn products_in_sums(c: [f32; 6], x: &[f32], y: &mut [f32]) {
    let i = global_id();
    let t = x[i];
    y[i] = ((((c[5] * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0];
}

/// A change with its cycles before and after.
type Row = (&'static str, u64, u64);

/// What a launch took.
fn cycles(report: vortex::Result<Report>) -> vortex::Result<u64> {
    Ok(report?.cycles().unwrap_or(0))
}

/// Each change of the page, in its order.
fn measured() -> vortex::Result<Vec<Row>> {
    let device = Device::builder().cores(1).warps(8).threads(8);
    let device = &device.model(Model::cycle()).open()?;
    let floats: Vec<f32> = (0..ROWS * WIDTH).map(|i| (i % 17) as f32).collect();
    let words: Vec<u32> = (0..ROWS * WIDTH)
        .map(|i| (i * 7919 % 1013) as u32)
        .collect();
    let (x, words) = (&device.upload(&floats)?, &device.upload(&words)?);
    let particle = Particle {
        at: [1.0, 2.0, 3.0],
        mass: 4.0,
    };
    let particles = &device.upload(&vec![particle; N])?;
    let y = &mut device.upload(&vec![0.0f32; ROWS * WIDTH])?;
    let most = &mut device.upload(&vec![0u32; ROWS * WIDTH])?;
    let c = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125];
    let parts = N / 64;
    Ok(vec![
        (
            "an item for each element",
            cycles(
                an_item_does_a_part(64, 2.0, x, y)
                    .over(parts)
                    .launch(device),
            )?,
            cycles(an_item_does_an_element(2.0, x, y).over(N).launch(device))?,
        ),
        (
            "rows side by side",
            cycles(sums_of_rows(WIDTH, x, y).over(ROWS).launch(device))?,
            cycles(
                sums_of_rows_side_by_side(ROWS, WIDTH, x, y)
                    .over(ROWS)
                    .launch(device),
            )?,
        ),
        (
            "an array of each field",
            cycles(masses_of_structs(particles, 2.0, y).over(N).launch(device))?,
            cycles(masses_alone(x, 2.0, y).over(N).launch(device))?,
        ),
        (
            "halves differ, not neighbours",
            cycles(neighbours_differ(x, y).over(N).launch(device))?,
            cycles(halves_differ(x, y).over(N).launch(device))?,
        ),
        (
            "an array in registers",
            cycles(an_array_by_index(words, most).over(N / 16).launch(device))?,
            cycles(an_array_of_locals(words, most).over(N / 16).launch(device))?,
        ),
        (
            "`contract`",
            cycles(each_product_rounded(c, x, y).over(N).launch(device))?,
            cycles(products_in_sums(c, x, y).over(N).launch(device))?,
        ),
    ])
}

#[test]
fn the_page_has_the_cycles() {
    let mut rows = String::new();
    for (change, before, after) in measured().unwrap() {
        let ratio = after as f64 / before as f64;
        let [before, after] = [before, after].map(Grouped);
        rows += &format!("| {change} | {before} | {after} | {ratio:.2} |\n");
    }
    let head = "| change | cycles before | after | ratio |\n|---|---|---|---|\n";
    let (before, rest) = TUNING.text.split_once(head).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    held(TUNING.name, &format!("{before}{head}{rows}\n{after}"));
}

#[test]
fn the_page_has_the_kernels() {
    assert_eq!(TUNING.kernels_in(include_str!("tuning.rs")), 12);
}
