//! An image enlarged, each point between four of the original.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn bilinear(from: &[f32], to: &mut [f32], w: usize, h: usize, to_w: usize, scale: f32) {
        let (i, j) = global_id_2d();
        let (x, y) = (i as f32 * scale, j as f32 * scale);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(w - 1), (top + 1).min(h - 1));
        let (dx, dy) = (x - left as f32, y - top as f32);
        let upper = from[top * w + left] * (1.0 - dx) + from[top * w + right] * dx;
        let lower = from[bottom * w + left] * (1.0 - dx) + from[bottom * w + right] * dx;
        to[j * to_w + i] = upper * (1.0 - dy) + lower * dy;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let ((w, h), (to_w, to_h), scale) = ((32, 32), (48, 48), 0.64);
    let image = numbers(w * h, 78);
    let point = |n: usize| {
        let (x, y) = ((n % to_w) as f32 * scale, (n / to_w) as f32 * scale);
        let (left, top) = (x as usize, y as usize);
        let mixed = |row: usize| {
            let right = (left + 1).min(w - 1);
            image[row * w + left] * (1.0 - x.fract()) + image[row * w + right] * x.fract()
        };
        mixed(top) * (1.0 - y.fract()) + mixed((top + 1).min(h - 1)) * y.fract()
    };
    let expected = (0..to_w * to_h).map(point).collect();
    let from = suite.device.upload(&image)?;
    let mut to = suite.device.upload(&vec![0.0f32; to_w * to_h])?;
    let ours = launched!(
        bilinear(&from, &mut to, w, h, to_w, scale).over((to_w, to_h)),
        &suite.device
    );
    // Both coordinates, their fractions and what is left of these; three times two products and a sum. What depends on
    // the row alone can be kept: half of the coordinates.
    let work = Work {
        items: to_w * to_h,
        loads: 4.0,
        stores: 1.0,
        sums: 3.0 + 9.0,
        conversions: 3.0,
        others: 1.0,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "bilinear",
        grid: [to_w as u32, to_h as u32, 1],
        block: None,
        words: &[
            from.as_ptr().addr(),
            to.as_ptr().addr(),
            w as u32,
            h as u32,
            to_w as u32,
            scale.to_bits(),
        ],
    };
    suite.compare::<bilinear>(
        "bilinear 32 to 48",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
