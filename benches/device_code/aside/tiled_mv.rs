//! A matrix, stored by columns, times a vector, of which a group has a part at a time in local memory.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn tiled_mv(part: &mut Local<[f32]>, matrix: &[f32], x: &[f32], y: &mut [f32]) {
        let (i, row) = (local_id(), global_id());
        let rows = y.len();
        let mut sum = 0.0;
        for first in (0..x.len()).step_by(local_size()) {
            part[i] = x[first + i];
            barrier();
            for k in 0..local_size() {
                sum += matrix[(first + k) * rows + row] * part[k];
            }
            barrier();
        }
        y[row] = sum;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let block = suite.device.caps().max_group().min(64) as usize;
    let (rows, columns) = (128, 64);
    let (values, vector) = (numbers(rows * columns, 143), numbers(columns, 144));
    let row = |i: usize| (0..columns).map(|k| values[k * rows + i] * vector[k]).sum();
    let expected = (0..rows).map(row).collect();
    let matrix = suite.device.upload(&values)?;
    let x = suite.device.upload(&vector)?;
    let mut y = suite.device.upload(&vec![0.0f32; rows])?;
    let ours = launched!(
        tiled_mv(LocalLen(block), &matrix, &x, &mut y)
            .grid(rows / block)
            .block(block),
        &suite.device
    );
    // A load from either memory, a product and a sum for each column; two barriers for each part.
    let (all, parts) = (columns as f64, (columns / block) as f64);
    let work = Work {
        items: rows,
        loads: all + parts,
        stores: 1.0,
        local_loads: all,
        local_stores: parts,
        sums: 2.0 * all,
        others: 2.0 * parts,
        words: values.len() + columns,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/tiled_mv",
        grid: [(rows / block) as u32, 1, 1],
        block: Some([block as u32, 1, 1]),
        words: &[
            matrix.as_ptr().addr(),
            x.as_ptr().addr(),
            columns as u32,
            y.as_ptr().addr(),
            rows as u32,
        ],
    };
    suite.compare::<tiled_mv>(
        "tiled matrix-vector 128x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
