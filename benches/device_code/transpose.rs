//! A matrix transposed, element by element.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn transpose(from: &[f32], to: &mut [f32], w: usize, h: usize) {
        let (x, y) = global_id_2d();
        if x < w && y < h {
            to[x * h + y] = from[y * w + x];
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (64, 64);
    let matrix = numbers(w * h, 5);
    let expected = (0..w * h).map(|at| matrix[at % h * w + at / h]).collect();
    let from = suite.device.upload(&matrix)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(transpose(&from, &mut to, w, h).over((w, h)), &suite.device);
    // Only moves.
    let work = Work {
        items: w * h,
        loads: 1.0,
        stores: 1.0,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "transpose",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32, h as u32],
    };
    suite.compare::<transpose>(
        "transpose 64x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
