//! A product of matrices by tiles: the items of a group copy a tile of each factor to local memory, where all read it.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn sgemm_tiled<const TILE: usize>(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
        let left = local::<[[f32; TILE]; TILE]>();
        let right = local::<[[f32; TILE]; TILE]>();
        let (x, y) = local_id_2d();
        let (col, row) = global_id_2d();
        let mut sum = 0.0;
        for tile in 0..n / TILE {
            left[y][x] = a[row * n + tile * TILE + x];
            right[y][x] = b[(tile * TILE + y) * n + col];
            barrier();
            for k in 0..TILE {
                sum += left[y][k] * right[k][x];
            }
            barrier();
        }
        c[row * n + col] = sum;
    }
}

/// With the largest tiles whose items fit a core.
pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    match suite.device.caps().max_group() {
        256.. => tiled::<16>(suite),
        64.. => tiled::<8>(suite),
        _ => tiled::<4>(suite),
    }
}

fn tiled<const TILE: usize>(suite: &mut Suite) -> vortex::Result<()> {
    for n in [64, 128] {
        let (left, right) = (numbers(n * n, 18), numbers(n * n, 19));
        let element = |i: usize| {
            (0..n)
                .map(|k| left[i / n * n + k] * right[k * n + i % n])
                .sum()
        };
        let expected = (0..n * n).map(element).collect();
        let a = suite.device.upload(&left)?;
        let b = suite.device.upload(&right)?;
        let mut c = suite.device.upload(&vec![0.0f32; n * n])?;
        let (grid, block) = ((n / TILE, n / TILE), (TILE, TILE));
        let ours = launched!(
            sgemm_tiled::<TILE>(&a, &b, &mut c, n)
                .grid(grid)
                .block(block),
            &suite.device
        );
        // In each of `n` steps a product and a sum; 16 items, one of each of 4 x 4 groups, need 8 elements of tiles for
        // it, and these groups 8 tiles, each loaded and stored once, between barriers for all of them.
        let tiles = (n / TILE) as f64;
        let work = Work {
            items: n * n,
            loads: 0.5 * tiles,
            stores: 1.0,
            local_stores: 0.5 * tiles,
            local_loads: 0.5 * n as f64,
            others: 2.0 / 16.0 * tiles,
            sums: 2.0 * n as f64,
            words: 2 * n * n,
            ..Work::default()
        };
        let cpp = Cpp {
            file: "sgemm_tiled",
            grid: [grid.0 as u32, grid.1 as u32, 1],
            block: Some([TILE as u32, TILE as u32, 1]),
            words: &[
                a.as_ptr().addr(),
                b.as_ptr().addr(),
                c.as_ptr().addr(),
                n as u32,
            ],
        };
        let title = format!("tiled sgemm {n}x{n}");
        suite.compare::<sgemm_tiled<TILE>>(
            &title,
            &ours,
            &cpp,
            &work,
            &mut [(&mut c, expected)],
        )?;
    }
    Ok(())
}
