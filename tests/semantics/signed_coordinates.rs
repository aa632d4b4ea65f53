//! Indices from coordinates that are `i32`s, clamped or guarded, against the same kernels compiled by rustc: with
//! images of the size that the launch says, and of others, where items fail.

use crate::harness::{SHAPES, fault_of, unwatched};
use vortex::prelude::*;

#[vortex::kernel(host)]
fn clamped(from: &[f32], to: &mut [f32], w: usize, h: usize, apart: i32) {
    let (x, y) = global_id_2d();
    let mut sum = 0.0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            let u = (x as i32 + dx * apart).clamp(0, w as i32 - 1) as usize;
            let v = (y as i32 + dy).max(0).min(h as i32 - 1) as usize;
            sum += from[v * w + u];
        }
    }
    to[y * 12 + x] = sum;
}

#[vortex::kernel(host)]
fn guarded(from: &[f32], to: &mut [f32], w: usize, h: usize, apart: i32) {
    let (x, y) = global_id_2d();
    let mut sum = 0.0;
    for dy in -1..=1 {
        let v = y as i32 + dy * apart;
        if v < 0 || v >= h as i32 {
            continue;
        }
        for dx in -1..=1 {
            let u = x as i32 + dx;
            if u < w as i32 && u > -1 {
                sum += from[v as usize * w + u as usize];
            }
        }
    }
    to[y * 12 + x] = sum;
}

/// Sizes that a kernel is told: those of the image, less, more, none, and one that is negative as an `i32`. To clamp to
/// nothing is a mistake of its own.
const SIZES: [(usize, usize); 8] = [
    (12, 10),
    (12, 7),
    (5, 10),
    (13, 10),
    (12, 11),
    (12, 0),
    (0, 10),
    (3 << 30, 10),
];

macro_rules! as_on_the_host {
    ($kernel:ident, $sizes:expr) => {
        for shape in SHAPES {
            let device = unwatched(shape);
            let image: Vec<f32> = (0..120).map(|i| (i * i % 37) as f32).collect();
            let from = device.upload(&image).unwrap();
            for &(w, h) in $sizes {
                for apart in [1, -1, 3, 1000] {
                    let mut expected = [0.0f32; 120];
                    let launch = $kernel::on_host(&image, &mut expected, w, h, apart);
                    let failed = fault_of(launch.over((12, 10)).launch());
                    let mut to = device.upload(&[0.0f32; 120]).unwrap();
                    let launch = $kernel(&from, &mut to, w, h, apart);
                    let found = fault_of(launch.over((12, 10)).launch(&device));
                    let whats =
                        [&found, &failed].map(|fault| fault.as_ref().map(|f| (f.item, f.operands)));
                    assert_eq!(whats[0], whats[1], "{w} {h} {apart}");
                    if failed.is_none() {
                        assert_eq!(to.download().unwrap(), expected, "{w} {h} {apart}");
                    }
                }
            }
        }
    };
}

#[test]
fn that_are_clamped() {
    as_on_the_host!(clamped, &SIZES[..5]);
}

#[test]
fn that_are_guarded() {
    as_on_the_host!(guarded, &SIZES);
}
