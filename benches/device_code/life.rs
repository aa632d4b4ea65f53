//! A generation of Conway's Life on a torus, a word for each cell.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn life(from: &[u32], to: &mut [u32], w: usize, h: usize) {
        let (x, y) = global_id_2d();
        let mut around = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                if dx != 1 || dy != 1 {
                    around += from[(y + h + dy - 1) % h * w + (x + w + dx - 1) % w];
                }
            }
        }
        let lives = from[y * w + x] == 1;
        to[y * w + x] = if around == 3 || (lives && around == 2) { 1 } else { 0 };
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (32, 32);
    let cells: Vec<u32> = numbers(w * h, 72)
        .iter()
        .map(|x| u32::from(*x > 0.2))
        .collect();
    let cell = |i: usize| {
        let (x, y) = (i % w, i / w);
        let neighbour = |k: usize| cells[(y + h + k / 3 - 1) % h * w + (x + w + k % 3 - 1) % w];
        let around: u32 = (0..9).filter(|k| *k != 4).map(neighbour).sum();
        u32::from(around == 3 || (cells[i] == 1 && around == 2))
    };
    let expected = (0..w * h).map(cell).collect();
    let from = suite.device.upload(&cells)?;
    let mut to = suite.device.upload(&vec![0u32; w * h])?;
    let ours = launched!(life(&from, &mut to, w, h).over((w, h)), &suite.device);
    // 7 sums, 3 comparisons, 2 operations on what they give. Where the neighbours are is an address.
    let work = Work {
        items: w * h,
        loads: 9.0,
        stores: 1.0,
        others: 12.0,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "life",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32, h as u32],
    };
    suite.compare::<life>("life 32x32", &ours, &cpp, &work, &mut [(&mut to, expected)])
}
