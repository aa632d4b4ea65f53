//! How dense a fluid is at each of its particles, which are sorted by the cell of a grid that they are in.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
pub(crate) struct Grid {
    columns: u32,
    rows: u32,
    /// How wide a cell is, and how far particles feel each other.
    reach: f32,
}

variants! {
    fn sph(particles: &[Vec2<f32>], starts: &[u32], grid: Grid, mass: f32, density: &mut [f32]) {
        let i = global_id();
        let own = particles[i];
        let square = grid.reach * grid.reach;
        let column = (own.x / grid.reach) as u32;
        let row = (own.y / grid.reach) as u32;
        let mut sum = 0.0;
        for y in row.saturating_sub(1)..(row + 2).min(grid.rows) {
            for x in column.saturating_sub(1)..(column + 2).min(grid.columns) {
                let cell = (y * grid.columns + x) as usize;
                for other in &particles[starts[cell] as usize..starts[cell + 1] as usize] {
                    let apart = own - *other;
                    let left = square - apart.dot(apart);
                    if left > 0.0 {
                        sum += left * left * left;
                    }
                }
            }
        }
        density[i] = mass * sum;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, columns, rows, reach, mass) = (256, 8, 8, 0.25f32, 40.0f32);
    let cell = |at: &[f32; 2]| (at[1] / reach) as usize * columns + (at[0] / reach) as usize;
    let random = numbers(2 * n, 137);
    let mut places: Vec<[f32; 2]> = random
        .chunks(2)
        .map(|at| [(at[0] + 1.0) * 0.999, (at[1] * at[1] * 2.0).min(1.999)])
        .collect();
    places.sort_by_key(cell);
    let first = |k: usize| places.partition_point(|at| cell(at) < k) as u32;
    let first: Vec<u32> = (0..=columns * rows).map(first).collect();
    // Those of other cells are too far away to matter.
    let mut pairs = 0;
    let mut sum = |at: &[f32; 2]| {
        let left =
            |to: &[f32; 2]| reach * reach - (at[0] - to[0]).powi(2) - (at[1] - to[1]).powi(2);
        let near = places.iter().map(left).filter(|left| *left > 0.0);
        pairs += near.clone().count();
        mass * near.map(|left| left * left * left).sum::<f32>()
    };
    let expected = places.iter().map(&mut sum).collect();
    let all: Vec<Vec2<f32>> = places.iter().map(|at| vec2(at[0], at[1])).collect();
    let particles = suite.device.upload(&all)?;
    let starts = suite.device.upload(&first)?;
    let mut density = suite.device.upload(&vec![0.0f32; n])?;
    let grid = Grid {
        columns: columns as u32,
        rows: rows as u32,
        reach,
    };
    let ours = launched!(
        sph(&particles, &starts, grid, mass, &mut density).over(n),
        &suite.device
    );
    // Of each particle that is near enough two numbers, 5 sums and products for how near, and 3 for what that gives.
    let each = pairs as f64 / n as f64;
    let work = Work {
        items: n,
        loads: 4.0 + 2.0 * each,
        stores: 1.0,
        sums: 1.0 + 8.0 * each,
        comparisons: each,
        conversions: 2.0,
        quotients: 2.0,
        words: 2 * n + first.len(),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/sph",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            particles.as_ptr().addr(),
            starts.as_ptr().addr(),
            columns as u32,
            rows as u32,
            reach.to_bits(),
            mass.to_bits(),
            density.as_ptr().addr(),
        ],
    };
    suite.compare::<sph>(
        "sph density 256",
        &ours,
        &cpp,
        &work,
        &mut [(&mut density, expected)],
    )
}
