//! Estimates pi: of points thrown into a square at random, the part that falls into a quarter of a circle.
//!
//! Work items throw many points each, and count. The sum of a group is one `group::reduce_add`, and only one item of
//! each group adds to the total. The random numbers of a point are a hash of its number: so it does not matter which
//! item throws it, and there is no state to keep.
//!
//! ```sh
//! cargo run --release --example monte_carlo_pi              # up to 65,536 points
//! cargo run --release --example monte_carlo_pi -- 16777216
//! ```

mod shared;

use vortex::prelude::*;

/// Points of each work item.
const EACH: usize = 32;

/// A number that looks random, for each number (PCG's hash).
#[vortex::device]
fn hash(n: u32) -> u32 {
    let state = n * 747_796_405 + 2_891_336_453;
    let word = ((state >> ((state >> 28) + 4)) ^ state) * 277_803_737;
    word >> 22 ^ word
}

/// Counts the points in the circle. Coordinates are whole numbers of 16 bits, so that nothing is rounded.
#[vortex::kernel]
fn throw(points: usize, inside: &mut [u32]) {
    let first = global_id() * EACH;
    let mut hits = 0;
    for point in first..(first + EACH).min(points) {
        let random = hash(point as u32);
        let (x, y) = (random >> 16, random & 0xffff);
        if x * x <= u32::MAX - y * y {
            hits += 1;
        }
    }
    let hits = group::reduce_add(hits);
    if local_id() == 0 {
        inside.atomic(0).fetch_add(hits, Relaxed);
    }
}

/// Whether a point is in the circle, in plain Rust.
fn is_inside(point: u64) -> bool {
    let cut = |n: u64| n & 0xffff_ffff;
    let state = cut(point * 747_796_405 + 2_891_336_453);
    let word = cut((state >> (4 + state / (1 << 28)) ^ state) * 277_803_737);
    let random = (word / (1 << 22)) ^ word;
    let (x, y) = (random / (1 << 16), random % (1 << 16));
    x * x + y * y < 1 << 32
}

fn main() -> vortex::Result<()> {
    let n = shared::size_argument(1 << 16, 1 << 28);
    let device = Device::open()?;
    let group = shared::group_size(&device, 128);
    println!("    points         pi       off");
    let (mut points, mut expected, mut from) = (64, 0, 0);
    loop {
        points = points.min(n);
        let mut inside = device.upload(&[0u32])?;
        throw(points, &mut inside)
            .grid(points.div_ceil(EACH * group))
            .block(group)
            .launch(&device)?;
        expected += (from..points as u64)
            .filter(|&point| is_inside(point))
            .count();
        from = points as u64;

        let inside = inside.download()?[0] as usize;
        assert_eq!(inside, expected, "of {points} points");
        let pi = 4.0 * inside as f64 / points.max(1) as f64;
        let off = (pi - std::f64::consts::PI).abs();
        println!(
            "{points:10}  {pi:.7}  {off:.7} {}",
            shared::bar(2.0 * off as f32, 40)
        );
        if points == n {
            break;
        }
        points *= 4;
    }
    println!("plain Rust counts the same points");
    Ok(())
}
