//! How steep an image with a margin is at each point.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn sobel(from: &[f32], to: &mut [f32], w: usize) {
        let (x, y) = global_id_2d();
        let up = y * (w + 2) + x;
        let here = up + w + 2;
        let down = here + w + 2;
        let across = from[up + 2] - from[up] + 2.0 * (from[here + 2] - from[here]) + from[down + 2] - from[down];
        let along = from[down] + 2.0 * from[down + 1] + from[down + 2] - from[up] - 2.0 * from[up + 1] - from[up + 2];
        to[y * w + x] = (across * across + along * along).sqrt();
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (64, 32);
    let image = numbers((w + 2) * (h + 2), 25);
    let point = |i: usize| {
        let corner = i / w * (w + 2) + i % w;
        let weighted = |weights: [f32; 9]| -> f32 {
            let at = |k: usize| image[corner + k / 3 * (w + 2) + k % 3] * weights[k];
            (0..9).map(at).sum()
        };
        let across = weighted([-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0]);
        let along = weighted([-1.0, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0]);
        across.hypot(along)
    };
    let expected = (0..w * h).map(point).collect();
    let from = suite.device.upload(&image)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(sobel(&from, &mut to, w).over((w, h)), &suite.device);
    // 8 loads; 6 operations across, 7 along, and 3 and a root for the length of both.
    let work = Work {
        items: w * h,
        loads: 8.0,
        stores: 1.0,
        sums: 16.0,
        roots: 1.0,
        words: (w + 2) * (h + 2),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "sobel",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32],
    };
    suite.compare::<sobel>(
        "sobel 64x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
