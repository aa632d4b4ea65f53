//! Pixels over others, both of four bytes, red, green, blue and how opaque it is.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

/// `x / 255`, rounded, of products of two bytes.
#[vortex::device]
fn by_255(x: u32) -> u32 {
    let x = x + 128;
    (x + (x >> 8)) >> 8
}

variants! {
    fn blend(front: &[u32], back: &[u32], to: &mut [u32]) {
        let i = global_id();
        if i >= to.len() {
            return;
        }
        let [r, g, b, a] = front[i].to_le_bytes();
        if a == 0 {
            to[i] = back[i];
            return;
        }
        let under = back[i].to_le_bytes();
        let alpha = a as u32;
        let mix = |over: u8, under: u8| by_255(over as u32 * alpha + under as u32 * (255 - alpha)) as u8;
        let opaque = alpha + by_255(under[3] as u32 * (255 - alpha));
        let mixed = [mix(r, under[0]), mix(g, under[1]), mix(b, under[2]), opaque as u8];
        to[i] = u32::from_le_bytes(mixed);
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let n = 2048;
    let pixels = |seed: u32| -> Vec<u32> {
        let words = numbers(2 * n, seed);
        words
            .chunks(2)
            .map(|k| k[0].to_bits() << 9 ^ k[1].to_bits() << 17 ^ k[1].to_bits())
            .collect()
    };
    let [mut fronts, backs] = [115, 116].map(pixels);
    for k in (0..n).filter(|k| k / 16 % 5 == 0) {
        fronts[k] &= 0x00ff_ffff;
    }
    let blended = |i: usize| {
        let (front, back) = (fronts[i].to_le_bytes(), backs[i].to_le_bytes());
        let alpha = u32::from(front[3]);
        let rounded = |x: u32| (2 * x + 255) / 510;
        let channel = |k: usize| {
            let (over, under) = (u32::from(front[k]), u32::from(back[k]));
            match k {
                3 => (alpha + rounded(under * (255 - alpha))) as u8,
                _ => rounded(over * alpha + under * (255 - alpha)) as u8,
            }
        };
        u32::from_le_bytes(std::array::from_fn(channel))
    };
    let expected = (0..n).map(blended).collect();
    let front = suite.device.upload(&fronts)?;
    let back = suite.device.upload(&backs)?;
    let mut to = suite.device.upload(&vec![0u32; n])?;
    let ours = launched!(blend(&front, &back, &mut to).over(n), &suite.device);
    // 6 shifts and masks for each pixel's channels, two at once, a product each and a sum, 4 operations that divide two
    // channels at once, 2 that put them together.
    let work = Work {
        items: n,
        loads: 2.0,
        stores: 1.0,
        others: 16.0,
        words: 2 * n,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/blend",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            front.as_ptr().addr(),
            back.as_ptr().addr(),
            to.as_ptr().addr(),
        ],
    };
    suite.compare::<blend>("blend 2048", &ours, &cpp, &work, &mut [(&mut to, expected)])
}
