//! After how many squares the points of a picture run away.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, variants};
use vortex::prelude::*;

variants! {
    fn mandelbrot(picture: &mut [u32], w: usize, h: usize, most: u32) {
        let (x, y) = global_id_2d();
        if x < w && y < h {
            let re = x as f32 * 3.0 / w as f32 - 2.0;
            let im = y as f32 * 2.0 / h as f32 - 1.0;
            let (mut a, mut b) = (0.0, 0.0);
            let mut steps = 0;
            while steps < most && a * a + b * b <= 4.0 {
                (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
                steps += 1;
            }
            picture[y * w + x] = steps;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h, most) = (32, 32, 64);
    let steps = |at: usize| {
        let re = (at % w) as f32 * 3.0 / w as f32 - 2.0;
        let im = (at / w) as f32 * 2.0 / h as f32 - 1.0;
        let (mut a, mut b) = (0.0f32, 0.0f32);
        let mut steps = 0;
        while steps < most && a * a + b * b <= 4.0 {
            (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
            steps += 1;
        }
        steps
    };
    let expected: Vec<u32> = (0..w * h).map(steps).collect();
    let mut picture = suite.device.upload(&vec![0u32; w * h])?;
    let ours = launched!(
        mandelbrot(&mut picture, w, h, most).over((w, h)),
        &suite.device
    );
    // Coordinates: two conversions, products, quotients and differences. Before each step 3 operations and 2 tests, in
    // it 5 more and a count.
    let each = expected.iter().sum::<u32>() as f64 / expected.len() as f64;
    let work = Work {
        items: w * h,
        stores: 1.0,
        conversions: 2.0,
        quotients: 2.0,
        sums: 4.0 + 8.0 * each,
        comparisons: each,
        others: 2.0 * each,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "mandelbrot",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[picture.as_ptr().addr(), w as u32, h as u32, most],
    };
    suite.compare::<mandelbrot>(
        "mandelbrot 32x32",
        &ours,
        &cpp,
        &work,
        &mut [(&mut picture, expected)],
    )
}
