//! A picture as cameras have it, brightness for each pixel and colour for four of them, to red, green and blue.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

#[vortex::device]
fn channel(value: i32) -> u32 {
    ((value + 128) >> 8).clamp(0, 255) as u32
}

variants! {
    fn yuv(luma: &[u8], cb: &[u8], cr: &[u8], w: usize, pixels: &mut [u32]) {
        let (x, y) = global_id_2d();
        let colour = y / 2 * (w / 2) + x / 2;
        let c = 298 * (luma[y * w + x] as i32 - 16);
        let d = cb[colour] as i32 - 128;
        let e = cr[colour] as i32 - 128;
        let red = channel(c + 409 * e);
        let green = channel(c - 100 * d - 208 * e);
        let blue = channel(c + 516 * d);
        pixels[y * w + x] = red | (green << 8) | (blue << 16) | (255 << 24);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h) = (32, 32);
    let plane = |count: usize, seed: u32| -> Vec<u8> {
        numbers(count, seed)
            .into_iter()
            .map(|x| (x * 128.0 + 128.0) as u8)
            .collect()
    };
    let (bright, blues, reds) = (
        plane(w * h, 117),
        plane(w * h / 4, 118),
        plane(w * h / 4, 119),
    );
    let pixel = |i: usize| {
        let at = i / w / 2 * (w / 2) + i % w / 2;
        let [c, d, e] = [bright[i], blues[at], reds[at]].map(i32::from);
        let (c, d, e) = (c - 16, d - 128, e - 128);
        let sums = [
            298 * c + 409 * e,
            298 * c - 100 * d - 208 * e,
            298 * c + 516 * d,
        ];
        let [r, g, b] = sums.map(|sum| ((sum + 128) >> 8).clamp(0, 255) as u8);
        u32::from_le_bytes([r, g, b, 255])
    };
    let expected = (0..w * h).map(pixel).collect();
    let luma = suite.device.upload(&bright)?;
    let cb = suite.device.upload(&blues)?;
    let cr = suite.device.upload(&reds)?;
    let mut pixels = suite.device.upload(&vec![0u32; w * h])?;
    let ours = launched!(
        yuv(&luma, &cb, &cr, w, &mut pixels).over((w, h)),
        &suite.device
    );
    // 3 differences, 5 products, 4 sums; for each channel a sum, a shift and 4 operations that clamp; 5 to join them.
    let work = Work {
        items: w * h,
        loads: 3.0,
        stores: 1.0,
        others: 35.0,
        words: w * h * 3 / 8,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/yuv",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[
            luma.as_ptr().addr(),
            cb.as_ptr().addr(),
            cr.as_ptr().addr(),
            w as u32,
            pixels.as_ptr().addr(),
        ],
    };
    suite.compare::<yuv>(
        "yuv to rgb 32x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut pixels, expected)],
    )
}
