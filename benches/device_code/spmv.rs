//! A sparse matrix in rows of any length, times a vector: each item has a row.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn spmv(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
        let row = global_id();
        if row < y.len() {
            let mut sum = 0.0;
            for k in starts[row] as usize..starts[row + 1] as usize {
                sum += values[k] * x[columns[k] as usize];
            }
            y[row] = sum;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 512;
    let mut rows = vec![0u32];
    for number in numbers(n, 39) {
        rows.push(rows[rows.len() - 1] + (number.abs() * 16.0) as u32);
    }
    let entries = rows[n] as usize;
    let (places, factors, vector) = (numbers(entries, 40), numbers(entries, 41), numbers(n, 42));
    let places: Vec<u32> = places
        .iter()
        .map(|place| (place.abs() * n as f32) as u32 % n as u32)
        .collect();
    let product = |k: usize| factors[k] * vector[places[k] as usize];
    let row = |i: usize| (rows[i] as usize..rows[i + 1] as usize).map(product).sum();
    let expected = (0..n).map(row).collect();
    let starts = suite.device.upload(&rows)?;
    let columns = suite.device.upload(&places)?;
    let values = suite.device.upload(&factors)?;
    let x = suite.device.upload(&vector)?;
    let mut y = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        spmv(&starts, &columns, &values, &x, &mut y).over(n),
        &suite.device
    );
    // Of the row its start and end; of each entry 3 loads, a product and a sum.
    let each = entries as f64 / n as f64;
    let work = Work {
        items: n,
        loads: 2.0 + 3.0 * each,
        stores: 1.0,
        sums: 2.0 * each,
        words: 2 * (n + entries),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "spmv",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            starts.as_ptr().addr(),
            columns.as_ptr().addr(),
            values.as_ptr().addr(),
            x.as_ptr().addr(),
            y.as_ptr().addr(),
        ],
    };
    suite.compare::<spmv>(
        "spmv 512 rows",
        &ours,
        &cpp,
        &work,
        &mut [(&mut y, expected)],
    )
}
