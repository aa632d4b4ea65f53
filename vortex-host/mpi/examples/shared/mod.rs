//! What both convolutions share: the picture, the kernel, and the same on the host.

use vortex::prelude::*;

pub(crate) const WIDTH: usize = 40;
pub(crate) const HEIGHT: usize = 27;

/// Whole numbers, whose sums are exact.
pub(crate) const WEIGHTS: [f32; 9] = [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0];

pub(crate) fn picture() -> Vec<f32> {
    (0..WIDTH * HEIGHT).map(|i| (i * 31 % 97) as f32).collect()
}

/// `from` has a row more than `to` above and below. Left and right of the picture are zeros.
#[vortex::kernel]
pub(crate) fn convolve(weights: &[f32], from: &[f32], to: &mut [f32]) {
    let (x, y) = global_id_2d();
    let mut sum = 0.0;
    for dy in 0..3 {
        for dx in 0..3 {
            let column = x + dx;
            if column >= 1 && column <= WIDTH {
                sum += weights[dy * 3 + dx] * from[(y + dy) * WIDTH + column - 1];
            }
        }
    }
    to[y * WIDTH + x] = sum;
}

/// On the host, with zeros all around.
pub(crate) fn expected(picture: &[f32]) -> Vec<f32> {
    let at = |x: usize, y: usize| match (1..=WIDTH).contains(&x) && (1..=HEIGHT).contains(&y) {
        true => picture[(y - 1) * WIDTH + x - 1],
        false => 0.0,
    };
    let place = |i: usize| {
        let (x, y) = (i % WIDTH, i / WIDTH);
        let each = (0..9).map(|k| WEIGHTS[k] * at(x + k % 3, y + k / 3));
        each.fold(0.0, |sum, more| sum + more)
    };
    (0..WIDTH * HEIGHT).map(place).collect()
}
