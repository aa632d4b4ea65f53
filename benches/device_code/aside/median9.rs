//! The median of each pixel and its eight neighbours, which takes noise out of a picture.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// Pairs of the nine that are brought in order, after which the median is in the middle.
const PAIRS: [(usize, usize); 19] = [
    (1, 2),
    (4, 5),
    (7, 8),
    (0, 1),
    (3, 4),
    (6, 7),
    (1, 2),
    (4, 5),
    (7, 8),
    (0, 3),
    (5, 8),
    (4, 7),
    (3, 6),
    (1, 4),
    (2, 5),
    (4, 7),
    (4, 2),
    (6, 4),
    (4, 2),
];

variants! {
    fn median9(from: &[f32], to: &mut [f32], w: usize, h: usize) {
        let (x, y) = global_id_2d();
        if x == 0 || y == 0 || x + 1 == w || y + 1 == h {
            to[y * w + x] = from[y * w + x];
            return;
        }
        let mut values = [0.0; 9];
        for (k, value) in values.iter_mut().enumerate() {
            *value = from[(y + k / 3 - 1) * w + x + k % 3 - 1];
        }
        for (a, b) in PAIRS {
            let (low, high) = (values[a].min(values[b]), values[a].max(values[b]));
            values[a] = low;
            values[b] = high;
        }
        to[y * w + x] = values[4];
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (32, 32);
    let pixels = numbers(w * h, 125);
    let median = |i: usize| {
        let (x, y) = (i % w, i / w);
        if x == 0 || y == 0 || x + 1 == w || y + 1 == h {
            return pixels[i];
        }
        let mut around: Vec<f32> = (0..9)
            .map(|k| pixels[(y + k / 3 - 1) * w + x + k % 3 - 1])
            .collect();
        around.sort_by(f32::total_cmp);
        around[4]
    };
    let expected = (0..w * h).map(median).collect();
    let from = suite.device.upload(&pixels)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(median9(&from, &mut to, w, h).over((w, h)), &suite.device);
    // A minimum and a maximum for each pair, of which eight are not needed; at the edge a load and a store.
    let inner = ((w - 2) * (h - 2)) as f64 / (w * h) as f64;
    let work = Work {
        items: w * h,
        loads: 1.0 + 8.0 * inner,
        stores: 1.0,
        comparisons: 30.0 * inner,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/median9",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32, h as u32],
    };
    suite.compare::<median9>(
        "median of 9, 32x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
