//! A 3x3 convolution of an image with a margin, its weights in a slice, by two loops.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn conv3x3(from: &[f32], weights: &[f32], to: &mut [f32], w: usize) {
        let (x, y) = global_id_2d();
        let mut sum = 0.0;
        for dy in 0..3 {
            for dx in 0..3 {
                sum += from[(y + dy) * (w + 2) + x + dx] * weights[dy * 3 + dx];
            }
        }
        to[y * w + x] = sum;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (64, 32);
    let (image, filter) = (numbers((w + 2) * (h + 2), 15), numbers(9, 16));
    let point = |i: usize| {
        let corner = i / w * (w + 2) + i % w;
        let at = |k: usize| image[corner + k / 3 * (w + 2) + k % 3] * filter[k];
        (0..9).map(at).sum()
    };
    let expected = (0..w * h).map(point).collect();
    let from = suite.device.upload(&image)?;
    let weights = suite.device.upload(&filter)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(
        conv3x3(&from, &weights, &mut to, w).over((w, h)),
        &suite.device
    );
    // The weights fit registers. For each of them a load, a product and a sum.
    let work = Work {
        items: w * h,
        loads: 9.0,
        stores: 1.0,
        sums: 18.0,
        words: (w + 2) * (h + 2) + 9,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "conv3x3",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[
            from.as_ptr().addr(),
            weights.as_ptr().addr(),
            to.as_ptr().addr(),
            w as u32,
        ],
    };
    suite.compare::<conv3x3>(
        "3x3 convolution 64x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
