//! A matrix transposed by tiles: a group reads rows of one into local memory, and writes rows from its columns.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn transpose_tiled<const TILE: usize>(from: &[f32], to: &mut [f32], w: usize, h: usize) {
        // Longer by one, so that a column's elements are in different banks.
        let tile = local::<[[f32; 17]; TILE]>();
        let (x, y) = local_id_2d();
        let (left, top) = (group_id_2d().0 * TILE, group_id_2d().1 * TILE);
        if left + x < w && top + y < h {
            tile[y][x] = from[(top + y) * w + left + x];
        }
        barrier();
        if left + y < w && top + x < h {
            to[(left + y) * h + top + x] = tile[x][y];
        }
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
    let (w, h) = (64, 64);
    let matrix = numbers(w * h, 5);
    let expected = (0..w * h).map(|at| matrix[at % h * w + at / h]).collect();
    let from = suite.device.upload(&matrix)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let (grid, block) = ((w / TILE, h / TILE), (TILE, TILE));
    let ours = launched!(
        transpose_tiled::<TILE>(&from, &mut to, w, h)
            .grid(grid)
            .block(block),
        &suite.device
    );
    // Only moves, there and back, and a barrier.
    let work = Work {
        items: w * h,
        loads: 1.0,
        stores: 1.0,
        local_loads: 1.0,
        local_stores: 1.0,
        others: 1.0,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "transpose_tiled",
        grid: [grid.0 as u32, grid.1 as u32, 1],
        block: Some([TILE as u32, TILE as u32, 1]),
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32, h as u32],
    };
    suite.compare::<transpose_tiled<TILE>>(
        "tiled transpose 64x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
