//! A bilateral filter over 5x5 pixels, of which those beyond the edge are the edge's.

use super::bound::{EXP, Work};
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

const RADIUS: i32 = 2;

variants! {
    fn bilateral(from: &[f32], to: &mut [f32], w: usize, h: usize, near: f32, alike: f32) {
        let (x, y) = global_id_2d();
        let centre = from[y * w + x];
        let mut sum = 0.0;
        let mut weights = 0.0;
        for dy in -RADIUS..=RADIUS {
            let row = (y as i32 + dy).clamp(0, h as i32 - 1) as usize;
            for dx in -RADIUS..=RADIUS {
                let column = (x as i32 + dx).clamp(0, w as i32 - 1) as usize;
                let value = from[row * w + column];
                let apart = value - centre;
                let weight = (-((dx * dx + dy * dy) as f32 * near + apart * apart * alike)).exp();
                sum += value * weight;
                weights += weight;
            }
        }
        to[y * w + x] = sum / weights;
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h, near, alike) = (16usize, 16usize, 0.125f32, 2.0f32);
    let pixels = numbers(w * h, 101);
    let pixel = |i: usize| {
        let (x, y) = (i % w, i / w);
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in 0..25 {
            let (dx, dy) = (k % 5, k / 5);
            let column = (x + dx).saturating_sub(2).min(w - 1);
            let row = (y + dy).saturating_sub(2).min(h - 1);
            let value = pixels[row * w + column];
            let distance = dx.abs_diff(2).pow(2) + dy.abs_diff(2).pow(2);
            let apart = value - pixels[i];
            let weight = (-(distance as f32 * near + apart * apart * alike)).exp();
            sum += value * weight;
            weights += weight;
        }
        sum / weights
    };
    let expected = (0..w * h).map(pixel).collect();
    let from = suite.device.upload(&pixels)?;
    let mut to = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(
        bilateral(&from, &mut to, w, h, near, alike).over((w, h)),
        &suite.device
    );
    // For each pixel around a load, a difference, two products and a sum below `exp`, and a product and two sums.
    let work = Work {
        items: w * h,
        loads: 25.0,
        stores: 1.0,
        sums: 25.0 * 7.0,
        quotients: 1.0,
        words: w * h,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/bilateral",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[
            from.as_ptr().addr(),
            to.as_ptr().addr(),
            w as u32,
            h as u32,
            near.to_bits(),
            alike.to_bits(),
        ],
    };
    suite.compare::<bilateral>(
        "bilateral 16x16",
        &ours,
        &cpp,
        &work.and(25.0, &EXP),
        &mut [(&mut to, expected)],
    )
}
