//! The mean of a point and its four neighbours, but for the border.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn stencil5(from: &[f32], to: &mut [f32], w: usize, h: usize) {
        let (x, y) = global_id_2d();
        if x > 0 && x + 1 < w && y > 0 && y + 1 < h {
            let i = y * w + x;
            to[i] = 0.2 * (from[i] + from[i - 1] + from[i + 1] + from[i - w] + from[i + w]);
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (64, 64);
    let plane = numbers(w * h, 14);
    let point = |i: usize| {
        let (x, y) = (i % w, i / w);
        let inside = x > 0 && x + 1 < w && y > 0 && y + 1 < h;
        let sum = |i: usize| plane[i] + plane[i - 1] + plane[i + 1] + plane[i - w] + plane[i + w];
        if inside { 0.2 * sum(i) } else { 0.0 }
    };
    let expected = (0..w * h).map(point).collect();
    let from = suite.device.upload(&plane)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(stencil5(&from, &mut to, w, h).over((w, h)), &suite.device);
    // Of items inside the border 5 loads, 4 sums and a product.
    let work = Work {
        items: (w - 2) * (h - 2),
        loads: 5.0,
        stores: 1.0,
        sums: 5.0,
        words: w * h - 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "stencil5",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[from.as_ptr().addr(), to.as_ptr().addr(), w as u32, h as u32],
    };
    suite.compare::<stencil5>(
        "5-point stencil 64x64",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
