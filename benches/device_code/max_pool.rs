//! The largest of each two by two points.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn max_pool(from: &[f32], to: &mut [f32], w: usize) {
        let (x, y) = global_id_2d();
        let at = 2 * y * w + 2 * x;
        let upper = from[at].max(from[at + 1]);
        let lower = from[at + w].max(from[at + w + 1]);
        to[y * (w / 2) + x] = upper.max(lower);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (64, 64);
    let (to_w, to_h) = (w / 2, h / 2);
    let plane = numbers(w * h, 81);
    let point = |i: usize| {
        let at = 2 * (i / to_w) * w + 2 * (i % to_w);
        [at + 1, at + w, at + w + 1]
            .iter()
            .map(|at| plane[*at])
            .fold(plane[at], f32::max)
    };
    let expected = (0..to_w * to_h).map(point).collect();
    let from = suite.device.upload(&plane)?;
    let mut to = suite.device.upload(&vec![0.0f32; to_w * to_h])?;
    let ours = launched!(
        max_pool(&from, &mut to, w).over((to_w, to_h)),
        &suite.device
    );
    let work = Work {
        items: to_w * to_h,
        loads: 4.0,
        stores: 1.0,
        comparisons: 3.0,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "max_pool",
        grid: [to_w as u32, to_h as u32, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32],
    };
    suite.compare::<max_pool>(
        "max pool 64x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
