//! Each item finds the centre that its point is next to.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, numbers, variants};
use vortex::prelude::*;

variants! {
    fn kmeans(x: &[f32], y: &[f32], centre_x: &[f32], centre_y: &[f32], to: &mut [f32]) {
        let i = global_id();
        if i < to.len() {
            let mut best = f32::MAX;
            let mut nearest = 0;
            for j in 0..centre_x.len() {
                let dx = x[i] - centre_x[j];
                let dy = y[i] - centre_y[j];
                let distance = dx * dx + dy * dy;
                if distance < best {
                    best = distance;
                    nearest = j;
                }
            }
            to[i] = nearest as f32;
        }
    }
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (n, centres) = (1024, 16);
    let [xs, ys] = [29, 30].map(|seed| numbers(n, seed));
    let [centre_xs, centre_ys] = [31, 32].map(|seed| numbers(centres, seed));
    let nearest = |i: usize| {
        let distance =
            |j: &usize| (xs[i] - centre_xs[*j]).powi(2) + (ys[i] - centre_ys[*j]).powi(2);
        let nearest = (0..centres).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(0.0, |nearest| nearest as f32)
    };
    let expected = (0..n).map(nearest).collect();
    let x = suite.device.upload(&xs)?;
    let y = suite.device.upload(&ys)?;
    let centre_x = suite.device.upload(&centre_xs)?;
    let centre_y = suite.device.upload(&centre_ys)?;
    let mut to = suite.device.upload(&vec![0.0f32; n])?;
    let ours = launched!(
        kmeans(&x, &y, &centre_x, &centre_y, &mut to).over(n),
        &suite.device
    );
    // For each centre, whose coordinates are too many for registers, 2 loads, 5 sums and products, a comparison and a
    // minimum, and 2 operations that choose its number.
    let work = Work {
        items: n,
        loads: 2.0 + 2.0 * centres as f64,
        stores: 1.0,
        sums: 5.0 * centres as f64,
        comparisons: 2.0 * centres as f64,
        others: 2.0 * centres as f64,
        conversions: 1.0,
        words: 2 * (n + centres),
        ..Work::default()
    };
    let cpp = Cpp {
        file: "kmeans",
        grid: [n as u32, 1, 1],
        block: None,
        words: &[
            x.as_ptr().addr(),
            y.as_ptr().addr(),
            centre_x.as_ptr().addr(),
            centre_y.as_ptr().addr(),
            to.as_ptr().addr(),
            centres as u32,
        ],
    };
    suite.compare::<kmeans>(
        "k-means step 1024 to 16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut to, expected)],
    )
}
