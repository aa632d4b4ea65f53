//! Instructions executed by all lanes, and cycles on the cycle model, next to the same algorithm in C++ (clang 19 -O3
//! on Vortex's own runtime, cycles of the Verilated RTL).
//!
//! Neither jitters: they depend on the source, the target and the launch shape alone.

use vortex::Report;
use vortex::prelude::*;
use vortex::sim::Model;

#[vortex::kernel]
fn vecadd_pointers(a: *const f32, b: *const f32, c: *mut f32) {
    let i = global_id();
    // SAFETY: the launch runs one item per element.
    unsafe {
        *c.add(i) = *a.add(i) + *b.add(i);
    }
}

#[vortex::kernel]
fn vecadd_slices(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_id();
    if i < c.len() {
        c[i] = a[i] + b[i];
    }
}

#[vortex::kernel]
fn sgemm(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (col, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + col];
    }
    c[row * n + col] = sum;
}

const TILE: usize = 4;

#[vortex::kernel(block = (4, 4, 1))]
fn tiled_sgemm(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let left = local::<[f32; TILE * TILE]>();
    let right = local::<[f32; TILE * TILE]>();
    let (x, y) = local_id_2d();
    let (col, row) = global_id_2d();
    let mut sum = 0.0;
    for start in (0..n).step_by(TILE) {
        left[y * TILE + x] = a[row * n + start + x];
        right[y * TILE + x] = b[(start + y) * n + col];
        barrier();
        #[unroll]
        for k in 0..TILE {
            sum += left[y * TILE + k] * right[k * TILE + x];
        }
        barrier();
    }
    c[row * n + col] = sum;
}

/// What C++ needs for it, and the most instructions this project allows itself.
struct Bar {
    cpp: u64,
    cpp_cycles: u64,
    at_most: u64,
}

fn row(name: &str, report: &Report, bar: &Bar) {
    let [count, cycles] =
        [report.lane_instructions(), report.cycles()].map(Option::unwrap_or_default);
    println!(
        "{name:<24} {count:>12} {:>12} {:>6.2} {:>12} {:<4} {cycles:>12} {:>12} {:>6.2}",
        bar.cpp,
        count as f64 / bar.cpp as f64,
        bar.at_most,
        if count <= bar.at_most { "ok" } else { "OVER" },
        bar.cpp_cycles,
        cycles as f64 / bar.cpp_cycles as f64,
    );
}

fn main() -> vortex::Result<()> {
    println!(
        "{:<24} {:>12} {:>12} {:>6} {:>12} {:<4} {:>12} {:>12} {:>6}",
        "1 core x 4 warps x 4",
        "lane-instr.",
        "C++ -O3",
        "ratio",
        "at most",
        "",
        "cycles",
        "C++ -O3",
        "ratio"
    );
    let device = Device::builder().cores(1).warps(4).threads(4);
    let device = device.model(Model::cycle()).open()?;

    let n = 4096;
    let a = device.upload(&vec![1.0f32; n])?;
    let b = device.upload(&vec![2.0f32; n])?;
    let mut c = device.alloc::<f32>(n)?;
    let report = vecadd_pointers(a.as_ptr(), b.as_ptr(), c.as_mut_ptr())
        .over(n)
        .launch(&device)?;
    row(
        "vecadd 4096, pointers",
        &report,
        &Bar {
            cpp: 126_559,
            cpp_cycles: 147_049,
            at_most: 60_000,
        },
    );
    let report = vecadd_slices(&a, &b, &mut c).over(n).launch(&device)?;
    row(
        "vecadd 4096, slices",
        &report,
        &Bar {
            cpp: 126_559,
            cpp_cycles: 147_049,
            at_most: 110_000,
        },
    );

    let sizes = [(64, 1_994_336, 1_149_458), (32, 271_968, 145_954)];
    for (n, cpp, cpp_cycles) in sizes {
        let a = device.upload(&vec![1.0f32; n * n])?;
        let b = device.upload(&vec![2.0f32; n * n])?;
        let mut c = device.alloc::<f32>(n * n)?;
        let report = sgemm(&a, &b, &mut c, n).over((n, n)).launch(&device)?;
        row(
            &format!("sgemm {n}x{n}, slices"),
            &report,
            &Bar {
                cpp,
                cpp_cycles,
                at_most: cpp,
            },
        );
    }
    let n = 16;
    let a = device.upload(&vec![1.0f32; n * n])?;
    let b = device.upload(&vec![2.0f32; n * n])?;
    let mut c = device.alloc::<f32>(n * n)?;
    let report = tiled_sgemm(&a, &b, &mut c, n)
        .grid((n / TILE, n / TILE))
        .launch(&device)?;
    row(
        &format!("tiled sgemm {n}x{n}, slices"),
        &report,
        &Bar {
            cpp: 76_124,
            cpp_cycles: 68_964,
            at_most: 76_124,
        },
    );
    tensors()
}

