//! Instructions executed by all lanes, and cycles on the cycle model, next to the same algorithm in C++ (clang 19 -O3 on Vortex's own
//! runtime, cycles of the Verilated RTL).
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
    Ok(())
}
