//! Perlin's noise in two dimensions, four octaves of it: each item has a pixel.

use super::bound::Work;
use super::suite::{Cpp, Suite, launched, variants};
use vortex::prelude::*;

const OCTAVES: usize = 4;

#[vortex::device]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[vortex::device]
fn lerp(t: f32, a: f32, b: f32) -> f32 {
    a + t * (b - a)
}

#[vortex::device]
fn slope(hash: u8, x: f32, y: f32) -> f32 {
    match hash & 7 {
        0 => x + 2.0 * y,
        1 => -x + 2.0 * y,
        2 => x - 2.0 * y,
        3 => -x - 2.0 * y,
        4 => y + 2.0 * x,
        5 => -y + 2.0 * x,
        6 => y - 2.0 * x,
        _ => -y - 2.0 * x,
    }
}

#[vortex::device]
fn noise(permutation: &[u8], x: f32, y: f32) -> f32 {
    let (column, row) = (x.floor(), y.floor());
    let (x, y) = (x - column, y - row);
    let (column, row) = (column as usize & 255, row as usize & 255);
    let left = permutation[column] as usize + row;
    let right = permutation[column + 1] as usize + row;
    let (u, v) = (fade(x), fade(y));
    let top = lerp(
        u,
        slope(permutation[left], x, y),
        slope(permutation[right], x - 1.0, y),
    );
    let bottom = lerp(
        u,
        slope(permutation[left + 1], x, y - 1.0),
        slope(permutation[right + 1], x - 1.0, y - 1.0),
    );
    lerp(v, top, bottom)
}

variants! {
    fn perlin(permutation: &[u8], scale: f32, w: usize, picture: &mut [f32]) {
        let (x, y) = global_id_2d();
        let mut frequency = scale;
        let mut amplitude = 1.0;
        let mut sum = 0.0;
        for _ in 0..OCTAVES {
            sum += amplitude * noise(permutation, x as f32 * frequency, y as f32 * frequency);
            frequency *= 2.0;
            amplitude *= 0.5;
        }
        picture[y * w + x] = sum;
    }
}

/// The noise at a place.
fn plain(permutation: &[u8], x: f32, y: f32) -> f32 {
    let (column, row) = (x.floor(), y.floor());
    let (u, v) = (x - column, y - row);
    let corner = |dx: usize, dy: usize| {
        let first = permutation[(column as usize & 255) + dx];
        let hash = permutation[usize::from(first) + (row as usize & 255) + dy];
        let (a, b) = (u - dx as f32, v - dy as f32);
        let (a, b) = if hash & 4 == 0 { (a, b) } else { (b, a) };
        let a = if hash & 1 == 0 { a } else { -a };
        a + if hash & 2 == 0 { 2.0 * b } else { -2.0 * b }
    };
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let mix = |t: f32, a: f32, b: f32| a + t * (b - a);
    let top = mix(fade(u), corner(0, 0), corner(1, 0));
    let bottom = mix(fade(u), corner(0, 1), corner(1, 1));
    mix(fade(v), top, bottom)
}

pub(super) fn run(suite: &mut Suite) -> vortex::Result<()> {
    let (w, h, scale) = (16, 16, 0.173f32);
    let mut once: Vec<u8> = (0..=255).collect();
    for k in (1..once.len()).rev() {
        once.swap(k, k * k * 7919 % (k + 1));
    }
    let twice: Vec<u8> = once.iter().chain(&once).copied().collect();
    let pixel = |i: usize| {
        let octave = |k: usize| {
            let frequency = scale * (1 << k) as f32;
            let [x, y] = [i % w, i / w].map(|at| at as f32 * frequency);
            plain(&twice, x, y) / (1 << k) as f32
        };
        (0..OCTAVES).map(octave).sum()
    };
    let expected = (0..w * h).map(pixel).collect();
    let permutation = suite.device.upload(&twice)?;
    let mut picture = suite.device.upload(&vec![0.0f32; w * h])?;
    let ours = launched!(
        perlin(&permutation, scale, w, &mut picture).over((w, h)),
        &suite.device
    );
    // In each octave 2 products for the place, 4 differences, 14 sums and products for how fast it fades, 3 for each
    // corner, 9 in between, 3 for the sum and the next octave; 6 loads; conversions to and from integers.
    let octaves = OCTAVES as f64;
    let work = Work {
        items: w * h,
        loads: 6.0 * octaves,
        stores: 1.0,
        sums: 35.0 * octaves,
        conversions: 2.0 + 2.0 * octaves,
        words: twice.len() / 4,
        ..Work::default()
    };
    let cpp = Cpp {
        file: "aside/perlin",
        grid: [w as u32, h as u32, 1],
        block: None,
        words: &[
            permutation.as_ptr().addr(),
            scale.to_bits(),
            w as u32,
            picture.as_ptr().addr(),
        ],
    };
    suite.compare::<perlin>(
        "perlin 16x16",
        &ours,
        &cpp,
        &work,
        &mut [(&mut picture, expected)],
    )
}
