//! Systems of equations with three bands: each item solves one, whose numbers lie beside the others'.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Equations in a system.
const ROWS: usize = 16;

variants! {
    fn thomas(lower: &[f32], middle: &[f32], upper: &[f32], right: &[f32], x: &mut [f32], n: usize) {
        let i = global_id();
        if i >= n {
            return;
        }
        let mut above = [0.0; ROWS];
        let mut values = [0.0; ROWS];
        above[0] = upper[i] / middle[i];
        values[0] = right[i] / middle[i];
        for row in 1..ROWS {
            let at = row * n + i;
            let scale = 1.0 / (middle[at] - lower[at] * above[row - 1]);
            above[row] = upper[at] * scale;
            values[row] = (right[at] - lower[at] * values[row - 1]) * scale;
        }
        let mut last = values[ROWS - 1];
        x[(ROWS - 1) * n + i] = last;
        for row in (0..ROWS - 1).rev() {
            last = values[row] - above[row] * last;
            x[row * n + i] = last;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 256;
    let [low, high, sides] = [126, 127, 128].map(|seed| numbers(n * ROWS, seed));
    let diagonal: Vec<f32> = numbers(n * ROWS, 129).iter().map(|x| 3.0 + x).collect();
    let mut expected = vec![0.0; n * ROWS];
    for i in 0..n {
        let number = |row: usize, of: &[f32]| f64::from(of[row * n + i]);
        let mut kept = vec![(0.0, 0.0)];
        for row in 0..ROWS {
            let (above, value) = kept[row];
            let divisor = number(row, &diagonal) - number(row, &low) * above;
            let value = number(row, &sides) - number(row, &low) * value;
            kept.push((number(row, &high) / divisor, value / divisor));
        }
        let mut last = 0.0;
        for row in (0..ROWS).rev() {
            let (above, value) = kept[row + 1];
            last = value - above * last;
            expected[row * n + i] = last as f32;
        }
    }
    let lower = suite.device.upload(&low)?;
    let middle = suite.device.upload(&diagonal)?;
    let upper = suite.device.upload(&high)?;
    let right = suite.device.upload(&sides)?;
    let mut x = suite.device.upload(&vec![0.0f32; n * ROWS])?;
    let ours = launched!(
        thomas(&lower, &middle, &upper, &right, &mut x, n).over(n),
        &suite.device
    );
    // Down a quotient and 6 sums and products for each row, up 2.
    let rows = ROWS as f64;
    let work = Work {
        items: n,
        loads: 4.0 * rows - 1.0,
        stores: rows,
        sums: 8.0 * (rows - 1.0),
        quotients: rows,
        words: 4 * n * ROWS,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/thomas",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            lower.as_ptr().addr(),
            middle.as_ptr().addr(),
            upper.as_ptr().addr(),
            right.as_ptr().addr(),
            x.as_ptr().addr(),
            n as u32,
        ],
    };
    suite.compare::<thomas>(
        "thomas 256 of 16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut x, expected)],
    )
}