/// Side of the matrices.
const SIDE: usize = 128;

/// A product of matrices in tiles of this side, in groups of so many work items.
macro_rules! matmul_in_tiles {
    ($name:ident, $side:literal, $items:literal) => {
        #[vortex::kernel(block = $items, grid = (SIDE / $side, SIDE / $side))]
        fn $name(
            #[layout(tile_shape = [$side, $side])] a: &Tensor<bf16, SIDE, SIDE>,
            #[layout(tile_shape = [$side, $side])] b: &Tensor<bf16, SIDE, SIDE>,
            #[layout(tile_shape = [$side, $side])] c: &mut Tensor<f32, SIDE, SIDE>,
        ) {
            let (column, row) = group_id_2d();
            let (left, right, out) = (a.buffer(), b.buffer(), c.buffer());
            let sums = c.accumulator();
            left.reserve();
            left.load_tile(a.tile(row, 0));
            left.push();
            right.reserve();
            right.load_tile(b.tile(0, column));
            right.push();
            for k in 1..=a.tile_cols() {
                left.wait();
                right.wait();
                if k < a.tile_cols() {
                    left.reserve();
                    left.load_tile(a.tile(row, k));
                    left.push();
                    right.reserve();
                    right.load_tile(b.tile(k, column));
                    right.push();
                }
                sums.mma(left, right);
                left.pop();
                right.pop();
            }
            out.reserve();
            sums.store_to(out);
            out.push();
            out.wait();
            out.store_tile(c.tile(row, column));
            out.pop();
        }
    };
}

matmul_in_tiles!(in_tiles_of_32, 32, 64);
// Parts of 4 x 4 for each work item, too.
matmul_in_tiles!(in_tiles_of_16, 16, 16);

#[vortex::kernel]
fn matmul_naive(a: &[bf16], b: &[bf16], c: &mut [f32]) {
    let (column, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..SIDE {
        sum += a[row * SIDE + k].to_f32() * b[k * SIDE + column].to_f32();
    }
    c[row * SIDE + column] = sum;
}

/// A product of matrices tile by tile, through circular buffers, beside a plain loop.
fn tensors() -> vortex::Result<()> {
    let device = Device::builder().cores(1).warps(8).threads(8);
    let device = device.model(Model::cycle()).open()?;
    let number = |n: usize| bf16::from_f32((n % 61) as f32 - 30.0);
    let a: Vec<bf16> = (0..SIDE * SIDE).map(number).collect();
    let slice = device.upload(&a)?;
    let mut product = device.alloc(SIDE * SIDE)?;
    let plain = matmul_naive(&slice, &slice, &mut product)
        .over((SIDE, SIDE))
        .launch(&device)?;
    let (plain, product) = (plain.cycles().unwrap_or_default(), product.download()?);
    println!("\n1 core x 8 warps x 8: matmul {SIDE}x{SIDE} of bf16, plain loop: {plain} cycles");
    let row = |side: usize, found: Vec<f32>, cycles: Option<u64>| {
        assert_eq!(found, product);
        let cycles = cycles.unwrap_or_default();
        let ratio = plain as f64 / cycles as f64;
        let verdict = if ratio >= 2.5 { "ok" } else { "MISSED" };
        println!(
            "in tiles of {side} x {side}: {cycles} cycles, {ratio:.2} times less (at least 2.5: {verdict})"
        );
    };
    let layout = TensorLayout::INTERLEAVED;
    let tiles = device.upload_tensor(&a, layout)?;
    let mut out = device.alloc_tensor(layout)?;
    let report = in_tiles_of_32(&tiles, &tiles, &mut out).launch(&device)?;
    row(32, out.download()?, report.cycles());
    let layout = layout.tile_shape(16, 16);
    let tiles = device.upload_tensor(&a, layout)?;
    let mut out = device.alloc_tensor(layout)?;
    let report = in_tiles_of_16(&tiles, &tiles, &mut out).launch(&device)?;
    row(16, out.download()?, report.cycles());
    Ok(())
}
