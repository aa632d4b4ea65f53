//! Speed of the embedded device's functional model, in lane-instructions per second of wall time.

use vortex::prelude::*;

#[vortex::kernel]
fn sgemm(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (col, row) = global_id_2d();
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + col];
    }
    c[row * n + col] = sum;
}

fn main() -> vortex::Result<()> {
    println!(
        "{:<28} {:>14} {:>10} {:>16}",
        "sgemm 256x256", "lane-instr.", "seconds", "million per s"
    );
    for (cores, warps, threads) in [(1, 4, 4), (1, 4, 8), (1, 4, 16), (1, 4, 32), (4, 16, 32)] {
        let device = Device::builder()
            .cores(cores)
            .warps(warps)
            .threads(threads)
            .open()?;
        let n = 256;
        let a = device.upload(&vec![1.0f32; n * n])?;
        let b = device.upload(&vec![2.0f32; n * n])?;
        let mut c = device.alloc::<f32>(n * n)?;
        // The first launch compiles; the best of the rest is what the device can do.
        let mut best = f64::INFINITY;
        let mut instructions = 0;
        for _ in 0..4 {
            let report = sgemm(&a, &b, &mut c, n).over((n, n)).launch(&device)?;
            best = best.min(report.wall_time().as_secs_f64());
            instructions = report.lane_instructions();
        }
        println!(
            "{:<28} {instructions:>14} {best:>10.3} {:>16.0}",
            format!("{cores} cores x {warps} warps x {threads}"),
            instructions as f64 / best / 1e6
        );
    }
    Ok(())
}
