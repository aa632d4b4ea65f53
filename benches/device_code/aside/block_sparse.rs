//! A matrix of blocks of 4x4, most of which are not there, times a vector: each item has a row of numbers.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const SIDE: usize = 4;

variants! {
    fn block_sparse(starts: &[u32], columns: &[u32], blocks: &[[[f32; SIDE]; SIDE]], x: &[f32], y: &mut [f32]) {
        let i = global_id();
        let (block_row, row) = (i / SIDE, i % SIDE);
        let mut sum = 0.0;
        for k in starts[block_row] as usize..starts[block_row + 1] as usize {
            let first = columns[k] as usize * SIDE;
            let part = &x[first..first + SIDE];
            for (column, value) in part.iter().enumerate() {
                sum += blocks[k][row][column] * value;
            }
        }
        y[i] = sum;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let rows = 128;
    let n = rows * SIDE;
    let mut first = vec![0u32];
    for number in numbers(rows, 130) {
        first.push(first[first.len() - 1] + (number.abs() * 9.0) as u32);
    }
    let count = first[rows] as usize;
    let places: Vec<u32> = numbers(count, 131)
        .iter()
        .map(|x| (x.abs() * rows as f32) as u32 % rows as u32)
        .collect();
    let (values, vector) = (numbers(count * SIDE * SIDE, 132), numbers(n, 133));
    let row = |i: usize| {
        let (of_block, inside) = (i / SIDE, i % SIDE);
        let all = first[of_block] as usize..first[of_block + 1] as usize;
        let product = |k: usize| {
            let value = values[(k / SIDE * SIDE + inside) * SIDE + k % SIDE];
            value * vector[places[k / SIDE] as usize * SIDE + k % SIDE]
        };
        (all.start * SIDE..all.end * SIDE).map(product).sum()
    };
    let expected = (0..n).map(row).collect();
    let all: Vec<[[f32; SIDE]; SIDE]> = values
        .chunks(SIDE * SIDE)
        .map(|block| std::array::from_fn(|row| std::array::from_fn(|k| block[row * SIDE + k])))
        .collect();
    let starts = suite.device.upload(&first)?;
    let columns = suite.device.upload(&places)?;
    let blocks = suite.device.upload(&all)?;
    let x = suite.device.upload(&vector)?;
    let mut y = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        block_sparse(&starts, &columns, &blocks, &x, &mut y).over(n),
        &suite.device
    );
    // Where the row begins and ends; of each block its column, four numbers, and four of the vector.
    let each = count as f64 / rows as f64;
    let work = Work {
        items: n,
        loads: 2.0 + 9.0 * each,
        stores: 1.0,
        sums: 8.0 * each,
        words: rows + count + values.len() + n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/block_sparse",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            starts.as_ptr().addr(),
            columns.as_ptr().addr(),
            blocks.as_ptr().addr(),
            x.as_ptr().addr(),
            y.as_ptr().addr(),
        ],
    };
    suite.compare::<block_sparse>(
        "block sparse 512 rows",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
