//! The programs that Vortex 3's own performance gate measures (`ci/perf/baselines/perf_gate.json` there), in natural
//! Rust, at its sizes: they run where they are asked for by name.

use super::suite::{Launched, Output, Suite, launched, numbers, variants};
use super::{sgemm::sgemm, sgemv::sgemv, vecadd::vecadd};
use vortex::prelude::*;

/// Rows and columns of a tile, of which each item has as many.
const TILE: usize = 16;
const PART: usize = 4;

variants! {
    fn softmax(x: &[f32], y: &mut [f32], n: usize) {
        let row = global_id();
        let mut most: f32 = 0.0;
        for k in 0..n {
            most = most.max(x[row * n + k]);
        }
        let mut sum = 0.0;
        for k in 0..n {
            let part = (x[row * n + k] - most).exp();
            y[row * n + k] = part;
            sum += part;
        }
        for k in 0..n {
            y[row * n + k] /= sum;
        }
    }
}

mod stencil {
    use super::*;

    variants! {
        fn stencil3d(a: &[f32], b: &mut [f32], n: usize) {
            let (x, y, z) = global_id_3d();
            let mut sum = 0.0;
            for dz in 0..3 {
                for dy in 0..3 {
                    for dx in 0..3 {
                        let z = (z + dz).saturating_sub(1).min(n - 1);
                        let y = (y + dy).saturating_sub(1).min(n - 1);
                        let x = (x + dx).saturating_sub(1).min(n - 1);
                        sum += a[(z * n + y) * n + x];
                    }
                }
            }
            b[(z * n + y) * n + x] = sum / 27.0;
        }
    }
}

mod tiles {
    use super::*;

    variants! {
        fn sgemmx(alpha: f32, beta: f32, a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
            let left = local::<[[f32; 4]; TILE]>();
            let right = local::<[[f32; TILE]; 4]>();
            let (x, y) = local_id_2d();
            let (group_x, group_y) = group_id_2d();
            let (row, col) = (group_y * TILE + y * PART, group_x * TILE + x * PART);
            let mut sums = [[0.0; PART]; PART];
            for k in 0..n / 4 {
                #[unroll]
                for i in 0..PART {
                    left[y * PART + i][x] = a[(row + i) * n + k * 4 + x];
                    right[y][x * PART + i] = b[(k * 4 + y) * n + col + i];
                }
                barrier();
                #[unroll]
                for k in 0..4 {
                    #[unroll]
                    for i in 0..PART {
                        #[unroll]
                        for j in 0..PART {
                            sums[i][j] += left[y * PART + i][k] * right[k][x * PART + j];
                        }
                    }
                }
                barrier();
            }
            #[unroll]
            for i in 0..PART {
                #[unroll]
                for j in 0..PART {
                    let at = (row + i) * n + col + j;
                    c[at] = alpha * sums[i][j] + beta * c[at];
                }
            }
        }
    }
}

/// Holds an output against what is expected, and notes the launches.
fn note(
    suite: &mut Suite,
    title: &str,
    launched: Launched,
    mut output: impl Output,
) -> vortex::Result<()> {
    output.check(title)?;
    output.clear()?;
    suite.runs.push((title.to_owned(), launched));
    Ok(())
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    run_vecadd(suite)?;
    run_sgemm(suite)?;
    run_sgemmx(suite)?;
    run_sgemv(suite)?;
    run_softmax(suite)?;
    run_stencil3d(suite)
}

fn run_vecadd(suite: &mut Suite) -> vortex::Result<()> {
    use super::vecadd::{contracted, unchecked};
    let n = 16384;
    let (left, right) = (numbers(n, 61), numbers(n, 62));
    let expected = left.iter().zip(&right).map(|(a, b)| a + b).collect();
    let (a, b) = (suite.device.upload(&left)?, suite.device.upload(&right)?);
    let mut c = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(vecadd(&a, &b, &mut c).over(n), &suite.device);
    note(suite, "vecadd 16384", ours, (&mut c, expected))
}

