//! What is tuned here.

use vortex::prelude::*;

/// `c = a * b`, each `n` x `n`, by groups of `TILE` x `TILE` items.
#[vortex::kernel(block = (TILE, TILE))]
#[tune(TILE in [2, 4, 8])]
pub(crate) fn product<const TILE: usize>(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let left = local::<[f32; 64]>();
    let right = local::<[f32; 64]>();
    let (x, y) = local_id_2d();
    let (column, row) = global_id_2d();
    let own = y * TILE + x;
    let mut sum = 0.0;
    for start in (0..n).step_by(TILE) {
        left[own] = if row < n && start + x < n {
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
        for k in 0..TILE {
            sum += left[y * TILE + k] * right[k * TILE + x];
        }
        barrier();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

/// `y = y + x`, several elements for each item, in groups.
#[vortex::kernel]
#[tune(each in [1, 2, 4], block in [4, 8, 16, (4, 2)], where each * block.0 <= 32)]
pub(crate) fn add(#[comptime] each: usize, x: &[f32], y: &mut [f32]) {
    let first = global_id() * each;
    for i in first..first + each {
        if i < y.len() {
            y[i] += x[i];
        }
    }
}
