//! How many ways there are to place eight queens if the first five are given: each item tries all from a start.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, variants};
use vortex::prelude::*;

const SIZE: u32 = 8;
/// Rows whose queens are given.
const GIVEN: usize = 5;
/// Bits of a column.
const BITS: usize = 3;

/// Whether a queen in the next row meets none of those in the rows before.
#[vortex::device]
fn is_safe(columns: &[u32], column: u32) -> bool {
    let row = columns.len();
    for (above, &other) in columns.iter().enumerate() {
        if other == column || other.abs_diff(column) == (row - above) as u32 {
            return false;
        }
    }
    true
}

variants! {
    fn queens(starts: &[u32], counts: &mut [u32]) {
        let i = global_id();
        let mut columns = [0; SIZE as usize];
        for row in 0..GIVEN {
            columns[row] = (starts[i] >> (BITS * row)) % SIZE;
        }
        let mut count = 0;
        let mut row = GIVEN;
        let mut column = 0;
        loop {
            if column == SIZE {
                // Back to the row before, and on from there.
                if row == GIVEN {
                    break;
                }
                row -= 1;
                column = columns[row] + 1;
            } else if !is_safe(&columns[..row], column) {
                column += 1;
            } else if row + 1 == SIZE as usize {
                count += 1;
                column += 1;
            } else {
                columns[row] = column;
                row += 1;
                column = 0;
            }
        }
        counts[i] = count;
    }
}

/// How many ways lead on from those that are placed.
fn ways(placed: &mut Vec<u32>) -> u32 {
    if placed.len() == SIZE as usize {
        return 1;
    }
    let mut count = 0;
    for column in 0..SIZE {
        if fits(placed, column) {
            placed.push(column);
            count += ways(placed);
            placed.pop();
        }
    }
    count
}

fn fits(placed: &[u32], column: u32) -> bool {
    let mut before = placed.iter().rev().zip(1..);
    before.all(|(other, apart)| *other != column && other.abs_diff(column) != apart)
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    assert_eq!(ways(&mut Vec::new()), 92);
    let n = 128;
    let columns = |start: u32| (0..GIVEN).map(move |row| (start >> (BITS * row)) % SIZE);
    let is_possible = |start: &u32| {
        let all: Vec<u32> = columns(*start).collect();
        (1..GIVEN).all(|row| fits(&all[..row], all[row]))
    };
    let given: Vec<u32> = (0..SIZE.pow(GIVEN as u32))
        .filter(is_possible)
        .take(n)
        .collect();
    let expected: Vec<u32> = given
        .iter()
        .map(|start| ways(&mut columns(*start).collect()))
        .collect();
    let starts = suite.device.upload(&given)?;
    let mut counts = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(queens(&starts, &mut counts).over(n), &suite.device);
    // How much there is to try depends on the start; each column of the next row at least, for the last queen given.
    let work = Work {
        items: n,
        loads: 1.0,
        stores: 1.0,
        others: 8.0 * f64::from(SIZE),
        words: n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/queens",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[starts.as_ptr().addr(), counts.as_ptr().addr()],
    };
    suite.compare::<queens>(
        "8 queens 128",
        &ours,
        &cpp,
        &work,
        &mut [(&mut counts, expected)],
    )
}