/// A product of square matrices, and what it is made of.
fn product(n: usize) -> [Vec<f32>; 3] {
    let (left, right) = (numbers(n * n, 63), numbers(n * n, 64));
    let element = |i: usize| {
        (0..n)
            .map(|k| left[i / n * n + k] * right[k * n + i % n])
            .sum()
    };
    let product = (0..n * n).map(element).collect();
    [left, right, product]
}

fn run_sgemm(suite: &mut Suite) -> vortex::Result<()> {
    use super::sgemm::{contracted, unchecked};
    let n = 128;
    let [left, right, expected] = product(n);
    let (a, b) = (suite.device.upload(&left)?, suite.device.upload(&right)?);
    let mut c = suite.device.upload(&vec![0.0f32; n * n])?;
    let ours = launched!(sgemm(&a, &b, &mut c, n).over((n, n)), &suite.device);
    note(suite, "sgemm 128", ours, (&mut c, expected))
}

fn run_sgemmx(suite: &mut Suite) -> vortex::Result<()> {
    use tiles::{contracted, sgemmx, unchecked};
    let n = 128;
    let [left, right, expected] = product(n);
    let (a, b) = (suite.device.upload(&left)?, suite.device.upload(&right)?);
    let mut c = suite.device.upload(&vec![0.0f32; n * n])?;
    let groups = n / TILE;
    let ours = launched!(
        sgemmx(1.0, 0.0, &a, &b, &mut c, n)
            .grid((groups, groups))
            .block((TILE / PART, TILE / PART)),
        &suite.device
    );
    note(suite, "sgemmx 128", ours, (&mut c, expected))
}

fn run_sgemv(suite: &mut Suite) -> vortex::Result<()> {
    use super::sgemv::{contracted, unchecked};
    let n = 512;
    let (matrix, vector) = (numbers(n * n, 65), numbers(n, 66));
    let row = |row: &[f32]| row.iter().zip(&vector).map(|(a, x)| a * x).sum();
    let expected = matrix.chunks(n).map(row).collect();
    let (a, x) = (suite.device.upload(&matrix)?, suite.device.upload(&vector)?);
    let mut y = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(sgemv(&a, &x, &mut y, n).over(n), &suite.device);
    note(suite, "sgemv 512", ours, (&mut y, expected))
}

fn run_softmax(suite: &mut Suite) -> vortex::Result<()> {
    let n = 64;
    let matrix = numbers(n * n, 67);
    let probabilities = |row: &[f32]| -> Vec<f32> {
        let most = row.iter().copied().fold(0.0, f32::max);
        let parts: Vec<f32> = row.iter().map(|x| (x - most).exp()).collect();
        let sum: f32 = parts.iter().sum();
        parts.iter().map(|part| part / sum).collect()
    };
    let expected = matrix.chunks(n).flat_map(probabilities).collect();
    let x = suite.device.upload(&matrix)?;
    let mut y = suite.device.upload(&vec![0.0f32; n * n])?;
    let ours = launched!(softmax(&x, &mut y, n).over(n), &suite.device);
    note(suite, "softmax 64", ours, (&mut y, expected))
}

fn run_stencil3d(suite: &mut Suite) -> vortex::Result<()> {
    use stencil::{contracted, stencil3d, unchecked};
    let n = 32;
    let cube = numbers(n * n * n, 68);
    let near = |at: usize| [0, 1, 2].map(|d| (at + d).saturating_sub(1).min(n - 1));
    let mean = |i: usize| {
        let (x, y, z) = (i % n, i / n % n, i / n / n);
        let mut sum = 0.0;
        for z in near(z) {
            for y in near(y) {
                for x in near(x) {
                    sum += cube[(z * n + y) * n + x];
                }
            }
        }
        sum / 27.0
    };
    let expected = (0..n * n * n).map(mean).collect();
    let a = suite.device.upload(&cube)?;
    let mut b = suite.device.upload(&vec![0.0f32; n * n * n])?;
    let ours = launched!(stencil3d(&a, &mut b, n).over((n, n, n)), &suite.device);
    note(suite, "stencil3d 32", ours, (&mut b, expected))
}
